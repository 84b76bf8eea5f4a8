//! The proof of uniform control flow: `ptx-link` refuses each kernel of `tests/device/uniform/refused`, and proves each of
//! `tests/device/uniform/proven`, at the opt-levels at which rustc makes different code.

mod support;

use std::collections::BTreeSet;
use std::fs;

use support::ok;
use xtask::device::{self, Arch, Build, LinkerChoice, OptLevel};
use xtask::files;

/// The opt-levels of the dependencies and of the crate: rustc inlines nothing, inlines for speed, and inlines for size.
const LEVELS: [(OptLevel, &str); 3] = [(OptLevel::O0, "0"), (OptLevel::O3, "3"), (OptLevel::O3, "s")];

/// Returns the names of the kernels in the source of a crate.
fn kernels(folder: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in ok(files::under(&xtask::root().join(folder).join("src"))) {
        let source = fs::read_to_string(file).unwrap();
        let functions = source.split("#[ptx::kernel(").skip(1).filter_map(|rest| rest.split_once("pub fn "));
        names.extend(functions.filter_map(|(_, rest)| Some(rest.split_once('(')?.0.to_owned())));
    }
    names
}

fn build(folder: &str, (opt_level, of_crate): (OptLevel, &str)) -> Build {
    let crate_flags = vec![format!("-Copt-level={of_crate}")];
    Build { opt_level, crate_flags, ..Build::new(folder, Arch::Sm90a) }
}

#[test]
fn wrong_kernels_are_refused() {
    let folder = "tests/device/uniform/refused";
    let expected = kernels(folder);
    assert!(expected.len() > 60, "found {} kernels", expected.len());
    for level in LEVELS {
        let said =
            build(folder, level).run().map(|_| String::new()).unwrap_or_else(|error| format!("{error:?}"));
        let names = said.split('`').zip(said.split('`').skip(1));
        let refused: BTreeSet<_> = names
            .filter(|(_, after)| after.starts_with(": not proven"))
            .map(|(name, _)| name.to_owned())
            .collect();
        let missed: Vec<_> = expected.difference(&refused).collect();
        assert!(missed.is_empty(), "at opt-level {level:?} the proof takes {missed:?}\n{said}");
    }
}

#[test]
fn right_kernels_are_proven() {
    let folder = "tests/device/uniform/proven";
    let expected = kernels(folder);
    for level in LEVELS {
        let ptx = ok(build(folder, level).run()).text;
        assert!(!ptx.contains("ptx_mark"), "a mark is left at opt-level {level:?}");
        for name in &expected {
            assert!(ptx.contains(&format!(".entry {name}(")), "no `{name}` at opt-level {level:?}");
        }
    }
}

/// The PTX of a kernel that is proven is that of the kernel with its author's word.
#[test]
fn the_proof_leaves_no_trace() {
    let source = fs::read_to_string(xtask::root().join("tests/device/uniform/proven/src/lib.rs")).unwrap();
    let stated = source.replace("#[ptx::kernel(", "#[ptx::kernel(unsafe(uniform), ");
    let [proven, stated] = [source, stated].map(|source| {
        let folder = ok(device::write_kernels("uniform_twice", &source));
        ok(Build::new(folder, Arch::Sm90a).run()).text
    });
    assert_eq!(proven, stated);
}

#[test]
fn without_marks_nothing_is_proven() {
    let build = Build {
        linker: LinkerChoice::PtxLinkNoMarks,
        ..Build::new("tests/device/uniform/proven", Arch::Sm90a)
    };
    let said = format!("{:?}", build.run().expect_err("a refusal"));
    assert!(said.contains("`--no-marks` proves nothing") && said.contains("`by_a_parameter`"), "{said}");
}
