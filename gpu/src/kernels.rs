//! The kernels of `kernels/` but for `axpy_bulk` and those that take tensor maps: one a module of `ptx`, each over many seeds.

use anyhow::{Context as _, Result};
use ptx_host::{DeviceBuffer, DevicePtr, LaunchConfig, Module};

use crate::check::{Check, Finding, Gpu};
use crate::cli::Options;
use crate::suite::{GUARD, POISON, compare};

/// A kernel `fn(input: *const u32, output: *mut u32, n: u32)`, `n` being the words of the input.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// Its name; its images are `<name>.ptx` and `<name>.cubin`.
    pub name: &'static str,
    /// Blocks, blocks a cluster (0 for none), and threads a block.
    pub grid: (u32, u32, u32),
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Words of the input, for a seed.
    pub words: fn(seed: u32) -> usize,
    /// The output, which is zero before; its length is that of `output`.
    pub expected: fn(input: &[u32]) -> Vec<u32>,
}

/// Every kernel.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        name: "mbarrier_reverse",
        grid: (3, 0, 128),
        dynamic_shared: 0,
        words: |seed| 512 * (1 + seed as usize % 20),
        expected: |input| input.chunks(512).flat_map(|tile| tile.iter().rev().copied()).collect(),
    },
    Kernel {
        name: "pipeline_sum",
        grid: (4, 0, 128),
        dynamic_shared: 0,
        words: |seed| 512 * (seed as usize % 50) + 1,
        expected: pipeline_sum,
    },
];

/// Words `j`, `j + 96`, … of each fourth tile; the first warp only loads.
fn pipeline_sum(input: &[u32]) -> Vec<u32> {
    let mut sums = vec![0_u32; 4 * 128];
    for (index, tile) in input.chunks_exact(512).enumerate() {
        for (i, word) in tile.iter().enumerate() {
            let sum = &mut sums[index % 4 * 128 + 32 + i % 96];
            *sum = sum.wrapping_add(*word);
        }
    }
    sums
}

pub const SEEDS: u32 = 100;

pub fn list(options: &Options) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let seeds = if options.quick { 2 } else { SEEDS };
    for kernel in KERNELS {
        for kind in ["ptx", "cubin"] {
            let image = options.dir()?.join(format!("{}.{kind}", kernel.name));
            let name = format!("{}/{kind}", kernel.name);
            checks.push(Check::new(name, options, move |gpu| {
                let module = Module::load(&gpu.device, &image)?;
                check(gpu, &module, kernel, seeds)
            }));
        }
    }
    Ok(checks)
}

fn check(gpu: &Gpu, module: &Module, of: &Kernel, seeds: u32) -> Result<Finding> {
    let kernel = module.kernel::<(DevicePtr<u32>, DevicePtr<u32>, u32)>(of.name)?;
    let (blocks, cluster, threads) = of.grid;
    let mut config = LaunchConfig::new(blocks, threads).dynamic_shared(of.dynamic_shared);
    if cluster > 0 {
        config = config.cluster(cluster);
    }
    for seed in 0..seeds {
        let words = input(seed, (of.words)(seed));
        let expected = (of.expected)(&words);
        let n = expected.len();
        let mut source = DeviceBuffer::from_slice(&gpu.device, &words)?;
        let mut fill = vec![POISON; n + 2 * GUARD];
        fill[GUARD..GUARD + n].fill(0);
        let mut output = DeviceBuffer::from_slice(&gpu.device, &fill)?;
        let pointers = (
            source.slice_mut(0..words.len())?.as_mut_ptr(),
            output.slice_mut(GUARD..GUARD + n)?.as_mut_ptr(),
        );
        // SAFETY: these kernels read `n` words of the input and write the output that they expect, nothing else.
        unsafe { kernel.launch(&gpu.stream, &config, (pointers.0, pointers.1, words.len() as u32))? };
        gpu.wait()?;
        compare(&output.as_slice().to_vec()?, &expected).with_context(|| format!("seed {seed}"))?;
        anyhow::ensure!(source.as_slice().to_vec()? == words, "seed {seed}: the input was changed");
    }
    Ok(format!("{seeds} seeds").into())
}

/// Words that look random, each its own at each seed.
pub fn input(seed: u32, words: usize) -> Vec<u32> {
    let mut state = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    };
    (0..words).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_table_has_every_kernel_of_the_crate() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/src");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let text: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let kernels = text.split("\"ptx-kernel\" fn ").skip(1);
        let mut kernels: Vec<&str> = kernels.map(|rest| rest.split_once('(').unwrap().0).collect();
        let others = ["axpy_bulk", crate::tensor_checks::KERNEL];
        let mut listed: Vec<&str> = KERNELS.iter().map(|kernel| kernel.name).chain(others).collect();
        kernels.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, kernels);
    }

    #[test]
    fn inputs_differ_by_seed_and_word() {
        let (a, b) = (input(1, 64), input(2, 64));
        assert!(a != b && a[1..] != a[..63]);
        assert_eq!(a, input(1, 64));
    }
}
