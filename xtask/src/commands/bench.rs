//! `./x bench`.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use xtask::bench::{self, Figures, Pair};
use xtask::device::Build;
use xtask::toolchain::Kind;
use xtask::{files, root};

use super::bundle::{self, Content, For};
use super::run::has_gpu;
use super::{Setup, module};

#[derive(Args)]
pub struct Options {
    /// Compare the machine code only, even if the machine has a GPU
    #[arg(long)]
    sass: bool,
    /// Further arguments of `ptx-gpu bench`
    #[arg(last = true, value_name = "PTX-GPU ARGUMENTS")]
    arguments: Vec<String>,
}

/// The lines before and after the table in `bench/README.md`.
const MARKS: [&str; 2] = ["<!-- ./x bench writes this table -->\n", "<!-- end of the table -->"];

pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let rust = module(&setup.toolchain, Build::new("kernels", bench::ARCH))?;
    let rust = bench::figures(&setup.tools, &rust.text)?;
    let twins = bench::figures(&setup.tools, &bench::twins()?)?;
    let pairs = bench::pairs(&rust, &twins);
    println!("{}", table(&pairs, presets::NOTHING));
    if setup.toolchain.kind() == Kind::Rustup {
        write_readme(&pairs)?;
    }
    if options.sass || !has_gpu() {
        return Ok(ExitCode::SUCCESS);
    }
    let folder = root().join("target/run/gpu");
    bundle::make(&setup, &folder, For::Gpu, &Content::default(), true)?;
    let mut program = bundle::program(&folder);
    program.arg("bench").args(&options.arguments);
    bundle::finish(program)
}

fn table(pairs: &[Pair], preset: &str) -> Table {
    let mut table = Table::new();
    table.load_preset(preset);
    table.set_header(["kernel", "SASS Rust / C++", "ratio", "barriers", "warp syncs", "registers"]);
    for Pair { kernel, rust, twin } in pairs {
        let both = |figure: fn(Figures) -> u32| {
            let shown = |side: Option<Figures>| side.map_or("–".into(), |side| figure(side).to_string());
            format!("{} / {}", shown(*rust), shown(*twin))
        };
        let ratio = match (rust, twin) {
            (Some(rust), Some(twin)) => {
                format!("{:.2}", f64::from(rust.instructions) / f64::from(twin.instructions))
            }
            _ => "–".into(),
        };
        table.add_row([
            kernel.clone(),
            both(|side| side.instructions),
            ratio,
            both(|side| side.barriers),
            both(|side| side.warp_syncs),
            both(|side| side.registers),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn write_readme(pairs: &[Pair]) -> Result<()> {
    let path = root().join("bench/README.md");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let table = table(pairs, presets::ASCII_MARKDOWN);
    let replaced = replace_between(&text, MARKS, &format!("{}\n", table.trim_fmt()));
    files::write(
        &path,
        replaced
            .with_context(|| format!("{} has no comments around the table: put them back", path.display()))?,
    )
}

fn replace_between(text: &str, [start, end]: [&str; 2], new: &str) -> Option<String> {
    let (before, rest) = text.split_once(start)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{start}{new}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_marks_is_replaced() {
        let [start, end] = MARKS;
        let text = format!("before\n{start}old\n{end}\nafter");
        assert_eq!(
            replace_between(&text, MARKS, "new\n").unwrap(),
            format!("before\n{start}new\n{end}\nafter")
        );
        assert_eq!(replace_between("before", MARKS, "new\n"), None);
    }

    #[test]
    fn a_kernel_without_a_twin_has_a_row() {
        let rust = Some(Figures { instructions: 21, ..Figures::default() });
        let of =
            |twin| table(&[Pair { kernel: "k".into(), rust, twin }], presets::ASCII_MARKDOWN).to_string();
        assert!(of(None).contains("21 / –"));
        assert!(of(Some(Figures { instructions: 10, ..Figures::default() })).contains("2.10"));
    }
}
