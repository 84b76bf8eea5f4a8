//! The command line of `./x`.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use commands::{bench, build, compare, forms, gpu, lint, row, test};

/// Builds, tests and measures `ptx`. Run as `./x`, which first installs what is missing.
#[derive(Parser)]
#[command(name = "x", bin_name = "./x")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compiles the kernels to PTX and cubins in target/ptx/ and judges them
    Build(build::Options),
    /// Runs the tests of the workspace
    Test(test::Options),
    /// Runs the kernels on a GPU of this machine, or makes a folder that does so on another
    Gpu(gpu::Options),
    /// Compares the kernels with their twins in CUDA C++: machine code, and times where there is a GPU
    Bench(bench::Options),
    /// Compares the PTX instructions of the pinned toolchain with those of Debian's
    Compare(compare::Options),
    /// Counts the forms of the raw layer by family and target, or lists them
    Forms(forms::Options),
    /// Compiles one family of the raw layer, writes its golden files and its lines of the index, and asks ptxas of every form
    Row(row::Options),
    /// Lets clippy read the device crates as they are compiled for a GPU
    Clippy(lint::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Build(options) => build::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Gpu(options) => gpu::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Compare(options) => compare::run(&options),
        Command::Forms(options) => forms::run(&options),
        Command::Row(options) => row::run(&options),
        Command::Clippy(options) => lint::run(&options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("x: {error:#}");
        ExitCode::FAILURE
    })
}
