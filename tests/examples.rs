//! Compiles every example in the documentation of the typed layer and in the book for the device, with code generation for each
//! of its functions. Doctests check the examples for the host only.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use support::ok;
use xtask::device::{self, Arch, Build};

/// An example, including its hidden lines.
#[derive(Debug, Default, PartialEq)]
struct Example {
    text: String,
    /// True if the documented item has a gate.
    gated: bool,
}

/// Returns the examples of a source file: the lines of each fenced block in its doc comments.
fn examples(source: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut open: Option<Option<Example>> = None;
    // The first example of the current doc comment, whose item follows.
    let mut pending = 0;
    for line in source.lines() {
        let line = line.trim_start();
        let Some(doc) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            if line.starts_with("#[cfg(") && line.contains("feature = \"sm_1") {
                examples[pending..].iter_mut().for_each(|example| example.gated = true);
            } else if !line.starts_with("#[") {
                pending = examples.len();
            }
            continue;
        };
        let doc = doc.strip_prefix(' ').unwrap_or(doc);
        if let Some(info) = doc.trim_start().strip_prefix("```") {
            open = match open {
                None => Some(matches!(info.trim(), "" | "rust").then(Example::default)),
                Some(example) => {
                    examples.extend(example);
                    None
                }
            };
        } else if let Some(Some(example)) = &mut open {
            let bare = doc.trim_start();
            let shown = bare.strip_prefix("# ").or(bare.strip_prefix('#').filter(|rest| rest.is_empty()));
            example.text.push_str(shown.unwrap_or(doc));
            example.text.push('\n');
        }
    }
    examples
}

/// Returns the examples of a page of the book: its blocks of `rust`. A block with more words, such as `rust,no_run`, is not for
/// the device: the doctests of `ptx-host` compile that block.
fn examples_of_page(page: &str) -> Vec<Example> {
    examples(&page.lines().map(|line| format!("/// {line}\n")).collect::<String>())
}

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
    let mut text = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\n#![allow(dead_code, unused)]\n\
         ptx::panic_handler!();\n\
         #[unsafe(no_mangle)]\npub extern \"ptx-kernel\" fn a_kernel_to_link_for() {}\n"
        .to_owned();
    let mut modules: Vec<(String, Vec<Example>)> = Vec::new();
    let list = |folder: &Path| -> Vec<_> {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    };
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
    for file in list(&xtask::root().join("docs/book/src")) {
        if let Some(page) = file.file_name().and_then(|name| name.to_str()?.strip_suffix(".md")) {
            let examples = examples_of_page(&fs::read_to_string(&file).unwrap());
            modules.push((format!("book_{page}"), examples));
        }
    }
    let mut count = 0;
    // Each kernel is an entry of the one PTX module.
    let mut entries: BTreeMap<String, String> = BTreeMap::new();
    for (module, examples) in &modules {
        for (i, Example { text: example, gated }) in examples.iter().enumerate() {
            let gate = if *gated { "#[cfg(feature = \"sm_100a\")]\n" } else { "" };
            for kernel in kernels(example) {
                let other = entries.insert(kernel.to_owned(), module.clone());
                assert_eq!(other, None, "`{module}` has another kernel `{kernel}`: rename one of the two");
            }
            // Statements need a function around them, as rustdoc adds one.
            let statements = example.lines().any(|line| line.starts_with("let ") || line.ends_with(");"));
            let is_body = statements && !example.contains("fn ");
            let (open, close) = if is_body { ("fn example() {", "}") } else { ("", "") };
            writeln!(text, "{gate}mod {module}_{i} {{\n{open}\n{example}{close}}}").unwrap();
            count += 1;
        }
    }
    assert!(entries.len() > 10, "found only {} kernels in {count} examples", entries.len());
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
fn blocks_of_a_page_are_found_and_kernels_are_named() {
    let page = "Prose.\n\n```rust\n# use a;\n#[ptx::kernel(unsafe(uniform), threads = 32)]\npub fn first(cta: Cta) {}\n```\n\n\
         ```rust,no_run\nhost();\n```\n\n```text\nno\n```\n";
    let text = "use a;\n#[ptx::kernel(unsafe(uniform), threads = 32)]\npub fn first(cta: Cta) {}\n";
    assert_eq!(examples_of_page(page), [Example { text: text.into(), gated: false }]);
    assert_eq!(kernels(text), ["first"]);
}
