//! The README's kernel builds for the device, in one call and by steps, and ptxas accepts both.

mod support;

use std::fs;

use support::ok;
use xtask::cuda::Tools;
use xtask::device::{self, Arch, Build};

#[test]
fn the_readmes_kernel_builds() {
    let readme = fs::read_to_string(xtask::root().join("README.md")).unwrap();
    let mut blocks = readme.split("```rust\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let (kernel, _) = blocks.next().expect("a kernel");
    let (steps, _) = blocks.next().expect("the kernel's loop by steps");
    assert!(kernel.lines().count() <= 30, "the README promises a short kernel");
    assert_ptxas_takes(kernel);

    let one_call =
        kernel.lines().find(|line| line.trim_start().starts_with("cta.finish(")).expect("one call");
    let by_steps = kernel.replace(one_call, steps);
    assert_ptxas_takes(&format!("{by_steps}\nuse ptx::pipeline::NextStage;\n"));
}

fn assert_ptxas_takes(kernel: &str) {
    let folder = ok(device::write_kernels("readme", kernel));
    let module = ok(Build::new(&folder, Arch::Sm90a).run());
    let tools = ok(Tools::find_or_fetch());
    let report = ok(tools.assemble(&module.path, Arch::Sm90a, &folder.join("readme.cubin")));
    assert_eq!(report.kernels.len(), 1);
    assert_eq!(report.kernels[0].faults(), [""; 0]);
}
