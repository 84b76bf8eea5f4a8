//! Benchmarks of reductions, scans and approximations: kernels `fn(input: *const u32, output: *mut u32, n: u32)` with several
//! results per word.

use anyhow::{Context as _, Result, ensure};
use ptx_host::{DeviceBuffer, LaunchConfig};

use super::{Bench, Case, Timing, same_results};
use crate::kernels::input;
use crate::math_checks::{self, FUNCTIONS, RESULTS};

const WORDS: usize = 1 << 20;
const THREADS: u32 = 256;

pub fn cases() -> Vec<Case> {
    let case = |kernel: &'static str, results: usize| Case {
        kernel,
        variant: "",
        note: "",
        run: Box::new(move |bench| run(bench, kernel, results)),
    };
    vec![case("cta_reductions", RESULTS), case("math_functions", FUNCTIONS)]
}

fn run(bench: &Bench, kernel: &'static str, results: usize) -> Result<Timing> {
    const SEEDS: u32 = 2;
    for side in &bench.sides {
        math_checks::check(bench.gpu, &side.module, kernel, SEEDS).context(side.label)?;
    }
    let words = input(1, WORDS);
    let source = DeviceBuffer::from_slice(&bench.gpu.device, &words)?;
    let mut output = DeviceBuffer::<u32>::alloc(&bench.gpu.device, results * WORDS)?;
    let arguments = (source.as_slice().as_ptr(), output.as_mut_slice().as_mut_ptr(), WORDS as u32);
    let config = LaunchConfig::new(WORDS as u32 / THREADS, THREADS);
    // SAFETY: these kernels read `n` words of the input and write their results per word; the output has room for them. The
    // grid has one thread per word.
    let launches = unsafe { bench.launches(kernel, &config, arguments)? };
    same_results(&launches, |launch| {
        output.as_mut_slice().fill(0)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(output.as_slice().to_vec()?)
    })?;
    ensure!(source.as_slice().to_vec()? == words, "the input was changed");
    bench.time(&launches, None)
}
