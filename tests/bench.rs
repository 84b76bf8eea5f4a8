//! Compares the kernels with their twins in CUDA C++ by the machine code that ptxas generates.
//!
//! `BLESS=1 cargo test --test bench` lowers the allowances in `bench/excess.toml` to what the kernels need, and writes the table of
//! `bench/README.md`.

use xtask::bench;
use xtask::cuda::Tools;
use xtask::device::Build;
use xtask::files;
use xtask::toolchain::{Kind, Toolchain};

#[test]
fn kernels_are_as_lean_as_their_twins() {
    if let Err(error) = compare() {
        panic!("{error:#}");
    }
}

fn compare() -> anyhow::Result<()> {
    let toolchain = Toolchain::active()?;
    if toolchain.kind() != Kind::Rustup {
        println!(
            "not compared: the allowances are those of the pinned toolchain, and this toolchain is {}",
            toolchain.name()
        );
        return Ok(());
    }
    let tools = Tools::find_or_fetch()?;
    let rust = bench::figures(&tools, &Build::new("kernels", bench::ARCH).run()?.text)?;
    let twins = bench::figures(&tools, &bench::twins()?)?;
    let pairs = bench::pairs(&rust, &twins);
    let mut excess = bench::read_excess()?;
    let mut readme = bench::read_readme()?;
    let counted = bench::with_table(&readme, &pairs)?;
    if std::env::var_os("BLESS").is_some() {
        excess = bench::lowered(&pairs, &excess);
        files::write(&bench::excess_path(), bench::excess_text(&excess)?)?;
        files::write(&bench::readme_path(), &counted)?;
        readme.clone_from(&counted);
    }
    let mut faults = bench::judge(&pairs, &excess);
    if readme != counted {
        faults.push(
            "the table of bench/README.md has other figures: run `./x bench --sass`, which writes it".into(),
        );
    }
    anyhow::ensure!(faults.is_empty(), "`./x bench` shows the figures of both:\n{}", faults.join("\n"));
    Ok(())
}
