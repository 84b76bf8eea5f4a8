//! Runs the dry run of docs/ADDING_AN_INSTRUCTION.md: the row in the document, added to a family, must give the golden file in
//! the document.

use std::fs;

use xtask::device::{Arch, Build};
use xtask::files;
use xtask::forms;

/// The family that gets the row. The other families are left out to save time.
const FAMILY: &str = "griddepcontrol";

#[test]
fn a_row_and_a_golden_file_add_an_instruction() {
    let root = xtask::root();
    let document = fs::read_to_string(root.join("docs/ADDING_AN_INSTRUCTION.md")).unwrap();
    let (_, dry_run) = document.split_once("## A dry run").expect("the dry run");
    let block = |language: &str| {
        let (_, from) = dry_run.split_once(&format!("```{language}\n")).expect("a block of it");
        from.split_once("```").expect("its end").0
    };

    let folder = root.join("target/device/adding");
    let copy = folder.join("ptx");
    for file in ["build.rs", "src/qualifier.rs", "src/mask.rs", "src/raw/macros.rs"] {
        let text = fs::read_to_string(root.join(file)).unwrap();
        files::write(&copy.join(file), text).unwrap();
    }
    // The part of the manifest that a crate without tests needs.
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (_, from) = manifest.split_once("[workspace.package]").unwrap();
    let (manifest, _) = from.split_once("[dev-dependencies]").unwrap();
    files::write(&copy.join("Cargo.toml"), format!("[workspace]\n[workspace.package]{manifest}")).unwrap();
    let attributes =
        "#![no_std]\n#![feature(asm_experimental_arch, abi_ptx)]\n#[macro_use]\npub mod qualifier;\n";
    files::write(&copy.join("src/lib.rs"), format!("{attributes}pub mod mask;\npub mod raw;\n")).unwrap();
    let raw = fs::read_to_string(root.join("src/raw/mod.rs")).unwrap();
    let is_other = |line: &&str| {
        let family =
            line.trim_start_matches("#[macro_use] ").strip_prefix("mod ").or(line.strip_prefix("pub use "));
        family.is_none_or(|family| family.starts_with("macros;") || family.starts_with(FAMILY))
    };
    // Puts an attribute and its module on one line.
    let raw = raw.replace("#[macro_use]\nmod ", "#[macro_use] mod ");
    let raw: Vec<_> = raw.lines().filter(is_other).collect();
    files::write(&copy.join("src/raw/mod.rs"), raw.join("\n")).unwrap();
    let family = fs::read_to_string(root.join(format!("src/raw/{FAMILY}.rs"))).unwrap();
    files::write(&copy.join(format!("src/raw/{FAMILY}.rs")), format!("{family}\n{}", block("rust"))).unwrap();

    let probe = folder.join("probe");
    for file in ["Cargo.toml", "src/lib.rs"] {
        let text = fs::read_to_string(root.join("tests/device/probe").join(file)).unwrap();
        let text = text.replace("../../..", "../ptx");
        files::write(&probe.join(file), text).unwrap();
    }
    let module = Build::new(&probe, Arch::Sm90).run().unwrap_or_else(|error| panic!("{error:#}"));
    let rows = forms::rows(&module.text, Arch::Sm90).unwrap_or_else(|error| panic!("{error:#}"));
    let [_, added] = &rows[..] else { panic!("{} rows", rows.len()) };
    let all = forms::Form { targets: Arch::ALL.to_vec(), ..added.forms[0].clone() };
    assert_eq!(forms::Row { forms: vec![all], ..added.clone() }.golden(), block("ptx"));
}
