//! Every example of the typed layer's documentation compiles for the device, each function of it to the end: doctests
//! only check it for the host.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use xtask::device::{Arch, Build};

/// The examples of a source file: the lines of each fenced block of its doc comments, hidden ones too.
fn examples(source: &str) -> Vec<String> {
    let mut examples = Vec::new();
    let mut open: Option<Option<String>> = None;
    for line in source.lines() {
        let line = line.trim_start();
        let Some(doc) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else { continue };
        let doc = doc.strip_prefix(' ').unwrap_or(doc);
        if let Some(info) = doc.trim_start().strip_prefix("```") {
            open = match open {
                None => Some(matches!(info.trim(), "" | "rust").then(String::new)),
                Some(example) => {
                    examples.extend(example);
                    None
                }
            };
        } else if let Some(Some(example)) = &mut open {
            let shown = doc.strip_prefix("# ").or(doc.strip_prefix('#').filter(|rest| rest.is_empty()));
            example.push_str(shown.unwrap_or(doc));
            example.push('\n');
        }
    }
    examples
}

#[test]
fn examples_compile_for_the_device() {
    let mut text = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\n#![allow(dead_code, unused)]\n\
         #[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! { ptx::launch::trap() }\n\
         #[unsafe(no_mangle)]\npub extern \"ptx-kernel\" fn a_kernel_to_link_for() {}\n"
        .to_owned();
    let mut count = 0;
    let list = |folder: &Path| -> Vec<_> {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    };
    let src = xtask::root().join("src");
    let (folders, mut files): (Vec<_>, Vec<_>) = list(&src).into_iter().partition(|path| path.is_dir());
    // The typed layer alone.
    files.extend(folders.iter().filter(|folder| !folder.ends_with("raw")).flat_map(|folder| list(folder)));
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
        let module = file.with_extension("");
        let module = module.strip_prefix(&src).unwrap().to_string_lossy().replace('/', "_");
        for (i, example) in examples(&fs::read_to_string(file).unwrap()).iter().enumerate() {
            writeln!(text, "mod {module}_{i} {{\n{example}}}").unwrap();
            count += 1;
        }
    }
    assert!(count > 0);
    for arch in [Arch::Sm90a, Arch::Sm100a] {
        build(&text, arch);
    }
    println!("{count} examples");
}

fn build(text: &str, arch: Arch) {
    let folder = xtask::root().join("target/device/examples");
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"examples\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n\
         [dependencies]\nptx = {{ path = {:?}, default-features = false }}\n[features]\n\
         sm_90a = [\"ptx/sm_90a\"]\nsm_100a = [\"ptx/sm_100a\"]\n",
        xtask::root()
    );
    write_if_new(&folder.join("Cargo.toml"), &manifest);
    write_if_new(&folder.join("src/lib.rs"), text);
    let mut build = Build::new(&folder, arch);
    // Functions that nothing calls are compiled too.
    build.rustflags = vec!["-Clink-dead-code".into()];
    build.run().unwrap_or_else(|error| panic!("{error:#}"));
}

/// Cargo builds again what is newer.
fn write_if_new(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}

#[test]
fn blocks_are_found_and_hidden_lines_are_shown() {
    let source =
        "//! ```text\n//! no\n//! ```\n/// ```\n/// # use a;\n/// let b = 1;\n/// #\n/// ```\nfn f() {}\n";
    assert_eq!(examples(source), ["use a;\nlet b = 1;\n\n"]);
}
