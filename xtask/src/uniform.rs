//! The proof of uniform control flow, attacked: programs that it has to refuse, written by hand ([`Corpus`]), made of the kernels
//! ([`mutations`]), and random ones ([`random`]), of which it may take only those that run clean.

pub mod mutations;
pub mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result};

use crate::device::{Build, Module};
use crate::{files, root};

/// What the proof says of the kernels of a crate: the message on each kernel that is refused.
pub type Refusals = BTreeMap<String, String>;

/// The end of the name of a refused kernel in the linker's message.
const MESSAGE: &str = "`: not proven that control flow is uniform";

/// Builds a crate. Returns its PTX, or the refusals of the proof.
///
/// # Errors
///
/// If the build fails for another reason.
pub fn verdict(build: &Build) -> Result<Result<Module, Refusals>> {
    let error = match build.run() {
        Ok(module) => return Ok(Ok(module)),
        Err(error) => error,
    };
    let refusals = refusals(&format!("{error:?}"));
    if refusals.is_empty() {
        return Err(error);
    }
    Ok(Err(refusals))
}

/// Reads the refusals from the output of a link.
fn refusals(said: &str) -> Refusals {
    let mut refusals = Refusals::new();
    let mut message: Option<&mut String> = None;
    for line in said.lines() {
        if let Some((start, _)) = line.split_once(MESSAGE) {
            let name = start.rsplit('`').next().unwrap_or_default();
            message = Some(refusals.entry(name.to_owned()).or_default());
        } else if let Some(message) = &mut message
            && line.trim_start().starts_with(|c: char| c.is_ascii_lowercase())
        {
            message.extend([line.trim(), "\n"]);
        } else {
            message = None;
        }
    }
    refusals
}

/// The folder of the wrong programs.
pub const REFUSED: &str = "tests/device/uniform/refused";
/// The folder of programs that are proven.
pub const PROVEN: &str = "tests/device/uniform/proven";

/// The wrong programs of a crate.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The names of the kernels.
    pub kernels: BTreeSet<String>,
    /// The lines with the comment `// wrong` at their ends or below, as `control.rs:12:`. They have the calls that are made in a part
    /// of the threads, so the message on each kernel has to name one.
    pub wrong: BTreeSet<String>,
}

impl Corpus {
    /// Reads the source files of a crate in the repository.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn read(folder: &str) -> Result<Self> {
        let mut corpus = Self::default();
        for file in files::under(&root().join(folder).join("src"))? {
            let text =
                fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            corpus.add(&file.file_name().unwrap_or_default().to_string_lossy(), &text);
        }
        Ok(corpus)
    }

    /// Returns rustc's flags for the crate at an opt-level. The messages name the lines of calls.
    pub fn flags(opt_level: &str) -> Vec<String> {
        let flags = ["-Cdebuginfo=line-tables-only", "-Cstrip=none"].map(Into::into);
        flags.into_iter().chain([format!("-Copt-level={opt_level}")]).collect()
    }

    fn add(&mut self, file: &str, source: &str) {
        let functions = source.split("#[ptx::kernel(").skip(1).filter_map(|rest| rest.split_once("pub fn "));
        self.kernels.extend(functions.filter_map(|(_, rest)| Some(rest.split_once('(')?.0.to_owned())));
        for (line, number) in source.lines().zip(1..) {
            // Behind an opening brace, rustfmt puts a comment on a line of its own.
            let number = if line.trim_start().starts_with("//") { number - 1 } else { number };
            if line.ends_with("// wrong") {
                self.wrong.insert(format!("{file}:{number}:"));
            }
        }
    }

    /// Returns what is wrong with refusals: kernels that are proven, and kernels whose refusal names another line.
    pub fn faults(&self, refusals: &Refusals) -> Vec<String> {
        let fault = |name: &String| match refusals.get(name) {
            None => Some(format!("`{name}` is proven")),
            Some(message) if !self.wrong.iter().any(|place| message.contains(place.as_str())) => {
                Some(format!("`{name}` is refused, but the message names no line `// wrong`:\n{message}"))
            }
            Some(_) => None,
        };
        self.kernels.iter().filter_map(fault).collect()
    }
}
