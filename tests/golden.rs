//! Holds the PTX that comes out of rustc against `tests/golden`, and what the rows claim against ptxas.
//!
//! `BLESS=1 cargo test --test golden` rewrites the files.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use ptx_link::convergence::is_convergent;
use support::{AsmBlock, Golden, asm_blocks, body, version};
use xtask::cuda::Tools;
use xtask::device::{Arch, Build};
use xtask::toolchain::{Kind, Toolchain};

/// One raw instruction, as its probe was compiled.
#[derive(Clone, Debug)]
struct Row {
    family: String,
    name: String,
    form: String,
    isa: (u32, u32),
    target: String,
    section: String,
    forms: Vec<Form>,
}

/// One spelling of it.
#[derive(Clone, Debug)]
struct Form {
    instruction: String,
    isa: (u32, u32),
    target: String,
    block: AsmBlock,
}

fn rows(arch: Arch) -> Vec<Row> {
    rows_with(arch, &[])
}

fn rows_with(arch: Arch, features: &[&str]) -> Vec<Row> {
    let mut build = Build::new(xtask::root().join("tests/device/probe"), arch);
    build.features = features.iter().map(|&feature| feature.to_owned()).collect();
    let module = build.run().unwrap_or_else(|error| panic!("{error:#}"));
    let mut rows: Vec<Row> = Vec::new();
    for block in asm_blocks(&module.text) {
        if let Some(row) = block.text.strip_prefix("// row:") {
            rows.push(row_of(row));
        } else {
            let row = rows.last_mut().expect("a probe names its row first");
            row.forms.push(form_of(row, block));
        }
    }
    rows
}

fn row_of(text: &str) -> Row {
    let fields: Vec<&str> = text.split('|').collect();
    let [module, name, form, isa, target, section] = fields[..] else { panic!("not a row: {text}") };
    Row {
        family: module.rsplit("::").next().expect("a module").into(),
        name: name.into(),
        form: form.into(),
        isa: version(isa),
        target: target.into(),
        section: section.into(),
        forms: Vec::new(),
    }
}

/// Predicates and 128-bit operands are set up and read out inside the block; what is left is the instruction.
fn form_of(row: &Row, block: AsmBlock) -> Form {
    let set_up =
        |statement: &&String| [".reg ", "selp.b32 ", "setp.", "mov.b128 "].iter().any(|s| statement.starts_with(s));
    let left: Vec<_> = block.instructions.iter().filter(|statement| !set_up(statement)).collect();
    let [instruction] = left[..] else {
        panic!("{} is not one instruction: {:?}", row.name, block.instructions)
    };
    let targets = block.text.split_whitespace().filter_map(|word| word.strip_prefix("target:"));
    let target = targets
        .chain([row.target.as_str()])
        .max_by_key(|target| number(target))
        .expect("the row's")
        .to_owned();
    Form { instruction: instruction.clone(), isa: block.isa, target, block }
}

/// 90 of `sm_90a`.
fn number(target: &str) -> u32 {
    target.trim_start_matches("sm_").trim_end_matches(char::is_alphabetic).parse().expect("sm_N")
}

