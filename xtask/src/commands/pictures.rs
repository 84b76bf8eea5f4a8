//! `./x pictures`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use xtask::{files, pictures, root};

#[derive(Args)]
pub struct Options {
    /// A trace of `./x run pipeline_sum --no-twins --device emu --trace FILE`; without it, only the other pictures are drawn
    #[arg(value_name = "FILE")]
    trace: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let write = |name: &str, text: String| {
        let path = root().join("docs/book/src/img").join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    for (name, text) in pictures::computed() {
        write(name, text)?;
    }
    if let Some(trace) = &options.trace {
        let path = files::from_caller(trace);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        write("roles.svg", pictures::roles(&text)?)?;
    }
    Ok(ExitCode::SUCCESS)
}
