//! Random kernels that the proof of `ptx-link` takes or refuses, run with the checks of collective calls.

use std::fmt;
use std::ops::Range;

use anyhow::{Result, anyhow};
use ptx_emu::{Device, Launch, Module, Options, Schedule, lay_out};
use xtask::device::{Arch, Build, OptLevel, write_kernels};
use xtask::uniform::random::{GRID, Kernel, ROWS, WORDS, crate_of, kernel};
use xtask::uniform::verdict;

/// The thread-instructions after which a run of a proven kernel is given up, and of a refused one, which may spin.
const LIMIT: u64 = 30_000_000;
const LIMIT_OF_REFUSED: u64 = 3_000_000;

/// What became of kernels.
#[derive(Default)]
pub struct Outcome {
    /// The kernels that the proof takes, and those of them that do not run clean, with the problem.
    pub proven: usize,
    pub wrong: Vec<(Kernel, String)>,
    /// The kernels that the proof refuses, and those of them that run clean, with the proof's message.
    pub refused: usize,
    pub clean: Vec<(Kernel, String)>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { proven, wrong, refused, clean } = self;
        write!(
            f,
            "{proven} proven, of which {} run wrong; {refused} refused, of which {} run clean",
            wrong.len(),
            clean.len()
        )
    }
}

/// Makes kernels, asks the proof about each, and runs each with the checks, under some inputs and schedules.
pub fn check(seed: u64, numbers: Range<usize>, opt_level: OptLevel) -> Result<Outcome> {
    let kernels: Vec<Kernel> = numbers.map(|number| kernel(seed, number)).collect();
    let source = crate_of(&kernels);
    let build =
        |name, source: &str| Ok::<_, anyhow::Error>(Build::new(write_kernels(name, source)?, Arch::Sm90a));
    let proof = verdict(&Build { opt_level, ..build("uniform_random", &source)? })?;
    let refusals = proof.err().unwrap_or_default();
    let stated = source.replace("#[ptx::kernel(", "#[ptx::kernel(unsafe(uniform), ");
    // Optimized, whatever the level of the proof: the checks take most of the time.
    // What LLVM makes of a refused kernel, in which threads part before a barrier, is not asked.
    let crate_flags = refusals.keys().map(|name| format!("-Clink-arg=--allow-moved={name}")).collect();
    let checked = Build {
        features: vec!["ptx/checked".into()],
        crate_flags,
        ..build("uniform_random_checked", &stated)?
    };
    let text = checked.run()?.text;
    let mut device = Device::new();
    let module = device.load(&text).map_err(|error| anyhow!("{error}"))?;

    let mut outcome = Outcome::default();
    for kernel in kernels {
        let refusal = refusals.get(&kernel.name);
        let limit = if refusal.is_some() { LIMIT_OF_REFUSED } else { LIMIT };
        let mut runs = (0..3).map(|run| problem(&device, &module, &kernel, limit, run));
        let problem = runs.find_map(Result::transpose).transpose()?;
        match (refusal, problem) {
            (None, problem) => {
                outcome.proven += 1;
                outcome.wrong.extend(problem.map(|problem| (kernel, problem)));
            }
            (Some(_), Some(_)) => outcome.refused += 1,
            (Some(message), None) => {
                outcome.refused += 1;
                outcome.clean.push((kernel, message.clone()));
            }
        }
    }
    Ok(outcome)
}

/// Runs a kernel on one of its inputs, and returns what the interpreter says against it.
fn problem(
    device: &Device,
    module: &Module,
    kernel: &Kernel,
    limit: u64,
    run: u64,
) -> Result<Option<String>> {
    let mut device = device.clone();
    let mut rng = fastrand::Rng::with_seed(run);
    let mut words = |count: usize, most: u32| -> Vec<u8> {
        (0..count).flat_map(|_| rng.u32(..most).to_le_bytes()).collect()
    };
    let [n, input] = [words(1, 6), words(WORDS, 9)];
    let [input, out, rows] = [input, words(WORDS, 1), words(ROWS[0] * ROWS[1], 1)].map(|bytes| {
        let address = device.allocate(bytes.len());
        device.write(address, &bytes).map(|()| address)
    });
    let address = |memory: Option<u64>| memory.ok_or_else(|| anyhow!("the device has no memory"));
    let slice = |memory| {
        Ok::<_, anyhow::Error>([address(memory)?.to_le_bytes(), (WORDS as u64).to_le_bytes()].concat())
    };
    let extents = ROWS.map(|extent| (extent as u32).to_le_bytes()).concat();
    let rows = [&address(rows)?.to_le_bytes()[..], &extents].concat();
    let (input, out) = (slice(input)?, slice(out)?);
    let parameters =
        module.parameters(&kernel.name).ok_or_else(|| anyhow!("the module has no `{}`", kernel.name))?;
    let params = lay_out(parameters, &[&n, &input, &out, &rows]);
    let launch = Launch { params, ..Launch::new(GRID, kernel.threads) };
    let options = Options { schedule: Schedule::of(run), limit, findings: 1, ..Options::default() };
    let report = device.launch(module, &kernel.name, &launch, &options)?;
    Ok((!report.is_clean()).then(|| format!("run {run}: {report}")))
}
