//! Benchmarks of reductions, scans and approximations: kernels `fn(input: *const u32, output: *mut u32, n: u32)` with several
//! results per word.

use anyhow::{Context as _, Result, ensure};
use ptx_host::LaunchConfig;

use super::case::{Bench, Case, Timing, same_results};
use crate::kernels::input;
use crate::math_checks::{self, FUNCTIONS, RESULTS};
use crate::memory::{address, slice};

const WORDS: usize = 1 << 20;
const THREADS: u32 = 256;

pub fn cases() -> Vec<Case> {
    let case = |kernel, results| Case::new(kernel, "", move |bench| run(bench, kernel, results));
    vec![case("cta_reductions", RESULTS), case("math_functions", FUNCTIONS)]
}

fn run(bench: &Bench, kernel: &'static str, results: usize) -> Result<Timing> {
    const SEEDS: [u32; 2] = [0, 1];
    for side in &bench.sides {
        math_checks::check(bench.gpu, &side.loaded, kernel, &SEEDS).context(side.label)?;
    }
    let words = input(1, WORDS);
    let stream = &bench.gpu.stream;
    let source = stream.clone_htod(&words)?;
    let mut output = stream.alloc_zeros::<u32>(results * WORDS)?;
    let of_twin = (address(&source), address(&output), WORDS as u32);
    let slices = [slice(&source), slice(&output)];
    let config = LaunchConfig::new(WORDS as u32 / THREADS, THREADS);
    // SAFETY: these kernels read `n` words of the input and write their results per word; the output has room for them. The
    // grid has one thread per word.
    let launches = unsafe { bench.launches(kernel, &config, (slices[0], slices[1], of_twin.2), of_twin)? };
    same_results(&launches, |launch| {
        stream.memset_zeros(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    })?;
    ensure!(stream.clone_dtoh(&source)? == words, "the input was changed");
    bench.time(&launches, None)
}
