//! Tests of the fuzzer: its table is what ptxas takes, its kernels are well defined and have all forms, and it finds faults.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use ptx_conformance::fuzz::forms::{self, Form, PARTS, SAMPLE_REGISTERS, TARGETS, VERSIONS};
use ptx_conformance::fuzz::generate::{self, Table};
use ptx_conformance::fuzz::grammar::{PATTERNS, is_of_newer_target};
use ptx_conformance::fuzz::kernel::{Kernel, Node, Register, Step, THREADS};
use ptx_conformance::fuzz::report::Coverage;
use ptx_conformance::fuzz::{gpu, run, shrink};
use xtask::cuda::Tools;

/// The statements of a text that ptxas checks at once.
const PER_TEXT: usize = 2000;

/// Returns the forms, as text, that ptxas takes in a PTX version for a target.
fn legal(forms: &[Form], (version, target): (&str, &str)) -> BTreeSet<String> {
    let tools = Tools::find_or_fetch().unwrap();
    let mut legal = BTreeSet::new();
    for chunk in forms.chunks(PER_TEXT) {
        let mut text =
            format!(".version {version}\n.target {target}\n.address_size 64\n.entry first() {{ ret; }}\n");
        let header = text.lines().count();
        for (i, form) in chunk.iter().enumerate() {
            writeln!(text, ".entry k{i}() {{ {SAMPLE_REGISTERS} {}; }}", form.sample()).unwrap();
        }
        let errors = tools.check_text_making(Some(&["first".into()]), &text, target).unwrap();
        let refused: BTreeSet<usize> = errors.iter().map(|error| error.line - 1 - header).collect();
        let taken = chunk.iter().enumerate().filter(|(i, _)| !refused.contains(i));
        legal.extend(taken.map(|(_, form)| form.to_string()));
    }
    legal
}

#[test]
fn the_table_has_the_forms_that_ptxas_takes() {
    let candidates: Vec<Form> =
        PATTERNS.iter().flat_map(|(pattern, shape)| forms::of_pattern(pattern, shape, 0)).collect();
    let mut text = String::from(
        "// The plain forms that ptxas takes, with their operands. Written by BLESS=1 cargo test -p ptx-conformance --test fuzz.\n",
    );
    let mut before = BTreeSet::new();
    for part in PARTS {
        let legal = legal(&candidates, part);
        let lost: Vec<_> = before.difference(&legal).take(3).collect();
        assert!(lost.is_empty(), "{part:?} lacks {lost:?}");
        writeln!(text, "{}", forms::heading(part)).unwrap();
        for (pattern, shape) in PATTERNS {
            let is_new = |opcode: &str| {
                let form = format!("{opcode} {shape}");
                let is_kept = part.1 == TARGETS[0] || is_of_newer_target(pattern);
                is_kept && legal.contains(&form) && !before.contains(&form)
            };
            for line in forms::factor(pattern, is_new) {
                writeln!(text, "{}", format!("{line} {shape}").trim_end()).unwrap();
            }
        }
        before.extend(legal);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fuzz/forms.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
        eprintln!("{} of {} candidates are legal", before.len(), candidates.len());
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "run with BLESS=1, and read the difference");
}

/// Returns the table, with these forms alone in kernels, or all that the interpreter has.
fn table(opcodes: &[&str]) -> Table {
    let (mut table, _) = run::table(VERSIONS[1], TARGETS[0]);
    if !opcodes.is_empty() {
        table.known =
            (0..table.forms.len()).filter(|i| opcodes.contains(&&*table.forms[*i].opcode)).collect();
        assert_eq!(table.known.len(), opcodes.len());
    }
    table
}

#[test]
fn kernels_are_the_same_under_all_schedules() {
    let table = table(&[]);
    for number in 0..30 {
        let kernel = generate::kernel(&table, 7, number);
        let first = run::run(&kernel, 0).unwrap_or_else(|problem| panic!("kernel {number}: {problem}"));
        for schedule in 1..3 {
            let next = run::run(&kernel, schedule).unwrap();
            assert_eq!(run::difference(&table, &kernel, &first, &next), None, "kernel {number}");
            assert!(first == next, "kernel {number}");
        }
    }
}

#[test]
fn kernels_have_all_forms_of_the_interpreter() {
    let table = table(&[]);
    let mut coverage = Coverage::new(&table);
    // Each kernel takes the next forms of the table.
    for number in 0..=table.known.len() / generate::FORMS {
        coverage.add(&generate::kernel(&table, 3, number));
    }
    assert_eq!(coverage.missing(&table), Vec::<&str>::new());
    let one = generate::kernel(&table, 3, 0);
    let mut coverage = Coverage::new(&table);
    coverage.add(&one);
    assert!(coverage.missing(&table).len() > 1000);
}

