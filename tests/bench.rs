//! Holds the kernels against their twins in CUDA C++: the machine code that ptxas makes of both.
//!
//! `BLESS=1 cargo test --test bench` lowers what `bench/excess.toml` allows to what is needed.

use xtask::bench;
use xtask::cuda::Tools;
use xtask::device::Build;
use xtask::toolchain::{Kind, Toolchain};

#[test]
fn kernels_are_as_lean_as_their_twins() {
    if let Err(error) = compare() {
        panic!("{error:#}");
    }
}

fn compare() -> anyhow::Result<()> {
    let toolchain = Toolchain::active()?;
    if toolchain.kind() != Kind::Pinned {
        println!(
            "the record is of the pinned toolchain, and this is {}: nothing is compared",
            toolchain.name()
        );
        return Ok(());
    }
    let tools = Tools::find_or_fetch()?;
    let rust = bench::figures(&tools, [&Build::new("kernels", bench::ARCH).run()?.text])?;
    let twins = bench::figures(&tools, &bench::twins()?)?;
    let pairs = bench::pairs(&rust, &twins);
    let mut excess = bench::read_excess()?;
    if std::env::var_os("BLESS").is_some() {
        excess = bench::lowered(&pairs, &excess);
        xtask::files::write(&bench::excess_path(), bench::excess_text(&excess)?)?;
    }
    let faults = bench::judge(&pairs, &excess);
    anyhow::ensure!(faults.is_empty(), "`./x bench` shows the figures of both:\n{}", faults.join("\n"));
    Ok(())
}
