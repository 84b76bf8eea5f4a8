//! The host library `ptx-host` on the emulated driver: streams, events, graphs, images, errors, and typed launches. The checks are
//! those that `ptx-gpu` runs on a GPU.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use xtask::device::{Arch, Build, workspace_program};
use xtask::toolchain::Toolchain;
use xtask::{emulator, ptx};

/// Runs the checks of `ptx-gpu` whose names contain one of `parts`, on the kernels of a folder.
fn run(folder: &Path, parts: &[&str]) -> Result<String> {
    let toolchain = Toolchain::active()?;
    let mut command = Command::new(workspace_program(&toolchain, "ptx-gpu", "dev")?);
    command.args(["--emulated=driver", "--dir"]).arg(folder).args(parts);
    command.env(emulator::SEARCH_PATH, emulator::search_path(&toolchain)?);
    command.env_remove("CUDA_VISIBLE_DEVICES");
    for variable in ["SEED", "SCHEDULES", "CHECK", "FINDINGS", "LIMIT", "READINGS", "TRACE"] {
        command.env_remove(format!("PTX_EMU_{variable}"));
    }
    let output = command.output()?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(
        output.status.success(),
        "{}\n{stdout}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(stdout)
}

fn last(stdout: &str) -> &str {
    stdout.lines().last().unwrap_or_default()
}

#[test]
fn all_checks_of_the_host_library_pass_but_that_of_a_hang() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let stdout = run(folder.path(), &["host/"])?;
    // Every call runs to its end, so none hangs.
    assert!(!stdout.contains("host/timeout"), "{stdout}");
    assert_eq!(last(&stdout), "15 passed, 0 failed, 0 skipped", "{stdout}");
    Ok(())
}

#[test]
fn typed_launches_order_their_memory_encode_maps_and_print() -> Result<()> {
    /// Launches that overlap, by types and by names; maps of the driver beside those of a kernel.
    const KERNELS: [&str; 4] = ["axpy", "launch_dependent", "tensor_retype", "tensor_transpose"];
    let folder = tempfile::tempdir()?;
    for (name, source) in [("launch", "tests/device/launch"), ("print", "tests/device/print")] {
        let text = Build::new(source, Arch::Sm90a).run()?.text;
        std::fs::write(folder.path().join(format!("{name}-O3.ptx")), text)?;
    }
    let kernels = ptx::split(&Build::new("kernels", Arch::Sm90a).run()?.text)?;
    for name in KERNELS {
        let kernel = kernels.iter().find(|kernel| kernel.name == name);
        let text = &kernel.with_context(|| format!("kernels/ has no {name}"))?.text;
        std::fs::write(folder.path().join(format!("{name}-O3.ptx")), text)?;
    }
    let names = KERNELS.map(|name| format!("{name}/O3"));
    let parts: Vec<&str> = names.iter().map(String::as_str).chain(["launch/O3", "print/O3"]).collect();
    let stdout = run(folder.path(), &parts)?;
    assert_eq!(last(&stdout), "14 passed, 0 failed, 0 skipped", "{stdout}");
    Ok(())
}
