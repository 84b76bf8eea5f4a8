//! Holds the PTX that comes out of rustc against `tests/golden`, and what the rows claim against ptxas.
//!
//! `BLESS=1 cargo test --test golden` rewrites the files.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use ptx_link::convergence::is_convergent;
use support::{AsmBlock, Golden, asm_blocks, body, version};
use xtask::cuda::Tools;
use xtask::device::{Arch, Build};

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
    block: AsmBlock,
}

fn rows(arch: Arch) -> Vec<Row> {
    let mut build = Build::new(xtask::root().join("tests/device/probe"), arch);
    build.default_features = false;
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

/// Predicates are set up and read out inside the block; what is left is the instruction.
fn form_of(row: &Row, block: AsmBlock) -> Form {
    let set_up = |statement: &&String| [".reg ", "selp.b32 ", "setp."].iter().any(|s| statement.starts_with(s));
    let left: Vec<_> = block.instructions.iter().filter(|statement| !set_up(statement)).collect();
    let [instruction] = left[..] else { panic!("{} is not one instruction: {:?}", row.name, block.instructions) };
    Form { instruction: instruction.clone(), isa: block.isa, block }
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
            let newer = if form.isa > row.isa { format!(" // PTX ISA {}", shown(form.isa)) } else { String::new() };
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
    (6, 3), (6, 4), (6, 5), (7, 0), (7, 1), (7, 2), (7, 3), (7, 4), (7, 5), (7, 6), (7, 7), (7, 8), (8, 0),
    (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (8, 6), (8, 7), (8, 8), (9, 0), (9, 1), (9, 2), (9, 3), (9, 4),
];

/// Targets that ptxas still knows below sm_90, with the first PTX version that has each: rows that claim less than the
/// oldest are claims about hardware that no ptxas here can judge.
const OLDER: [(&str, (u32, u32)); 3] = [("sm_75", (6, 3)), ("sm_80", (7, 0)), ("sm_90", (7, 8))];

/// The PTX of a module with one instruction a line; line `i` of `lines` is line `i + HEAD` of it.
fn module(lines: &[String], target: &str, isa: (u32, u32)) -> String {
    let registers = ".reg .b16 %rs; .reg .b32 %r; .reg .b64 %rd; .reg .f32 %f; .reg .pred %p;";
    format!(
        ".version {}\n.target {target}\n.address_size 64\n.visible .entry all()\n{{\n{registers}\n{}\nret;\n}}\n",
        shown(isa),
        lines.join("\n")
    )
}
const HEAD: usize = 7;

/// The lines that ptxas refuses.
fn refused(tools: &Tools, lines: &[String], target: &str, isa: (u32, u32)) -> BTreeSet<String> {
    let errors = tools.check_text(&module(lines, target, isa), target).unwrap_or_else(|error| panic!("{error:#}"));
    errors.iter().map(|error| lines[error.line - HEAD].clone()).collect()
}

#[test]
fn ptxas_takes_every_form_where_it_is_claimed_and_nowhere_else() {
    let tools = Tools::find_or_fetch().unwrap_or_else(|error| panic!("{error:#}"));
    let rows = rows(Arch::Sm90);
    let mut report = String::from("target    accepted  refused\n");

    // By target: from the claimed one up, and not below.
    let targets = OLDER.iter().map(|(target, _)| *target);
    let newer = Arch::ALL.iter().map(|arch| arch.name()).filter(|name| *name != "sm_90");
    for target in targets.chain(newer) {
        let number = |target: &str| -> u32 {
            target.trim_start_matches("sm_").trim_end_matches(char::is_alphabetic).parse().expect("sm_N")
        };
        let claimed = |row: &Row| number(&row.target) <= number(target);
        let all: Vec<String> = rows.iter().flat_map(|row| &row.forms).map(|form| form.instruction.clone()).collect();
        let expected: BTreeSet<String> = rows
            .iter()
            .filter(|row| !claimed(row))
            .flat_map(|row| &row.forms)
            .map(|form| form.instruction.clone())
            .collect();
        let refused = refused(&tools, &all, target, (9, 0));
        assert_eq!(refused, expected, "{target}: left: what ptxas refuses, right: what the rows do not claim");
        report += &format!("{target:9} {:8} {:8}\n", all.len() - refused.len(), refused.len());
    }

    // By PTX version: from the claimed one up, and not in the version before.
    let mut by_version: BTreeMap<(&str, (u32, u32)), Vec<String>> = BTreeMap::new();
    for row in &rows {
        let (target, first) = OLDER.iter().find(|(target, _)| *target >= row.target.as_str()).unwrap_or(&OLDER[0]);
        for form in row.forms.iter().filter(|form| form.isa > *first) {
            by_version.entry((target, form.isa)).or_default().push(form.instruction.clone());
        }
    }
    for ((target, isa), lines) in by_version {
        let before = VERSIONS[VERSIONS.iter().position(|version| *version == isa).expect("a version") - 1];
        assert_eq!(refused(&tools, &lines, target, isa), BTreeSet::new(), "{target}, .version {}", shown(isa));
        let all: BTreeSet<_> = lines.iter().cloned().collect();
        assert_eq!(refused(&tools, &lines, target, before), all, "{target}, .version {}", shown(before));
        report += &format!("{target:9} {:8} {:8}  .version {} and {}\n", all.len(), all.len(), shown(isa), shown(before));
    }
    println!("{report}");
}

#[test]
fn kernels_are_golden() {
    let mut golden = Golden::new("kernels");
    let build = Build::new(xtask::root().join("kernels"), Arch::Sm90a);
    let module = build.run().unwrap_or_else(|error| panic!("{error:#}"));
    for kernel in xtask::ptx::split(&module.text).unwrap_or_else(|error| panic!("{error:#}")) {
        golden.check(&format!("{}.sm_90a.ptx", kernel.name), &body(&module.text, &kernel.name));
    }
    golden.finish();
}
