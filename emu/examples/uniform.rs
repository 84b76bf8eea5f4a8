//! `cargo run -p ptx-emu --example uniform -- COUNT [SEED [FIRST]]`: makes COUNT random kernels, with collective calls, handles and
//! memory that is dealt out, and asks `ptx-link` for the proof of uniform control flow of each. Those that it proves must run clean
//! in the interpreter, with the feature `checked`; those that it refuses and that run clean are counted. With `--show`, prints the
//! refused kernels that run clean, and why they are refused.

#[path = "../tests/support/uniform.rs"]
mod uniform;

use std::process::ExitCode;

use anyhow::{Context, Result};
use xtask::device::OptLevel;

use uniform::{Outcome, check};

/// The kernels of a crate. rustc and LLVM start once for each crate.
const CRATE: usize = 200;

fn main() -> Result<ExitCode> {
    let (flags, numbers): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with('-'));
    let has = |wanted: &str| flags.iter().any(|flag| flag == wanted);
    let number = |at: usize, default: Option<u64>| match numbers.get(at) {
        Some(word) => word.parse().with_context(|| format!("`{word}` is no number")),
        None => default.context("usage: uniform COUNT [SEED [FIRST]] [--show]"),
    };
    let (count, seed, first) = (number(0, None)?, number(1, Some(1))?, number(2, Some(0))? as usize);
    let end = first + count as usize;
    let mut all = Outcome::default();
    for start in (first..end).step_by(CRATE) {
        let numbers = start..end.min(start + CRATE);
        let level = if start / CRATE % 4 == 3 { OptLevel::O0 } else { OptLevel::O3 };
        let outcome = check(seed, numbers.clone(), level)
            .with_context(|| format!("kernels {numbers:?} of seed {seed}, opt-level {}", level.name()))?;
        println!("kernels {numbers:?}: {outcome}");
        for (kernel, problem) in &outcome.wrong {
            println!("PROVEN, BUT WRONG, at opt-level {}:\n{}\n{problem}", level.name(), kernel.source);
        }
        if has("--show") {
            for (kernel, message) in &outcome.clean {
                println!("refused, but clean:\n{}\n{message}", kernel.source);
            }
        }
        all.proven += outcome.proven;
        all.refused += outcome.refused;
        all.wrong.extend(outcome.wrong);
        all.clean.extend(outcome.clean);
    }
    println!("{all}");
    Ok(if all.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
