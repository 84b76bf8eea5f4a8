//! The command line of `./x`.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use commands::{
    bench, build, bundle, compare, conformance, emu, forms, lint, mutate, newest, pictures, release, row,
    run, test, uniform,
};

/// Builds, tests and measures `ptx`. `./x` first installs the missing tools.
#[derive(Parser)]
#[command(name = "x", bin_name = "./x")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compiles the kernels to PTX and cubins in target/ptx/, and fails on spills or stack frames
    Build(build::Options),
    /// Runs the tests of the workspace
    Test(test::Options),
    /// Runs every kernel and checks every element: on a GPU of this machine, or else in the interpreter, which finds races too
    Run(run::Options),
    /// Makes a folder that runs, checks and times the kernels on another machine
    Bundle(bundle::Options),
    /// Runs a command, whose programs find an emulated device in place of a GPU
    Emu(emu::Options),
    /// Removes or weakens each fence, wait, barrier and arrival of the kernels, one at a time, and says whether the interpreter
    /// finds it
    Mutate(mutate::Options),
    /// Attacks the proof of uniform control flow, at every opt-level: wrong programs, and kernels with a collective call moved under
    /// a condition that differs between threads, which are all to be refused
    Uniform(uniform::Options),
    /// Compares the kernels with their twins in CUDA C++: machine code, and times if the machine has a GPU
    Bench(bench::Options),
    /// Compares the PTX instructions that the pinned toolchain and Debian's toolchain generate
    Compare(compare::Options),
    /// Runs every form of the raw layer in the interpreter, or makes a bundle that compares a GPU with it on another machine
    Conformance(conformance::Options),
    /// Counts the forms of the raw layer by family and target, or lists them
    Forms(forms::Options),
    /// Compiles one family of the raw layer, writes its golden files and its lines of the index, and checks every form with ptxas
    Row(row::Options),
    /// Draws the pictures of the book that are made of data: a swizzled tile, and a pipeline over time
    Pictures(pictures::Options),
    /// Installs the newest nightly that rustup has, and says what of `ptx` it does not compile
    Newest(newest::Options),
    /// Packages everything, then builds and tests a new project against the packages alone
    Release(release::Options),
    /// Runs clippy on the device crates as compiled for a GPU
    Clippy(lint::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Build(options) => build::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Bundle(options) => bundle::run(&options),
        Command::Emu(options) => emu::run(&options),
        Command::Mutate(options) => mutate::run(&options),
        Command::Uniform(options) => uniform::run(&options),
        Command::Pictures(options) => pictures::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Compare(options) => compare::run(&options),
        Command::Conformance(options) => conformance::run(&options),
        Command::Forms(options) => forms::run(&options),
        Command::Newest(options) => newest::run(&options),
        Command::Release(options) => release::run(&options),
        Command::Row(options) => row::run(&options),
        Command::Clippy(options) => lint::run(&options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("x: {error:#}");
        ExitCode::FAILURE
    })
}
