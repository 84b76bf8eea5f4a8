//! Running other programs.

use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

/// Runs a command and gives what it printed; a failure carries the command and all of its stderr.
pub fn run(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("cannot run {}", shown(command)))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}\n{}", shown(command), output.status, stderr.trim_end());
    }
    Ok(output)
}

/// The command as one would type it, without its environment.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}
