//! `./x uniform`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use xtask::device::{Arch, Build, OptLevel};
use xtask::uniform::mutations::{CHANGES, Module};
use xtask::uniform::{Corpus, PROVEN, REFUSED, verdict};

#[derive(Args)]
pub struct Options {}

/// The opt-levels of the dependencies and of the crate.
const LEVELS: [(OptLevel, &str); 6] = [
    (OptLevel::O0, "0"),
    (OptLevel::O1, "1"),
    (OptLevel::O2, "2"),
    (OptLevel::O3, "3"),
    (OptLevel::Os, "s"),
    (OptLevel::Oz, "z"),
];

pub fn run(_: &Options) -> Result<ExitCode> {
    let mut is_good = true;
    let corpus = Corpus::read(REFUSED)?;
    for (opt_level, name) in LEVELS {
        let build = Build { opt_level, crate_flags: Corpus::flags(name), ..Build::new(REFUSED, Arch::Sm90a) };
        let faults = corpus.faults(&verdict(&build)?.err().unwrap_or_default());
        println!("opt-level {name}: {} wrong programs, {} faults", corpus.kernels.len(), faults.len());
        faults.iter().for_each(|fault| println!("{fault}"));
        let right = Corpus::read(PROVEN)?.kernels.len();
        let refusals = verdict(&Build { crate_dir: PROVEN.into(), ..build })?.err().unwrap_or_default();
        println!("opt-level {name}: {right} right programs, {} refused", refusals.len());
        refusals.iter().for_each(|(kernel, message)| println!("`{kernel}` is refused:\n{message}"));
        is_good &= faults.is_empty() && refusals.is_empty();
    }
    let module = Module::of("kernels")?;
    for change in CHANGES {
        let (taken, count) = module.taken(change)?;
        println!("{change:?}: {count} mutants of {} kernels, {} proven", module.kernels.len(), taken.len());
        taken.iter().for_each(|mutant| println!("PROVEN, BUT WRONG: {mutant}"));
        is_good &= taken.is_empty() && count > 0;
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
