//! The proof of uniform control flow: `ptx-link` refuses each kernel of `tests/device/uniform/refused`, and proves each of
//! `tests/device/uniform/proven`, at two opt-levels.

mod support;

use std::fs;

use support::ok;
use xtask::device::{self, Arch, Build, LinkerChoice, OptLevel};
use xtask::uniform::{Corpus, PROVEN, REFUSED, Refusals, verdict};

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

/// Builds a crate at both levels, whose source follows the usual attributes and imports. Returns what the linker says of each kernel
/// that is refused.
fn refusals(name: &str, source: &str) -> [Refusals; 2] {
    let head = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\nuse ptx::group::Cta;\n";
    let folder = ok(device::write_kernels(name, &format!("{head}{source}")));
    LEVELS.map(|level| ok(verdict(&build(&folder.to_string_lossy(), level))).err().unwrap_or_default())
}

/// A value that formats itself by a statement, and a kernel of the same name in which one thread panics with it.
fn printed(name: &str, statement: &str) -> String {
    format!(
        "mod {name} {{\nuse core::fmt::{{self, Display, Formatter}};\nuse ptx::group::Cta;\n\
         struct Printed<'a>(&'a Cta, fn(&Cta));\n\
         impl Display for Printed<'_> {{\n\
             fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {{ {statement} f.write_str(\"printed\") }}\n\
         }}\n\
         fn count(cta: &Cta) {{ cta.sync_count(true); }}\n\
         fn nothing(_: &Cta) {{}}\n\
         #[ptx::kernel(threads = 64)]\n\
         pub fn {name}(cta: Cta) {{\n\
             let called = if {by_pointer} {{ count }} else {{ nothing }};\n\
             if cta.thread_rank() == 3 {{ panic!(\"{{}}\", Printed(&cta, called)); }}\n\
             cta.sync();\n\
         }}\n}}\n",
        by_pointer = name == "by_a_pointer",
    )
}

#[test]
fn what_a_panic_prints_is_looked_at() {
    let wrong = [
        ("collective", "self.0.sync();", "makes a collective call"),
        ("endless", "while self.0.thread_rank() > 0 {}", "has a loop"),
        ("by_a_pointer", "(self.1)(self.0);", "count`, which makes a collective call"),
    ];
    // What prints and does no more, also by the code of `core`, is proven.
    let right = "write!(f, \"{} {:?} {:.3}\", self.0.thread_rank(), Some('x'), 0.1_f32)?;";
    let kernels: String = wrong.iter().map(|(name, statement, _)| printed(name, statement)).collect();
    let source = kernels + &printed("right", right);
    for refused in refusals("uniform_printed", &format!("ptx::panic_handler!(print);\n{source}")) {
        for (name, _, said) in wrong {
            let message = refused.get(name).unwrap_or_else(|| panic!("`{name}` is proven"));
            assert!(message.contains("a panic may run `") && message.contains(said), "{message}");
            assert!(
                message.contains("`ptx::panic_handler!()`") && message.contains(" at src/lib.rs:"),
                "{message}"
            );
        }
        assert!(!refused.contains_key("right"), "{refused:?}");
    }
    // A handler that traps at once runs none of it.
    for refused in refusals("uniform_trapping", &format!("ptx::panic_handler!();\n{source}")) {
        assert!(refused.is_empty(), "{refused:?}");
    }
}

#[test]
fn a_panic_handler_of_ones_own_proves_nothing() {
    let source = "#[panic_handler]\nfn panic(_: &core::panic::PanicInfo<'_>) -> ! {\n    loop {}\n}\n\
        #[ptx::kernel(threads = 64)]\n\
        pub fn panics(cta: Cta, n: u32) {\n    assert!(cta.thread_rank() != n);\n    cta.sync();\n}\n";
    for refused in refusals("uniform_handler", source) {
        assert!(refused["panics"].contains("`ptx::panic_handler!()`"), "{refused:?}");
    }
}