#[test]
fn kernels_have_matrices() {
    let table = table(&[]);
    let kernels: Vec<_> = (0..400).map(|number| (number, generate::kernel(&table, 11, number))).collect();
    let text = gpu::module_text(VERSIONS[1], &kernels);
    let all = [
        "ldmatrix",
        "stmatrix",
        "movmatrix",
        "mma.sp.sync",
        "mma.sp::ordered_metadata.sync",
        "k64.row.col.satfinite.s32.s4.",
        "wgmma.mma_async.sync",
        "wgmma.mma_async.sp.sync",
        ".f32.tf32.tf32 ",
        ".f16.e4m3.e5m2 ",
        ".s32.u8.s8.satfinite ",
        ".s32.b1.b1.and.popc ",
        "}, {%r",
        ", -1, 1, ",
        "wgmma.wait_group.sync.aligned 1;",
        ".satfinite.s32.s8.",
        ".u4.",
        ".xor.popc",
        ".f32.f16.",
        ".f16.f16.",
        ".f32.bf16.",
        ".f32.tf32.",
        ".f32.e5m2.",
        ".f64.f64.",
    ];
    let missing: Vec<_> = all.into_iter().filter(|word| !text.contains(word)).collect();
    assert!(missing.is_empty(), "no kernel has {missing:?}");
    let tools = Tools::find_or_fetch().unwrap();
    let errors = tools.check_text(&text, TARGETS[0]).unwrap();
    assert!(errors.is_empty(), "{:?}", errors.first().map(|error| &error.message));
    for (number, kernel) in kernels.iter().step_by(8) {
        let [first, next] = [0, 1].map(|schedule| run::run(kernel, schedule).unwrap());
        assert!(first == next, "kernel {number}");
    }
}

/// Kernels for a newer target have what that alone has.
#[test]
fn kernels_have_the_forms_of_a_newer_target() {
    let (mut table, refused) = run::table(VERSIONS[1], TARGETS[1]);
    assert!(refused.iter().all(|(form, _)| table.forms[*form].part < 2), "{:?}", refused.last());
    table.known.retain(|form| table.forms[*form].part == 2);
    let mut coverage = Coverage::new(&table);
    let numbers = 0..=table.known.len() / generate::FORMS;
    let kernels: Vec<_> = numbers.map(|number| (number, generate::kernel(&table, 17, number))).collect();
    for (number, kernel) in &kernels {
        coverage.add(kernel);
        let [first, next] = [0, 1].map(|schedule| {
            run::run(kernel, schedule).unwrap_or_else(|problem| panic!("kernel {number}: {problem}"))
        });
        assert!(first == next, "kernel {number}");
    }
    assert_eq!(coverage.missing(&table), Vec::<&str>::new());
    let text = gpu::module_text(VERSIONS[1], &kernels);
    for word in
        ["fma.rz.sat.f32.bf16 ", ".pzo.scaled::n1::ue8m0.e2m1x2.f32 %byte", ".e2m3x4.f32 ", ".s2f6x2.bf16x2 "]
    {
        assert!(text.contains(word), "no kernel has {word}");
    }
    let errors = Tools::find_or_fetch().unwrap().check_text(&text, TARGETS[1]).unwrap();
    let shown: Vec<_> =
        errors.iter().map(|error| (text.lines().nth(error.line - 1), &error.message)).collect();
    assert!(shown.is_empty(), "{shown:#?}");
}

#[test]
fn ptxas_takes_kernels() {
    let table = table(&[]);
    let tools = Tools::find_or_fetch().unwrap();
    let kernels: Vec<_> = (0..40).map(|number| (number, generate::kernel(&table, 11, number))).collect();
    let text = gpu::module_text(VERSIONS[1], &kernels);
    let errors = tools.check_text(&text, TARGETS[0]).unwrap();
    let shown: Vec<_> =
        errors.iter().map(|error| (text.lines().nth(error.line - 1), &error.message)).collect();
    assert!(shown.is_empty(), "{shown:#?}");
}

/// An interpreter with a fault: one instruction computes another.
fn wrong(kernel: &Kernel, right: &str, wrong: &str) -> Vec<u8> {
    let text = kernel.module(VERSIONS[1]).replace(&format!(" {right} "), &format!(" {wrong} "));
    run::run_text(&text, &kernel.memory(), 0).unwrap()
}

