//! The examples of the documentation and of the book: their blocks of Rust, as modules of a device crate.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// An example, including its hidden lines.
#[derive(Debug, Default, PartialEq)]
pub struct Example {
    pub text: String,
    /// True if the documented item has a gate that a newer target opens.
    pub gated: bool,
}

impl Example {
    /// Returns the feature of the target that the example needs. Only sm_90a has `wgmma`, and an example that needs it names one of
    /// its types, or a type that it shares with `tcgen05`.
    fn feature(&self) -> Option<&'static str> {
        let names = |word: &&str| self.text.contains(word);
        match () {
            () if self.gated || self.text.contains("tcgen05") => Some("sm_100a"),
            () if ["wgmma", "Warpgroup", "TensorBlocksMut"].iter().any(names) => Some("sm_90a"),
            () => None,
        }
    }
}

/// Returns the examples of a source file: the lines of each fenced block in its doc comments.
pub fn examples(source: &str) -> Vec<Example> {
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
pub fn examples_of_page(page: &str) -> Vec<Example> {
    examples(&page.lines().map(|line| format!("/// {line}\n")).collect::<String>())
}

/// Returns the files of a folder, in order.
pub fn list(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns the examples of the pages of the book, each with the name of a module.
pub fn of_book() -> Vec<(String, Vec<Example>)> {
    let pages = list(&xtask::root().join("docs/book/src")).into_iter().filter_map(|file| {
        let page = file.file_name()?.to_str()?.strip_suffix(".md")?;
        Some((format!("book_{page}"), examples_of_page(&fs::read_to_string(&file).unwrap())))
    });
    pages.collect()
}

/// Returns the source of a device crate with a module for each example.
pub fn crate_of(modules: &[(String, Vec<Example>)]) -> String {
    let mut text = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\n#![allow(dead_code, unused)]\n\
         ptx::panic_handler!();\n\
         #[unsafe(no_mangle)]\npub extern \"ptx-kernel\" fn a_kernel_to_link_for() {}\n"
        .to_owned();
    for (module, examples) in modules {
        for (i, example) in examples.iter().enumerate() {
            let gate = example
                .feature()
                .map(|feature| format!("#[cfg(feature = {feature:?})]\n"))
                .unwrap_or_default();
            let example = &example.text;
            // Statements need a function around them, as rustdoc adds one.
            let statements = example.lines().any(|line| line.starts_with("let ") || line.ends_with(");"));
            let is_body = statements && !example.contains("fn ");
            let (open, close) = if is_body { ("fn example() {", "}") } else { ("", "") };
            writeln!(text, "{gate}mod {module}_{i} {{\n{open}\n{example}{close}}}").unwrap();
        }
    }
    text
}
