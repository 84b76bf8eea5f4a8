//! The command line of `cargo ptx`.

mod asm;
mod bench;
mod build;
mod doctor;
mod forms;
mod listing;
mod new;
mod project;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Makes, builds and shows GPU kernels written with `ptx`
#[derive(Parser)]
#[command(name = "cargo ptx", bin_name = "cargo ptx", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    New(new::Options),
    Build(build::Options),
    Asm(asm::Options),
    Bench(bench::Options),
    Doctor(doctor::Options),
    Forms(forms::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse_from(arguments(std::env::args_os())).command {
        Command::New(options) => new::run(&options),
        Command::Build(options) => build::run(&options),
        Command::Asm(options) => asm::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Doctor(options) => doctor::run(&options),
        Command::Forms(options) => forms::run(&options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

/// Drops the `ptx` that cargo passes: `cargo ptx build` runs `cargo-ptx ptx build`.
fn arguments(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = given.into_iter().collect();
    if arguments.get(1).is_some_and(|argument| argument == "ptx") {
        arguments.remove(1);
    }
    arguments
}

/// Prints to stdout. A reader that has seen enough (`| head`) is not an error.
fn print(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn cargos_own_argument_is_dropped_once() {
        let read = |line: &str| arguments(line.split(' ').map(OsString::from)).join(" ".as_ref());
        assert_eq!(read("cargo-ptx ptx forms ptx"), "cargo-ptx forms ptx");
        assert_eq!(read("cargo-ptx forms ptx"), "cargo-ptx forms ptx");
    }
}
