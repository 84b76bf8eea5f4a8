//! The kernel of the README builds for the device as it stands there, and ptxas takes it.

use std::fs;

use xtask::cuda::Tools;
use xtask::device::{Arch, Build};
use xtask::files;

#[test]
fn the_readmes_kernel_builds() {
    let readme = fs::read_to_string(xtask::root().join("README.md")).unwrap();
    let (_, from) = readme.split_once("```rust\n").expect("a kernel");
    let (kernel, _) = from.split_once("```").expect("the kernel's end");
    assert!(kernel.lines().count() <= 40, "the README promises a short kernel");

    let folder = xtask::root().join("target/device/readme");
    let manifest = format!(
        "[package]\nname = \"readme\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n\
         [dependencies]\nptx = {{ path = {:?} }}\n[features]\nsm_90a = [\"ptx/sm_90a\"]\n",
        xtask::root()
    );
    files::write(&folder.join("Cargo.toml"), manifest).unwrap();
    files::write(&folder.join("src/lib.rs"), kernel).unwrap();
    let module = Build::new(&folder, Arch::Sm90a).run().unwrap_or_else(|error| panic!("{error:#}"));
    let tools = Tools::find_or_fetch().unwrap_or_else(|error| panic!("{error:#}"));
    let report = tools
        .assemble(&module.path, Arch::Sm90a, &folder.join("readme.cubin"))
        .unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(report.kernels.len(), 1);
    assert_eq!(report.kernels[0].faults(), [""; 0]);
}
