//! `./x emu`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::Args;
use xtask::toolchain::Toolchain;
use xtask::{emulator, files};

#[derive(Args)]
pub struct Options {
    /// The command, with its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let path = emulator::search_path(&Toolchain::active()?)?;
    let Some((program, arguments)) = options.command.split_first() else { return Ok(ExitCode::SUCCESS) };
    let mut command = Command::new(program);
    command.args(arguments).env(emulator::SEARCH_PATH, path).current_dir(files::from_caller(Path::new(".")));
    Err(command.exec()).with_context(|| format!("cannot run {}", program.to_string_lossy()))
}