/// A name makes no function one of `core`, of LLVM or of the driver.
#[test]
fn names_prove_nothing() {
    let source = "ptx::panic_handler!();\n\
        #[unsafe(export_name = \"_ZN4core9panicking4sync17h0123456789abcdefE\")]\n#[inline(never)]\n\
        pub fn sync(cta: &Cta) {\n    cta.sync();\n}\n\
        #[unsafe(no_mangle)]\n#[inline(never)]\n\
        pub fn __nvvm_again(cta: &Cta, n: u32) {\n    if n > 0 {\n        cta.sync();\n        __nvvm_again(cta, n - 1);\n        cta.sync();\n    }\n}\n\
        #[ptx::kernel(threads = 64)]\n\
        pub fn by_a_name_of_a_panic(cta: Cta) {\n    if cta.thread_rank() == 3 {\n        sync(&cta);\n    }\n}\n\
        #[ptx::kernel(threads = 64)]\n\
        pub fn by_a_name_of_the_driver(cta: Cta) {\n    __nvvm_again(&cta, cta.thread_rank() % 3);\n}\n";
    for refused in refusals("uniform_names", source) {
        let names: Vec<_> = refused.keys().collect();
        assert_eq!(names, ["by_a_name_of_a_panic", "by_a_name_of_the_driver"], "{refused:?}");
    }
}

/// A dependency named `core`, with a function in a module `panicking`.
#[test]
fn a_crate_named_core_proves_nothing() {
    let root = xtask::root();
    let folder = root.join("target/device/uniform_core");
    let manifest = |name: &str, rest: &str| {
        format!(
            "[package]\nname = {name:?}\nedition = \"2024\"\n{rest}\n\
             [dependencies]\nptx = {{ path = {root:?}, default-features = false }}\n"
        )
    };
    let of_core = manifest("named_core", "[lib]\nname = \"core\"");
    let source = "#![no_std]\n#![forbid(unsafe_code)]\n\
        pub mod panicking {\n    #[inline(never)]\n    pub fn sync(cta: &ptx::group::Cta) {\n        cta.sync();\n    }\n}\n";
    ok(device::write_crate(&folder.join("core"), &of_core, source));
    let of_kernel = manifest("uniform_core", "[lib]\ncrate-type = [\"cdylib\"]\n[workspace]")
        + "another = { path = \"core\", package = \"named_core\" }\n";
    let source = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\nextern crate another;\nptx::panic_handler!();\n\
        #[ptx::kernel(threads = 64)]\npub fn in_a_crate_core(cta: ptx::group::Cta) {\n\
            if cta.thread_rank() == 3 {\n        another::panicking::sync(&cta);\n    }\n}\n";
    ok(device::write_crate(&folder, &of_kernel, source));
    for level in LEVELS {
        // `xtask/tests/device.rs` looks for a `core` among what is built for other targets.
        let build = Build { arch: Arch::Sm90, ..build(&folder.to_string_lossy(), level) };
        let Err(refusals) = ok(verdict(&build)) else { panic!("proven at opt-level {level:?}") };
        assert!(refusals.contains_key("in_a_crate_core"), "{refusals:?}");
    }
}

#[test]
fn module_asm_with_code_proves_nothing() {
    let asm = ".visible .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b) {{ barrier.cta.sync.aligned 0; ret; }}";
    let source = format!(
        "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\nuse ptx::group::Cta;\nptx::panic_handler!();\n\
         core::arch::global_asm!({asm:?});\n\
         #[ptx::kernel(threads = 64)]\npub fn prints(cta: Cta) {{\n    if cta.thread_rank() == 3 {{\n        ptx::println!(\"x\");\n    }}\n    cta.sync();\n}}\n"
    );
    let folder = ok(device::write_kernels("uniform_asm", &source));
    let error = Build::new(folder, Arch::Sm90a).run().expect_err("a refusal");
    let said = format!("{error:?}");
    assert!(said.contains("beside `global_asm!`") && said.contains("vprintf"), "{said}");
}
