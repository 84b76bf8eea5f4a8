//! `./x row`.

use std::collections::BTreeSet;
use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use xtask::family;
use xtask::forms::{self, Form};
use xtask::golden::Golden;
use xtask::{files, index, judge, progress, root};

use super::Setup;

#[derive(Args)]
pub struct Options {
    /// The family: the name of a file in `src/raw`, without `.rs`
    family: String,
}

pub fn run(Options { family: name }: &Options) -> Result<ExitCode> {
    family::named(&BTreeSet::from([name.clone()]))?;
    let setup = Setup::ready()?;
    let folder = family::written(name, &BTreeSet::from([name.clone()]))?;
    if let Some(errors) = progress::step(&format!("checking {name} on the host"), || family::check(&folder))?
    {
        bail!("src/raw/{name}.rs does not compile for the host\n{errors}");
    }
    let rows = progress::step(&format!("compiling {name} for every target"), || forms::of_family(name))?;
    for row in &rows {
        ensure!(!row.forms.is_empty(), "{} has no form on any target", row.name);
    }
    judge::convergence(&rows)?;
    let written = index::forms(name)?;
    for (row, form) in rows.iter().flat_map(|row| row.forms.iter().map(move |form| (row, form))) {
        if let Some(other) = written.get(&form.instruction) {
            bail!(
                "`{}` is a form of {} and of {other}: an instruction has one row",
                form.instruction,
                row.name
            );
        }
    }

    let mut golden = Golden::blessed(&format!("raw/{name}"));
    for row in &rows {
        golden.check(&format!("{}.ptx", row.name), &row.golden())?;
    }
    let changes = golden.finish()?;
    print!("{}", changes.concat());

    let typed = index::typed();
    let text = index::text(index::entries()?, |name| typed.get(name).cloned().unwrap_or_default());
    files::write(&index::path(), text)?;
    files::write(&index::qualifiers_path(), index::qualifiers()?)?;

    let forms: Vec<&Form> = rows.iter().flat_map(|row| &row.forms).collect();
    let report = progress::step("checking with ptxas", || judge::judge(&setup.tools, &forms))?;
    println!("{report}{} rows, {} forms, {} golden files written", rows.len(), forms.len(), changes.len());
    // The test `the_forms_are_the_legal_forms` would report the same fault later, after a build of all families.
    let tests = fs::read_to_string(root().join("tests/golden.rs")).context("cannot read tests/golden.rs")?;
    ensure!(
        forms::LEGAL.iter().any(|(family, ..)| *family == name) || tests.contains(&format!("\"{name}\"")),
        "{name} is in no list of families: add it to `LEGAL` of `xtask/src/forms.rs` if it is of sections 9.7.9.25, 9.7.9.27 or \
         9.7.13, otherwise to `AROUND` of `tests/golden.rs`"
    );
    Ok(ExitCode::SUCCESS)
}
