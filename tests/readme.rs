//! The kernel of the README builds for the device as it stands there, and ptxas takes it.

use std::fs;

use xtask::cuda::Tools;
use xtask::device::{Arch, Build};

#[test]
fn the_readmes_kernel_builds() {
    let readme = fs::read_to_string(xtask::root().join("README.md")).unwrap();
    let (_, from) = readme.split_once("```rust\n").expect("a kernel");
    let (kernel, _) = from.split_once("```").expect("the kernel's end");
    assert!(kernel.lines().count() <= 40, "the README promises a short kernel");

    let folder = xtask::root().join("target/device/readme");
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"readme\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n\
         [dependencies]\nptx = {{ path = {:?} }}\n[features]\nsm_90a = [\"ptx/sm_90a\"]\n",
        xtask::root()
    );
    write_if_new(&folder.join("Cargo.toml"), &manifest);
    write_if_new(&folder.join("src/lib.rs"), kernel);
    let module = Build::new(&folder, Arch::Sm90a).run().unwrap_or_else(|error| panic!("{error:#}"));
    let tools = Tools::find_or_fetch().unwrap_or_else(|error| panic!("{error:#}"));
    let report = tools
        .assemble(&module.path, Arch::Sm90a, &folder.join("readme.cubin"))
        .unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(report.kernels.len(), 1);
    assert_eq!(report.kernels[0].faults(), [""; 0]);
}

/// Cargo builds again what is newer.
fn write_if_new(path: &std::path::Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}
