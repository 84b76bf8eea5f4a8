//! Benchmarks of kernels `fn(input: *const u32, output: *mut u32, n: u32)`: with the input sizes of their checks, or with much
//! data where the kernel allows it.

use anyhow::{Context as _, Result, ensure};
use ptx::launch::RawSlice;
use ptx_host::LaunchConfig;
use ptx_host::cudarc::driver::CudaStream;

use super::case::{Bench, Case, Timing, same_results};
use crate::device::Device as _;
use crate::gpu::Gpu;
use crate::kernels::{self, KERNELS, Kernel, input};
use crate::memory::address;

/// A kernel of [`KERNELS`], and how to time the kernel.
struct Words {
    kernel: &'static str,
    variant: &'static str,
    note: &'static str,
    /// Thread blocks per multiprocessor. If 0, `ctas` or else the check gives the grid.
    ctas_per_sm: u32,
    /// Thread blocks for a number of words, if it depends on that number.
    ctas: Option<fn(usize) -> u32>,
    words: usize,
    output: Output,
    /// Words read and written per word of the input. 0 for kernels that do not stream.
    traffic: usize,
}

/// Length of the output in words.
#[derive(Clone, Copy)]
enum Output {
    Fixed(usize),
    /// The length of the input.
    Same,
    /// One word per thread.
    Thread,
    /// One word per thread block, and two more words.
    Block,
}

/// Half a gigabyte: more than any L2 cache.
const LARGE: usize = 1 << 27;

const STREAM: Words = Words {
    kernel: "",
    variant: "",
    note: "",
    ctas_per_sm: 16,
    ctas: None,
    words: LARGE,
    output: Output::Same,
    traffic: 2,
};
const NATURAL: Words = Words { ctas_per_sm: 0, traffic: 0, ..STREAM };

const CASES: &[Words] = &[
    Words { kernel: "atomic_histogram", output: Output::Fixed(256), traffic: 1, ..STREAM },
    Words {
        kernel: "atomic_operations",
        note: "4 CTAs, which all change the same words",
        words: 1 << 10,
        output: Output::Fixed(28),
        ..NATURAL
    },
    Words {
        kernel: "barrier_handoff",
        note: "one CTA",
        words: 1 << 22,
        output: Output::Fixed(64),
        ..NATURAL
    },
    Words {
        kernel: "bulk_reduce_columns",
        ctas_per_sm: 8,
        words: 1 << 26,
        output: Output::Fixed(512),
        traffic: 1,
        ..STREAM
    },
    Words { kernel: "cp_async_shift", ..STREAM },
    // Each thread block has two tiles.
    Words { kernel: "cp_async_stencil", ctas_per_sm: 0, ctas: Some(|words| (words / 2048) as u32), ..STREAM },
    Words { kernel: "fence_last_cta", output: Output::Block, traffic: 1, ..STREAM },
    Words { kernel: "mbarrier_reverse", ..STREAM },
    Words { kernel: "pipeline_scan", ctas_per_sm: 8, ..STREAM },
    // The output holds the sums of one tile at most, so the grid has that many threads at most.
    Words { kernel: "pipeline_sum", ctas_per_sm: 3, output: Output::Thread, traffic: 1, ..STREAM },
    Words {
        kernel: "warp_segmented_sum",
        ctas_per_sm: 0,
        ctas: Some(|words| words.div_ceil(112) as u32),
        ..STREAM
    },
    Words { kernel: "shared_gather", note: "one CTA", words: 4096, ..NATURAL },
    Words {
        kernel: "cluster_histogram",
        variant: "large",
        note: "two clusters",
        words: (1 << 17) - 1,
        output: Output::Fixed(512),
        ..NATURAL
    },
    Words {
        kernel: "cluster_histogram",
        variant: "small",
        note: "two clusters",
        words: 1024,
        output: Output::Fixed(512),
        ..NATURAL
    },
    Words {
        kernel: "cluster_atomics",
        note: "two clusters",
        words: 1536,
        output: Output::Fixed(8 * 188),
        ..NATURAL
    },
    Words {
        kernel: "cluster_exchange",
        note: "two clusters",
        words: 10 * 512,
        output: Output::Fixed(8 * 512),
        ..NATURAL
    },
    Words {
        kernel: "cluster_mirror",
        note: "two clusters",
        words: 8 * 512,
        output: Output::Fixed(8 * 512 + 128),
        ..NATURAL
    },
    Words {
        kernel: "cluster_forward",
        note: "two clusters",
        words: 8 * 512,
        output: Output::Fixed(8 * 512),
        ..NATURAL
    },
    Words {
        kernel: "cluster_peers",
        note: "one cluster",
        words: 64 * 1024,
        output: Output::Fixed(8 * 128),
        ..NATURAL
    },
    Words {
        kernel: "pipeline_multicast",
        note: "two clusters",
        words: 1 << 20,
        output: Output::Thread,
        ..NATURAL
    },
    Words {
        kernel: "pipeline_products",
        note: "four clusters",
        words: 1 << 20,
        output: Output::Thread,
        ..NATURAL
    },
];