#[test]
fn a_planted_fault_is_found_and_shrunk_to_its_statement() {
    let table =
        table(&["sub.u32", "mul.lo.u32", "add.s64", "cvt.u64.u32", "xor.b32", "popc.b64", "st.global.b32"]);
    for (number, right, other) in
        [(0, "sub.u32", "add.u32"), (1, "popc.b64", "clz.b64"), (2, "xor.b32", "or.b32")]
    {
        let kernel = generate::kernel(&table, 5, number);
        let difference = |kernel: &Kernel| {
            let expected = run::run(kernel, 0).unwrap();
            run::difference(&table, kernel, &expected, &wrong(kernel, right, other))
        };
        let found = difference(&kernel).unwrap();
        assert_eq!(found.opcode, right);
        let smallest = shrink::shrink(&kernel, |smaller| difference(smaller).is_some());
        // The statement alone, or the call of a function with it.
        assert!(shrink::size(&smallest.nodes) <= 2, "{}", smallest.text("k"));
        let found = difference(&smallest).unwrap();
        assert!(found.statement.starts_with(right) && !found.operands.is_empty(), "{found:?}");
        assert!(shrink::size(&kernel.nodes) > 20);
    }
}

/// A register that several statements write: the first of them is not blamed for the others.
#[test]
fn the_statement_that_writes_a_wrong_value_is_blamed() {
    let table = table(&["sub.u32", "mul.lo.u32", "popc.b32", "max.s32", "brev.b32", "min.u32"]);
    let (mut first, mut faults) = (0, 0);
    for number in 0..40 {
        let kernel = generate::kernel(&table, 9, number);
        let planted = |kernel: &Kernel| wrong(kernel, "popc.b32", "clz.b32");
        let expected = run::run(&kernel, 0).unwrap();
        let Some(found) = run::difference(&table, &kernel, &expected, &planted(&kernel)) else { continue };
        faults += 1;
        first += usize::from(found.opcode == "popc.b32");
        let blamed = run::blame(&table, &kernel, found, |observed| Some(planted(observed)));
        assert_eq!(blamed.opcode, "popc.b32", "kernel {number}: {blamed:#?}");
        // The copies change nothing.
        if let Some(observed) = kernel.observed() {
            let memory = run::run(&observed, 0).unwrap();
            assert_eq!(kernel.rest(&expected), observed.rest(&memory));
        }
    }
    assert!(first < faults && faults > 20, "{first} of {faults}");
}

/// What ptxas computes otherwise than the ISA says is not generated.
#[test]
fn departures_of_ptxas_are_left_out() {
    fn each_step(nodes: &[Node], f: &mut impl FnMut(&Step)) {
        for node in nodes {
            if let Node::Step(step) = node {
                f(step);
            }
            // A function has registers of its own.
            if !matches!(node, Node::Call { .. }) {
                node.bodies().into_iter().for_each(|body| each_step(body, f));
            }
        }
    }
    let table = table(&[]);
    let (mut guarded, mut extremes) = (0, 0);
    for number in 0..300 {
        let mut converted: BTreeSet<Register> = BTreeSet::new();
        each_step(&generate::kernel(&table, 13, number).nodes, &mut |step| {
            let last = step.text.last().unwrap();
            let (opcode, operands) = last.trim_end_matches(';').split_once(' ').unwrap_or((last, ""));
            let words: Vec<&str> = opcode.split('.').collect();
            if step.guard.is_some() && words[0] == "set" {
                let [.., to, from] = words[..] else { panic!("{last}") };
                assert!(!matches!(to, "f32" | "f16" | "bf16"), "{last}");
                assert!(!to.ends_with("32") || !from.ends_with("16"), "{last}");
                guarded += 1;
            }
            assert!(step.guard.is_none() || words[0] != "testp", "{last}");
            if matches!(words[0], "min" | "max") && words.last().unwrap().contains('f') {
                let sources: Vec<&str> = operands.split(", ").skip(1).collect();
                assert_ne!(sources[0], sources[1], "{last}");
                extremes += 1;
            }
            if words[0] == "cvt" && words[1] != "pack" {
                // A register that is written again is read where the guard is false.
                let mut sources = step.reads.iter().filter(|register| !step.writes.contains(register));
                assert!(!sources.any(|register| converted.contains(register)), "{last}");
                converted.extend(&step.writes);
            }
        });
    }
    assert!(guarded > 50 && extremes > 20, "{guarded}, {extremes}");
}

#[test]
fn approximations_are_compared_within_their_error() {
    let table = table(&["sin.approx.f32"]);
    let kernel = generate::kernel(&table, 1, 0);
    let expected = run::run(&kernel, 0).unwrap();
    let change = |by: f32| {
        let mut found = expected.clone();
        for thread in 0..THREADS {
            for slot in kernel.outputs.iter().filter(|slot| slot.ty == "f32") {
                let bytes: [u8; 4] = kernel.output(&expected, thread, slot).try_into().unwrap();
                let at =
                    kernel.output(&expected, thread, slot).as_ptr() as usize - expected.as_ptr() as usize;
                found[at..at + 4].copy_from_slice(&(f32::from_le_bytes(bytes) + by).to_le_bytes());
            }
        }
        run::difference(&table, &kernel, &expected, &found)
    };
    assert_eq!(change(2f32.powi(-22)), None);
    assert_eq!(change(2f32.powi(-18)).unwrap().opcode, "sin.approx.f32");
}
