//! The proof of uniform control flow: `ptx-link` refuses each kernel of `tests/device/uniform/refused`, and proves each of
//! `tests/device/uniform/proven`, at two opt-levels.

mod support;

use std::fs;

use support::ok;
use xtask::device::{self, Arch, Build, LinkerChoice, OptLevel};
use xtask::uniform::{Corpus, PROVEN, REFUSED, verdict};

/// The opt-levels of the dependencies and of the crate: rustc inlines nothing, and inlines for speed. `./x uniform` has all levels.
const LEVELS: [(OptLevel, &str); 2] = [(OptLevel::O0, "0"), (OptLevel::O3, "3")];

fn build(folder: &str, (opt_level, of_crate): (OptLevel, &str)) -> Build {
    let crate_flags = Corpus::flags(of_crate);
    Build { opt_level, crate_flags, ..Build::new(folder, Arch::Sm90a) }
}

#[test]
fn wrong_kernels_are_refused() {
    let corpus = ok(Corpus::read(REFUSED));
    assert!(corpus.kernels.len() > 150, "found {} kernels", corpus.kernels.len());
    for level in LEVELS {
        let Err(refusals) = ok(verdict(&build(REFUSED, level))) else {
            panic!("all are proven at opt-level {level:?}")
        };
        let faults = corpus.faults(&refusals);
        assert!(faults.is_empty(), "at opt-level {level:?}:\n{}", faults.join("\n"));
    }
}

#[test]
fn right_kernels_are_proven() {
    let expected = ok(Corpus::read(PROVEN)).kernels;
    assert!(expected.len() > 50, "found {} kernels", expected.len());
    for level in LEVELS {
        let ptx = ok(build(PROVEN, level).run()).text;
        assert!(!ptx.contains("ptx_mark"), "a mark is left at opt-level {level:?}");
        for name in &expected {
            assert!(ptx.contains(&format!(".entry {name}(")), "no `{name}` at opt-level {level:?}");
        }
    }
}

/// The PTX of a kernel that is proven is that of the kernel with its author's word.
#[test]
fn the_proof_leaves_no_trace() {
    let path = xtask::root().join(PROVEN).join("src/groups.rs");
    let head = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\nptx::panic_handler!();\n";
    let kernels = fs::read_to_string(path).unwrap();
    let source = head.to_owned() + kernels.split_once('\n').unwrap().1;
    let stated = source.replace("#[ptx::kernel(", "#[ptx::kernel(unsafe(uniform), ");
    let [proven, stated] = [source, stated].map(|source| {
        let folder = ok(device::write_kernels("uniform_twice", &source));
        ok(Build::new(folder, Arch::Sm90a).run()).text
    });
    assert_eq!(proven, stated);
}

#[test]
fn without_marks_nothing_is_proven() {
    let build = Build { linker: LinkerChoice::PtxLinkNoMarks, ..Build::new(PROVEN, Arch::Sm90a) };
    let said = format!("{:?}", build.run().expect_err("a refusal"));
    assert!(said.contains("`--no-marks` proves nothing") && said.contains("`by_a_parameter`"), "{said}");
}