pub fn cases() -> Vec<Case> {
    let case = |of: &'static Words| Case {
        kernel: of.kernel,
        variant: of.variant,
        note: of.note,
        run: Box::new(move |bench| run(bench, of)),
    };
    CASES.iter().map(case).chain(OTHERS.iter().map(other)).collect()
}

/// Kernels that are not in [`KERNELS`], among them references in CUDA C++ only, of library quality: their check, and how to time
/// them.
const OTHERS: &[(Kernel, Words)] = &[
    // `library_checks` checks it in a chain of programmatic launches.
    (
        kernels::DEPENDENT,
        Words { kernel: "launch_dependent", note: "five CTAs", words: (1 << 16) - 1, ..NATURAL },
    ),
    // The reference for `bulk_reduce_columns`.
    (
        Kernel {
            name: "column_sums",
            config: || LaunchConfig::new(4, 512),
            run: |gpu, loaded, words, len| {
                kernels::run_words(gpu, words, len, |_, _, arguments| {
                    let kernel = Gpu::function(loaded, "column_sums")?;
                    // SAFETY: the kernel reads the words of the input and writes the output.
                    unsafe { gpu.launch_by_name(&kernel, &LaunchConfig::new(4, 512), arguments) }
                })
            },
            interpret: None,
            by_name: None,
            words: |seed| 512 * (1 + seed as usize * 7 % 103),
            expected: kernels::column_sums,
        },
        Words {
            kernel: "column_sums",
            ctas_per_sm: 4,
            words: 1 << 26,
            output: Output::Fixed(512),
            traffic: 1,
            ..STREAM
        },
    ),
    // The reference for `pipeline_sum`.
    (
        Kernel {
            name: "sum",
            config: || LaunchConfig::new(4, 256),
            run: |gpu, loaded, words, len| {
                kernels::run_words(gpu, words, len, |_, _, arguments| {
                    let kernel = Gpu::function(loaded, "sum")?;
                    // SAFETY: the kernel reads the words of the input and writes the output.
                    unsafe { gpu.launch_by_name(&kernel, &LaunchConfig::new(4, 256), arguments) }
                })
            },
            interpret: None,
            by_name: None,
            words: |seed| 1 + seed as usize * 2309 % 20_011,
            expected: |input| vec![input.iter().fold(0, |sum, word| sum.wrapping_add(*word))],
        },
        Words { kernel: "sum", ctas_per_sm: 8, output: Output::Fixed(1), traffic: 1, ..STREAM },
    ),
];

fn other((natural, of): &'static (Kernel, Words)) -> Case {
    Case {
        kernel: of.kernel,
        variant: of.variant,
        note: of.note,
        run: Box::new(move |bench| run_as(bench, of, natural)),
    }
}

fn run(bench: &Bench, of: &Words) -> Result<Timing> {
    let natural = KERNELS.iter().find(|kernel| kernel.name == of.kernel);
    run_as(bench, of, natural.with_context(|| format!("{} has no check", of.kernel))?)
}

fn run_as(bench: &Bench, of: &Words, natural: &'static Kernel) -> Result<Timing> {
    const SEEDS: [u32; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    for side in &bench.sides {
        kernels::check(bench.gpu, &side.loaded, natural, &SEEDS).context(side.label)?;
    }

    let mut config = (natural.config)();
    if of.ctas_per_sm > 0 {
        config.grid.x = of.ctas_per_sm * bench.gpu.multiprocessors()?;
    } else if let Some(ctas) = of.ctas {
        config.grid.x = ctas(of.words);
    }
    let (ctas, threads) = (config.grid.count() as usize, config.block.count() as usize);
    let output_words = match of.output {
        Output::Fixed(words) => words,
        Output::Same => of.words,
        Output::Thread => ctas * threads,
        Output::Block => ctas + 2,
    };
    let words = input(1, of.words);
    let stream = &bench.gpu.stream;
    let source = stream.clone_htod(&words)?;
    let zeroed = stream.clone_htod(&vec![0_u32; output_words])?;
    let mut output = stream.alloc_zeros::<u32>(output_words)?;
    let arguments = (address(&source), address(&output), of.words as u32);
    let memory = [(arguments.0, of.words), (arguments.1, output_words)]
        .map(|(address, len)| RawSlice { base: address as *mut u32, len });
    let put =
        move |kernel: &ptx_host::Kernel, stream: &CudaStream, config: &LaunchConfig| match natural.by_name {
            // SAFETY: as below.
            Some(by_name) => unsafe { by_name(kernel, stream, config, memory) },
            None => unreachable!("there is no such kernel, only a twin"),
        };
    // SAFETY: these kernels read `n` words of the input and write the output, whose length fits this grid. They accept any
    // words that earlier launches left in the output.
    let launches = unsafe { bench.launches_by(of.kernel, &config, put, arguments)? };
    same_results(&launches, |launch| {
        stream.memcpy_dtod(&zeroed, &mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    })?;
    ensure!(stream.clone_dtoh(&source)? == words, "the input was changed");
    bench.time(&launches, (of.traffic > 0).then_some(4 * of.traffic * of.words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_a_check() {
        for of in CASES {
            assert!(KERNELS.iter().any(|kernel| kernel.name == of.kernel), "{} has no check", of.kernel);
        }
        for (natural, of) in OTHERS {
            assert_eq!(natural.name, of.kernel);
        }
    }
}
