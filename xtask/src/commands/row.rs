//! `./x row`.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use xtask::family;
use xtask::forms::Form;
use xtask::golden::Golden;
use xtask::{files, index, judge, progress};

use super::Setup;

#[derive(Args)]
pub struct Options {
    /// The family: the name of a file in `src/raw`, without `.rs`
    family: String,
}

pub fn run(Options { family: name }: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let rows = progress::step(&format!("compiling {name} for every target"), || family::rows(name))?;
    for row in &rows {
        ensure!(!row.forms.is_empty(), "{} has no form on any target", row.name);
    }
    judge::convergence(&rows)?;

    let mut golden = Golden::blessed(&format!("raw/{name}"));
    for row in &rows {
        golden.check(&format!("{}.ptx", row.name), &row.golden())?;
    }
    let changes = golden.finish()?;
    print!("{}", changes.concat());

    let typed = index::typed();
    let text = index::text(index::entries()?, |name| typed.get(name).cloned().unwrap_or_default());
    files::write(&index::path(), text)?;

    let forms: Vec<&Form> = rows.iter().flat_map(|row| &row.forms).collect();
    let report = progress::step("checking with ptxas", || judge::judge(&setup.tools, &forms))?;
    println!("{report}{} rows, {} forms, {} golden files written", rows.len(), forms.len(), changes.len());
    Ok(ExitCode::SUCCESS)
}