fn shown((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

#[test]
fn raw_instructions_are_golden() {
    let mut golden = Golden::new("raw");
    for row in rows(Arch::Sm90) {
        let mut lines: Vec<String> = Vec::new();
        for form in &row.forms {
            let needs = [
                (form.isa > row.isa).then(|| format!("PTX ISA {}", shown(form.isa))),
                (form.target != row.target).then(|| form.target.clone()),
            ];
            let needs: Vec<_> = needs.into_iter().flatten().collect();
            let newer = if needs.is_empty() { String::new() } else { format!(" // {}", needs.join(", ")) };
            lines.push(format!("{}{newer}", form.instruction));
        }
        lines.sort();
        let convergent: BTreeSet<_> = row.forms.iter().map(|form| is_convergent(&form.block.text)).collect();
        let convergent = match convergent.into_iter().collect::<Vec<_>>()[..] {
            [true] => "convergent",
            [false] => "not convergent",
            _ => panic!("{}: some forms are convergent and some are not", row.name),
        };
        let header = format!(
            "// {}\n// PTX ISA {}, {} or higher, section {}, {convergent}\n",
            row.form,
            shown(row.isa),
            row.target,
            row.section
        );
        golden.check(&format!("{}/{}.ptx", row.family, row.name), &(header + &lines.join("\n") + "\n"));
    }
    golden.finish();
}

/// Behind the stock linker a convergent instruction is an asm goto: another block, the same instruction.
#[test]
fn the_label_form_is_the_same_instructions() {
    let instructions = |rows: Vec<Row>| -> Vec<String> {
        rows.into_iter().flat_map(|row| row.forms).map(|form| form.instruction).collect()
    };
    let labelled = rows_with(Arch::Sm90, &["stock-linker"]);
    let convergent =
        labelled.iter().flat_map(|row| &row.forms).filter(|form| is_convergent(&form.block.text));
    assert!(convergent.count() > 0);
    assert_eq!(instructions(labelled), instructions(rows(Arch::Sm90)));
}

#[test]
fn no_form_has_two_rows() {
    let mut seen = BTreeMap::new();
    for row in rows(Arch::Sm90) {
        assert!(!row.forms.is_empty(), "{} has no form", row.name);
        for form in row.forms {
            if let Some(other) = seen.insert(form.instruction.clone(), row.name.clone()) {
                panic!("`{}` is both {other} and {}", form.instruction, row.name);
            }
        }
    }
}

/// PTX ISA versions, as far as a row may need one.
const VERSIONS: [(u32, u32); 26] = [
    (6, 3),
    (6, 4),
    (6, 5),
    (7, 0),
    (7, 1),
    (7, 2),
    (7, 3),
    (7, 4),
    (7, 5),
    (7, 6),
    (7, 7),
    (7, 8),
    (8, 0),
    (8, 1),
    (8, 2),
    (8, 3),
    (8, 4),
    (8, 5),
    (8, 6),
    (8, 7),
    (8, 8),
    (9, 0),
    (9, 1),
    (9, 2),
    (9, 3),
    (9, 4),
];

/// Targets that ptxas still knows below sm_90, with the first PTX version that has each: rows that claim less than the
/// oldest are claims about hardware that no ptxas here can judge.
const OLDER: [(&str, (u32, u32)); 3] = [("sm_75", (6, 3)), ("sm_80", (7, 0)), ("sm_90", (7, 8))];

/// The PTX of a module with one instruction a line; line `i` of `lines` is line `i + HEAD` of it.
fn module(lines: &[String], target: &str, isa: (u32, u32)) -> String {
    let registers = ".reg .b16 %rs; .reg .b32 %r; .reg .b64 %rd; .reg .f32 %f; .reg .pred %p;\n.reg .b128 %rq;";
    format!(
        ".version {}\n.target {target}\n.address_size 64\n.visible .entry all()\n{{\n{registers}\n{}\nret;\n}}\n",
        shown(isa),
        lines.join("\n")
    )
}
const HEAD: usize = 8;

/// The lines that ptxas refuses. Where it knows no `.b128` it refuses that declaration, and what uses the register.
fn refused(tools: &Tools, lines: &[String], target: &str, isa: (u32, u32)) -> BTreeSet<String> {
    let errors =
        tools.check_text(&module(lines, target, isa), target).unwrap_or_else(|error| panic!("{error:#}"));
    errors.iter().filter_map(|error| lines.get(error.line.checked_sub(HEAD)?).cloned()).collect()
}

#[test]
fn ptxas_takes_every_form_where_it_is_claimed_and_nowhere_else() {
    let tools = Tools::find_or_fetch().unwrap_or_else(|error| panic!("{error:#}"));
    let rows = rows(Arch::Sm90);
    let mut report = String::from("target    accepted  refused\n");

    // By target: from the claimed one up, and not below.
    let targets = OLDER.iter().map(|(target, _)| *target);
    let newer = Arch::ALL.iter().map(|arch| arch.name()).filter(|name| *name != "sm_90");
    let forms: Vec<&Form> = rows.iter().flat_map(|row| &row.forms).collect();
    let all: Vec<String> = forms.iter().map(|form| form.instruction.clone()).collect();
    for target in targets.chain(newer) {
        let unclaimed = forms.iter().filter(|form| number(&form.target) > number(target));
        let expected: BTreeSet<String> = unclaimed.map(|form| form.instruction.clone()).collect();
        let refused = refused(&tools, &all, target, (9, 0));
        let wrong: Vec<_> = refused.symmetric_difference(&expected).collect();
        assert!(wrong.is_empty(), "{target}: claimed and refused, or not claimed and accepted: {wrong:#?}");
        report += &format!("{target:9} {:8} {:8}\n", all.len() - refused.len(), refused.len());
    }

    // By PTX version: from the claimed one up, and not in the version before.
    let mut by_version: BTreeMap<(&str, (u32, u32)), Vec<String>> = BTreeMap::new();
    for form in forms {
        let older = OLDER.iter().find(|(target, _)| number(target) >= number(&form.target));
        let (target, first) = older.expect("a target that some row claims");
        if form.isa > *first {
            by_version.entry((target, form.isa)).or_default().push(form.instruction.clone());
        }
    }
    for ((target, isa), lines) in by_version {
        let before = VERSIONS[VERSIONS.iter().position(|version| *version == isa).expect("a version") - 1];
        assert_eq!(
            refused(&tools, &lines, target, isa),
            BTreeSet::new(),
            "{target}, .version {}",
            shown(isa)
        );
        let all: BTreeSet<_> = lines.iter().cloned().collect();
        assert_eq!(refused(&tools, &lines, target, before), all, "{target}, .version {}", shown(before));
        report += &format!(
            "{target:9} {:8} {:8}  .version {} and {}\n",
            all.len(),
            all.len(),
            shown(isa),
            shown(before)
        );
    }
    println!("{report}");
}

/// Whole bodies are held on the pinned toolchain: another numbers registers and orders instructions otherwise, and now and
/// then branches otherwise in one of two twins. What must be alike there, `./x compare` compares.
fn holds_whole_bodies() -> bool {
    let toolchain = Toolchain::active().unwrap_or_else(|error| panic!("{error:#}"));
    let pinned = toolchain.kind() == Kind::Pinned;
    if !pinned {
        println!("whole bodies are not compared with golden files: the toolchain is {}", toolchain.name());
    }
    pinned
}

#[test]
fn kernels_are_golden() {
    let mut golden = Golden::new("kernels");
    if !holds_whole_bodies() {
        return;
    }
    let build = Build::new(xtask::root().join("kernels"), Arch::Sm90a);
    let module = build.run().unwrap_or_else(|error| panic!("{error:#}"));
    for kernel in xtask::ptx::split(&module.text).unwrap_or_else(|error| panic!("{error:#}")) {
        golden.check(&format!("{}.sm_90a.ptx", kernel.name), &body(&module.text, &kernel.name));
    }
    golden.finish();
}

/// The instructions of a body but for the names of registers and labels, and for their order: LLVM numbers the induction
/// variables of a loop by the order in which it meets them.
fn multiset(body: &str) -> Vec<String> {
    let mut lines: Vec<_> = body.lines().map(support::generic_registers).collect();
    lines.sort();
    lines
}

/// The kernels of `tests/device/typed`, by the part of their names after `typed_`.
#[test]
fn typed_calls_cost_nothing() {
    let mut golden = Golden::new("typed");
    let golden_too = holds_whole_bodies();
    for arch in [Arch::Sm90, Arch::Sm100a] {
        let build = Build::new(xtask::root().join("tests/device/typed"), arch);
        let module = build.run().unwrap_or_else(|error| panic!("{error:#}"));
        let kernels = xtask::ptx::split(&module.text).unwrap_or_else(|error| panic!("{error:#}"));
        let names: Vec<_> = kernels.iter().filter_map(|kernel| kernel.name.strip_prefix("typed_")).collect();
        assert!(names.len() > 8, "{names:?}");
        for name in names {
            let typed = body(&module.text, &format!("typed_{name}"));
            let raw = body(&module.text, &format!("raw_{name}"));
            let (have, want) = (multiset(&typed), multiset(&raw));
            let costs_nothing = if golden_too { have == want } else { have.len() <= want.len() };
            assert!(costs_nothing, "{name} for {arch}, raw to typed:\n{}", support::diff(&raw, &typed));
            assert!(
                !typed.contains(".local") && !typed.contains("%SP"),
                "{name} for {arch} has a stack frame"
            );
            if golden_too {
                golden.check(&format!("{name}.{arch}.ptx"), &typed);
            }
        }
    }
    if golden_too {
        golden.finish();
    }
}
