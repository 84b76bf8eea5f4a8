//! Compiles every example in the documentation of the typed layer and in the book for the device, with code generation for each
//! of its functions. Doctests check the examples for the host only.

#[path = "support/blocks.rs"]
mod blocks;
mod support;

use std::collections::BTreeMap;
use std::fs;

use blocks::{Example, examples, list};
use support::ok;
use xtask::device::{self, Arch, Build};

/// Returns the names of the kernels that an example defines by `#[ptx::kernel]`.
fn kernels(example: &str) -> Vec<&str> {
    let defined = example.split("#[ptx::kernel(").skip(1);
    defined.filter_map(|rest| rest.split_once("fn ")?.1.split(['(', '<']).next()).collect()
}

/// Returns true if the module has a gate.
fn is_gated(module: &str) -> bool {
    let lib = fs::read_to_string(xtask::root().join("src/lib.rs")).unwrap();
    let (before, _) = lib.split_once(&format!("pub mod {module};")).unwrap_or_default();
    before.trim_end().lines().last().is_some_and(|line| line.starts_with("#[cfg(feature"))
}

#[test]
fn examples_compile_for_the_device() {
    let mut modules: Vec<(String, Vec<Example>)> = Vec::new();
    let src = xtask::root().join("src");
    let (folders, mut files): (Vec<_>, Vec<_>) = list(&src).into_iter().partition(|path| path.is_dir());
    // The raw layer is left out.
    files.extend(folders.iter().filter(|folder| !folder.ends_with("raw")).flat_map(|folder| list(folder)));
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
        let module = file.with_extension("");
        let module = module.strip_prefix(&src).unwrap().to_string_lossy().replace('/', "_");
        let mut examples = examples(&fs::read_to_string(file).unwrap());
        examples.iter_mut().for_each(|example| example.gated |= is_gated(&module));
        modules.push((module, examples));
    }
    modules.extend(blocks::of_book());
    let mut count = 0;
    // Each kernel is an entry of the one PTX module.
    let mut entries: BTreeMap<String, String> = BTreeMap::new();
    for (module, examples) in &modules {
        for Example { text, .. } in examples {
            for kernel in kernels(text) {
                let other = entries.insert(kernel.to_owned(), module.clone());
                assert_eq!(other, None, "`{module}` has another kernel `{kernel}`: rename one of the two");
            }
            count += 1;
        }
    }
    assert!(entries.len() > 10, "found only {} kernels in {count} examples", entries.len());
    let text = blocks::crate_of(&modules);
    for arch in [Arch::Sm90a, Arch::Sm100a] {
        build(&text, arch);
    }
    println!("{count} examples");
}

fn build(text: &str, arch: Arch) {
    let folder = ok(device::write_kernels("examples", text));
    let mut build = Build::new(&folder, arch);
    // The flag also compiles functions that nothing calls.
    build.crate_flags = vec!["-Clink-dead-code".into()];
    // `wgmma` and `tcgen05` are instructions of tensor cores.
    build.features.push("ptx/tensor".into());
    ok(build.run());
}

#[test]
fn blocks_are_found_and_hidden_lines_are_shown() {
    let source = "//! ```text\n//! no\n//! ```\n/// ```\n/// # use a;\n/// let b = 1;\n///   # c\n/// #\n/// ```\n\
         #[must_use]\n#[cfg(feature = \"sm_100\")]\nfn f() {}\n/// ```\n/// d\n/// ```\nfn g() {}\n";
    let example = |text: &str, gated| Example { text: text.into(), gated };
    assert_eq!(examples(source), [example("use a;\nlet b = 1;\nc\n\n", true), example("d\n", false)]);
}

#[test]
fn examples_are_compiled_for_targets_that_have_their_instructions() {
    let example = |text: &str, gated| Example { text: text.into(), gated };
    let all = [example("a", false), example("b", true), example("use ptx::wgmma::Zeros;", false)];
    let text = blocks::crate_of(&[("m".into(), all.into())]);
    let gate = |module: &str| {
        text.split_once(&format!("mod {module} ")).unwrap().0.lines().last().unwrap().to_owned()
    };
    assert_eq!(gate("m_0"), "pub extern \"ptx-kernel\" fn a_kernel_to_link_for() {}");
    assert_eq!(gate("m_1"), "#[cfg(feature = \"sm_100a\")]");
    assert_eq!(gate("m_2"), "#[cfg(feature = \"sm_90a\")]");
}

#[test]
fn blocks_of_a_page_are_found_and_kernels_are_named() {
    let page = "Prose.\n\n```rust\n# use a;\n#[ptx::kernel(threads = 32)]\npub fn first(cta: Cta) {}\n```\n\n\
         ```rust,no_run\nhost();\n```\n\n```text\nno\n```\n";
    let text = "use a;\n#[ptx::kernel(threads = 32)]\npub fn first(cta: Cta) {}\n";
    assert_eq!(blocks::examples_of_page(page), [Example { text: text.into(), gated: false }]);
    assert_eq!(kernels(text), ["first"]);
}
