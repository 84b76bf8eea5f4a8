//! `./x test`.

use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use super::Setup;

#[derive(Args)]
pub struct Options {
    /// Arguments of `cargo test`, in place of `--workspace` where they name packages
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "CARGO TEST ARGUMENTS")]
    arguments: Vec<String>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let mut cargo = setup.toolchain.cargo();
    cargo.arg("test");
    if !names_packages(&options.arguments) {
        cargo.arg("--workspace");
    }
    Err(cargo.args(&options.arguments).exec()).context("cannot run cargo")
}

fn names_packages(arguments: &[String]) -> bool {
    let of_cargo = arguments.iter().take_while(|argument| *argument != "--");
    of_cargo.into_iter().any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}

#[cfg(test)]
mod tests {
    use super::names_packages;

    #[test]
    fn packages_are_seen_before_the_tests_own_arguments() {
        let arguments = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(names_packages(&arguments("-p xtask name")));
        assert!(names_packages(&arguments("--package=xtask")));
        assert!(!names_packages(&arguments("name --release")));
        assert!(!names_packages(&arguments("name -- -p")));
    }
}
