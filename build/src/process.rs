//! Runs other programs.

use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

/// Runs a command and returns its output. The error of a failed command contains the command and its stderr.
pub fn run(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("cannot run {}", shown(command)))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}\n{}", shown(command), output.status, stderr.trim_end());
    }
    Ok(output)
}

/// Formats the command as typed in a shell, without its environment.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}
