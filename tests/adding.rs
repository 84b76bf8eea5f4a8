//! Adds rows to a family. The row in docs/ADDING_AN_INSTRUCTION.md must give the golden file in that document. Wrong rows must
//! not pass the check on the host, and all rows of the crate must.

mod support;

use std::fs;
use std::path::PathBuf;

use support::ok;
use xtask::device::Arch;
use xtask::family;
use xtask::forms::{self, Part};

/// The family that gets the rows.
const FAMILY: &str = "griddepcontrol";

fn folder(name: &str) -> PathBuf {
    xtask::root().join("target/device/adding").join(name)
}

#[test]
fn a_row_and_a_golden_file_add_an_instruction() {
    let document = fs::read_to_string(xtask::root().join("docs/ADDING_AN_INSTRUCTION.md")).unwrap();
    let (_, dry_run) = document.split_once("## A dry run").expect("the dry run");
    let block = |language: &str| {
        let (_, from) = dry_run.split_once(&format!("```{language}\n")).expect("a block of it");
        from.split_once("```").expect("its end").0
    };
    let folder = folder("dry-run");
    ok(family::write(&folder, &[FAMILY.to_owned()].into(), block("rust")));
    let rows = ok(forms::build(&folder, Arch::Sm90, Part::All));
    let added = rows.last().expect("a row");
    let all = forms::Form { targets: Arch::ALL.to_vec(), ..added.forms[0].clone() };
    assert_eq!(forms::Row { forms: vec![all], ..added.clone() }.golden(), block("ptx"));
}

/// Returns the text of a row with this operand, PTX text and list of tags.
fn row(operand: &str, text: &str, tags: &str) -> String {
    format!(
        r#"legal! {{ WrongSem: "no" {{ sem::Relaxed, sem::Release }} }}
        instruction! {{
            /// Wrong.
            @unsafe fn wrong[Sem: WrongSem {{ {tags} }}]({operand});
            form: "wrong";
            ptx: "wrong" .. "{text};";
            isa: "7.0", target: "sm_80", section: "9.7";
            # Safety "- `addr` is an address."
        }}"#
    )
}

#[test]
fn wrong_rows_do_not_pass_a_check_on_the_host() {
    const BOTH: &str = "sem::Relaxed, sem::Release";
    const RIGHT: [&str; 3] = ["addr: u32 = reg32", " [{addr}]", BOTH];
    let cases = [
        (RIGHT, ""),
        (["addr: u32 = reg32", " [{adr}]", BOTH], "there is no argument named `adr`"),
        (["addr: u32 = reg32", " [0]", BOTH], "named argument never used"),
        (["addr: u32 = reg33", " [{addr}]", BOTH], "`reg33` is not an operand class: `reg16`"),
        (["b: [u32; 2] = [reg32 b0 b1]", " {{{{{b0}, {b1}}}}}", BOTH], "named argument never used"),
        (["b: [u32; 2] = [reg32, b0]", " {b0}", BOTH], "is not an operand class: `reg16`"),
        (["addr: u32 = reg32", " [{addr}]", "sem::Relaxed"], "the row's own list lacks a tag of `WrongSem`"),
        (["addr: u32 = reg32", " [{addr}]", "sem::Acquire"], "not legal here"),
        (["addr: u32 = reg32", " [{addr}]", "sem::Strong"], "cannot find type `Strong`"),
    ];
    let row_of = |[operand, text, tags]: [&str; 3]| row(operand, text, tags);
    let cases = cases.map(|(parts, message)| (row_of(parts), message));
    let changed = |from: &str, to: &str| row_of(RIGHT).replace(from, to);
    let safety = r#"# Safety "- `addr` is an address."
        }"#;
    let others = [
        (changed("[{addr}];", "[{addr}]"), "does not end with `;`"),
        (changed("/// Wrong.", ""), "`wrong` has no documentation"),
        (changed(safety, "}"), "`wrong` is `@unsafe`: list under `# Safety`"),
        (changed("@unsafe ", ""), "`wrong` has a `# Safety` section"),
    ];
    let folder = folder("wrong");
    for (row, message) in cases.into_iter().chain(others) {
        ok(family::write(&folder, &[FAMILY.to_owned()].into(), &row));
        let errors = ok(family::check(&folder)).unwrap_or_default();
        assert_eq!(errors.is_empty(), message.is_empty(), "{row}:\n{errors}");
        assert!(errors.contains(message), "{row}: no {message:?} in\n{errors}");
        assert!(
            message.is_empty() || errors.contains("griddepcontrol.rs"),
            "the errors do not name the file of the row:\n{errors}"
        );
    }
}

#[test]
fn all_rows_pass_the_check_on_the_host() {
    let families = ok(family::sources()).into_keys().collect();
    let folder = folder("all");
    ok(family::write(&folder, &families, ""));
    assert_eq!(ok(family::check(&folder)), None);
}
