//! Tests of the fuzzer: the table of plain forms is what ptxas takes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use ptx_conformance::fuzz::forms::{self, Form, SAMPLE_REGISTERS, VERSIONS};
use ptx_conformance::fuzz::grammar::PATTERNS;
use xtask::cuda::Tools;

const TARGET: &str = "sm_90a";
/// The statements of a text that ptxas checks at once.
const PER_TEXT: usize = 2000;

/// Returns the forms, as text, that ptxas takes in a PTX version.
fn legal(forms: &[Form], version: &str) -> BTreeSet<String> {
    let tools = Tools::find_or_fetch().unwrap();
    let mut legal = BTreeSet::new();
    for chunk in forms.chunks(PER_TEXT) {
        let mut text =
            format!(".version {version}\n.target {TARGET}\n.address_size 64\n.entry first() {{ ret; }}\n");
        let header = text.lines().count();
        for (i, form) in chunk.iter().enumerate() {
            writeln!(text, ".entry k{i}() {{ {SAMPLE_REGISTERS} {} }}", form.sample()).unwrap();
        }
        let errors = tools.check_text_making(Some(&["first".into()]), &text, TARGET).unwrap();
        let refused: BTreeSet<usize> = errors.iter().map(|error| error.line - 1 - header).collect();
        let taken = chunk.iter().enumerate().filter(|(i, _)| !refused.contains(i));
        legal.extend(taken.map(|(_, form)| form.to_string()));
    }
    legal
}

#[test]
fn the_table_has_the_forms_that_ptxas_takes() {
    let candidates: Vec<Form> =
        PATTERNS.iter().flat_map(|(pattern, shape)| forms::of_pattern(pattern, shape, VERSIONS[0])).collect();
    let mut text = String::from(
        "// The plain forms that ptxas takes for sm_90a, with their operands. Written by BLESS=1 cargo test -p ptx-conformance \
         --test fuzz.\n",
    );
    let mut before = BTreeSet::new();
    for version in VERSIONS {
        let legal = legal(&candidates, version);
        writeln!(text, ".version {version}").unwrap();
        for (pattern, shape) in PATTERNS {
            let is_new = |opcode: &str| {
                let form = format!("{opcode} {shape}");
                legal.contains(&form) && !before.contains(&form)
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
