//! A Python program launches kernels by the library, on the emulated driver.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use xtask::device::{Arch, Build, workspace_library};
use xtask::toolchain::Toolchain;
use xtask::{emulator, ptx};

#[test]
fn a_python_program_launches_kernels_on_memory_and_a_stream_of_its_own() -> Result<()> {
    let toolchain = Toolchain::active()?;
    let images = tempfile::tempdir()?;
    let kernels = ptx::split(&Build::new("kernels", Arch::Sm90a).run()?.text)?;
    for name in ["matrix_product", "tensor_transpose"] {
        let kernel = kernels.iter().find(|kernel| kernel.name == name);
        let text = &kernel.with_context(|| format!("kernels/ has no {name}"))?.text;
        std::fs::write(images.path().join(format!("{name}-O3.ptx")), text)?;
    }
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/launches.py");
    let library = workspace_library(&toolchain, env!("CARGO_PKG_NAME"), "dev")?;
    let mut python = Command::new("python3");
    python.arg("-B").arg(program).arg(library).arg(images.path());
    python.env(emulator::SEARCH_PATH, emulator::search_path(&toolchain)?).env_remove("CUDA_VISIBLE_DEVICES");
    let output = python.output().context("cannot run python3")?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}\n{stdout}{stderr}", output.status);
    assert_eq!(stdout, "all right\n");
    Ok(())
}
