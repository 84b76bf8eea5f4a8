//! `./x forms`.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use xtask::device::Arch;
use xtask::forms::{self, Part, Row};
use xtask::progress;

#[derive(Args)]
pub struct Options {
    /// Compile for this target only, repeatable; `sm_100a` has the most forms
    #[arg(long, value_name = "ARCH")]
    arch: Vec<Arch>,
    /// Count the forms of this version of the PTX ISA and older ones only
    #[arg(long, value_name = "VERSION", value_parser = version)]
    isa: Option<(u32, u32)>,
    /// Print each form on a line, as in the golden files
    #[arg(long, conflicts_with = "json")]
    list: bool,
    /// Print each form as JSON
    #[arg(long)]
    json: bool,
}

fn version(text: &str) -> Result<(u32, u32), String> {
    let parts =
        text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    parts.ok_or_else(|| format!("`{text}` is not a version of the PTX ISA: write `9.2`"))
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let (archs, probes) = match &options.arch[..] {
        [] => {
            (Arch::ALL.to_vec(), progress::step("compiling every form for every target", forms::probe_all)?)
        }
        archs => {
            let probe = |&arch: &Arch| Ok((arch, forms::probe(arch, Part::All)?));
            let all = || forms::by_two(archs, probe).into_iter().collect::<Result<Vec<_>>>();
            (archs.to_vec(), progress::step("compiling every form", all)?)
        }
    };
    let mut rows = forms::union(&probes)?;
    if let Some(isa) = options.isa {
        rows.iter_mut().for_each(|row| row.forms.retain(|form| form.isa <= isa));
        rows.retain(|row| !row.forms.is_empty());
    }
    let text = if options.list {
        let mut lines = Vec::new();
        for row in &rows {
            let mut of_row: Vec<_> = row.forms.iter().map(|form| row.line(form)).collect();
            of_row.sort();
            lines.append(&mut of_row);
        }
        lines.join("\n")
    } else if options.json {
        serde_json::to_string_pretty(&json(&rows))?
    } else {
        table(&rows, &archs).to_string()
    };
    match writeln!(std::io::stdout().lock(), "{text}") {
        // A reader such as `head` closes the pipe early.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A form as JSON.
#[derive(Serialize)]
struct Entry<'a> {
    family: &'a str,
    instruction: &'a str,
    section: &'a str,
    isa: String,
    form: &'a str,
    targets: Vec<&'static str>,
}

fn json(rows: &[Row]) -> Vec<Entry<'_>> {
    let forms = rows.iter().flat_map(|row| row.forms.iter().map(move |form| (row, form)));
    forms
        .map(|(row, form)| Entry {
            family: &row.family,
            instruction: &row.name,
            section: &row.section,
            isa: forms::shown(form.isa),
            form: &form.instruction,
            targets: form.targets.iter().map(|arch| arch.name()).collect(),
        })
        .collect()
}

fn table(rows: &[Row], archs: &[Arch]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let columns: Vec<usize> =
        (0..Arch::ALL.len()).filter(|&column| archs.contains(&Arch::ALL[column])).collect();
    let names = columns.iter().map(|&column| Arch::ALL[column].to_string());
    table.set_header(["family".to_owned()].into_iter().chain(names));
    let (mut total, mut chapters) = ([0; Arch::ALL.len()], [0; Arch::ALL.len()]);
    let mut add = |family: &str, counts: [usize; Arch::ALL.len()]| {
        let cells = columns.iter().map(|&column| counts[column].to_string());
        table.add_row([family.to_owned()].into_iter().chain(cells));
    };
    for (family, counts) in forms::counts(rows) {
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        if forms::LEGAL.iter().any(|(other, ..)| *other == family) {
            chapters.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        }
        add(family, counts);
    }
    add("all", total);
    add("of 9.7.9.25, 9.7.9.27, 9.7.13", chapters);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
