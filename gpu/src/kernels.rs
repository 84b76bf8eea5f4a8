//! Checks of the kernels of `kernels/` on words: all except `axpy_bulk`, the kernels on floats and those that take tensor maps.

use anyhow::{Context as _, Result};
use ptx::shared::{DynamicShared, SharedArray};
use ptx_host::{LaunchConfig, Module};

use crate::check::{Check, Finding, Gpu};
use crate::guard::{GUARD, POISON, compare};
use crate::image;
use crate::options::Options;

/// A kernel `fn(input: *const u32, output: *mut u32, n: u32)`, where `n` is the length of the input in words.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// Name of the kernel. The images are `<name>-*.ptx` and `<name>-*.cubin`.
    pub name: &'static str,
    /// Thread blocks in x and y, thread blocks per cluster in x and y (0 for no cluster), and threads per block.
    pub grid: ([u32; 2], [u32; 2], u32),
    /// Dynamic shared memory in bytes.
    pub dynamic_shared: u32,
    /// Returns the words of the input for a seed.
    pub words: fn(seed: u32) -> usize,
    /// Returns the expected output for an input. The output is zero before the launch and has this length.
    pub expected: fn(input: &[u32]) -> Vec<u32>,
}

/// All kernels of this form.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        name: "cluster_groups",
        grid: ([4, 2], [4, 2], 128),
        dynamic_shared: 0,
        words: |seed| 1024 * (1 + seed as usize % 64),
        expected: cluster_groups,
    },
    Kernel {
        name: "cluster_histogram",
        grid: ([8, 1], [4, 1], 128),
        dynamic_shared: 0,
        words: |seed| 101 * (1 + seed as usize % 80) + ((seed as usize % 3) << 17),
        expected: cluster_histogram,
    },
    Kernel {
        name: "cluster_mirror",
        grid: ([8, 1], [4, 1], 128),
        dynamic_shared: 0,
        words: |_| 8 * 512,
        expected: cluster_mirror,
    },
    Kernel {
        name: "cluster_atomics",
        grid: ([8, 1], [4, 1], 128),
        dynamic_shared: 0,
        // The sizes range from a few words to several words per thread.
        words: |seed| 1 + seed as usize * 61 % 1536,
        expected: cluster_atomics,
    },
    Kernel {
        name: "cluster_exchange",
        grid: ([8, 1], [4, 1], 128),
        dynamic_shared: 0,
        words: |_| 10 * 512,
        expected: cluster_exchange,
    },
    Kernel {
        name: "cluster_forward",
        grid: ([8, 1], [4, 1], 128),
        dynamic_shared: 0,
        words: |_| 8 * 512,
        expected: cluster_forward,
    },
    Kernel {
        name: "atomic_histogram",
        grid: ([4, 1], [0, 0], 128),
        dynamic_shared: 0,
        words: |seed| seed as usize * 997 + 1,
        expected: atomic_histogram,
    },
    Kernel {
        name: "atomic_operations",
        grid: ([4, 1], [0, 0], 128),
        dynamic_shared: 0,
        words: |seed| seed as usize * 37 + 1,
        expected: atomic_operations,
    },
    Kernel {
        name: "barrier_handoff",
        grid: ([1, 1], [0, 0], 160),
        dynamic_shared: 0,
        words: |seed| 256 * (1 + seed as usize % 40),
        expected: barrier_handoff,
    },
    Kernel {
        name: "bulk_reduce_columns",
        grid: ([4, 1], [0, 0], 128),
        dynamic_shared: 0,
        // The sizes include fewer rows than blocks, an odd number of rows, and many rows.
        words: |seed| COLUMNS * (1 + seed as usize * 7 % 103),
        expected: column_sums,
    },
    Kernel {
        name: "cp_async_stencil",
        grid: ([4, 1], [0, 0], 128),
        dynamic_shared: 0,
        // The sizes include no whole tile of 512, whole tiles, and an incomplete tile.
        words: |seed| 1 + seed as usize * 2309 % 20_011,
        expected: stencil,
    },
    Kernel {
        name: "cp_async_shift",
        grid: ([3, 1], [0, 0], 128),
        dynamic_shared: 0,
        // The sizes include no whole tile of 512, whole tiles, many tiles per CTA, and an incomplete tile.
        words: |seed| 1 + seed as usize * 2309 % 20_011,
        expected: |input| (0..input.len()).map(|i| input.get(i + 3).copied().unwrap_or(0)).collect(),
    },
    Kernel {
        name: "fence_last_cta",
        grid: ([6, 1], [0, 0], 128),
        dynamic_shared: 0,
        words: |seed| 1 + seed as usize * 977 % 10_007,
        expected: fence_last_cta,
    },
    Kernel {
        name: "mbarrier_reverse",
        grid: ([3, 1], [0, 0], 128),
        dynamic_shared: 0,
        words: |seed| 512 * (1 + seed as usize % 20),
        expected: |input| input.chunks(512).flat_map(|tile| tile.iter().rev().copied()).collect(),
    },
    Kernel {
        name: "pipeline_multicast",
        grid: ([4, 2], [2, 2], 128),
        dynamic_shared: 0,
        // The sizes include fewer tiles than blocks, and enough tiles to use each stage again.
        words: |seed| 512 * (seed as usize * 7 % 103) + 1,
        expected: pipeline_multicast,
    },
    Kernel {
        name: "pipeline_products",
        grid: ([4, 4], [2, 2], 128),
        dynamic_shared: 0,
        words: |seed| 8 * 512 * (seed as usize % 20),
        expected: pipeline_products,
    },
    Kernel {
        name: "pipeline_scan",
        grid: ([3, 1], [0, 0], 160),
        dynamic_shared: 0,
        // The sizes include fewer tiles than blocks, and many tiles.
        words: |seed| 512 * (1 + seed as usize * 7 % 103),
        expected: |input| input.chunks(512).flat_map(running_sums).collect(),
    },
    Kernel {
        name: "pipeline_sum",
        grid: ([4, 1], [0, 0], 128),
        dynamic_shared: 0,
        // The largest size has enough tiles to use each stage again.
        words: |seed| 512 * (seed as usize * 7 % 103) + 1,
        expected: pipeline_sum,
    },
    Kernel {
        name: "shared_gather",
        grid: ([1, 1], [0, 0], 128),
        dynamic_shared: DynamicShared::bytes_for::<(SharedArray<u32, 4096>,)>(),
        words: |seed| 1 + seed as usize * 41 % 4096,
        expected: |input| (0..input.len()).map(|i| input[(7 * i + 3) % input.len()]).collect(),
    },
    Kernel {
        name: "warp_segmented_sum",
        grid: ([3, 1], [0, 0], 112),
        dynamic_shared: 0,
        words: |_| 3 * 112,
        expected: |input| input.chunks(112).flat_map(|cta| cta.chunks(32)).flat_map(segmented_sum).collect(),
    },
];

/// Returns the count of each low byte.
fn atomic_histogram(input: &[u32]) -> Vec<u32> {
    let mut bins = vec![0; 256];
    for word in input {
        bins[*word as usize % 256] += 1;
    }
    bins
}

/// Returns sums, minima, maxima and counts, in the order of the kernel's views.
fn atomic_operations(input: &[u32]) -> Vec<u32> {
    let n = input.len();
    let sum = |f: fn(u32) -> u32| input.iter().fold(0, |sum: u32, word| sum.wrapping_add(f(*word)));
    let halves = |bits: u64| [bits as u32, (bits >> 32) as u32];
    let longs: Vec<i64> = input.iter().map(|word| i64::from(*word)).collect();
    let total = sum(|word| word);
    let mut output = vec![total, input.iter().copied().max().unwrap_or(0)];
    output.extend([n as u32 % 10, (10 - n as u32 % 10) % 10]);
    output.push(input.iter().fold(0, |any, word| any | word & 0x5555_5555));
    output.push(input.iter().fold(0, |odd, word| odd ^ word));
    output.push(sum(|word| word.wrapping_mul(word)));
    // The last ticket wraps around to 0, and its thread reads the complete sum.
    output.extend([input.iter().fold(0, |clear, word| clear | !(word | 0xff)), 0, total]);
    output.extend([(sum(|word| word & 0xff) as f32).to_bits(), 0]);
    output.extend(halves(longs.iter().map(|word| word - (1 << 31)).sum::<i64>() as u64));
    output.extend(halves(longs.iter().map(|word| word << 20).max().unwrap_or(0).max(0) as u64));
    output.extend(halves(n as u64));
    output.extend(halves(longs.iter().fold(0, |odd, word| odd ^ (*word as u64) << 7)));
    output.extend(
        [n as u32, sum(|word| word & 1), sum(|word| word & 2), sum(|word| word & 4)]
            .map(|sum| (sum as f32).to_bits()),
    );
    output.extend(halves((longs.iter().sum::<i64>() as f64).to_bits()));
    output.push(n as u32 % (1 << 16));
    output.push(input.iter().map(|word| *word as i32).min().unwrap_or(0).min(0) as u32);
    output
}

/// Returns the sums of every sixth word, the number of those sums, and the total.
fn fence_last_cta(input: &[u32]) -> Vec<u32> {
    let mut sums = vec![0_u32; 6];
    for (i, word) in input.iter().enumerate() {
        sums[i % 6] = sums[i % 6].wrapping_add(*word);
    }
    let total = sums.iter().fold(0_u32, |total, sum| total.wrapping_add(*sum));
    sums.extend([6, total]);
    sums
}

/// Returns the inclusive prefix sums.
fn running_sums(words: &[u32]) -> Vec<u32> {
    let add = |sum: &mut u32, word: &u32| {
        *sum = sum.wrapping_add(*word);
        Some(*sum)
    };
    words.iter().scan(0, add).collect()
}

/// Returns, per thread of the grid, the sums of words `j`, `j + 96`, … of every fourth tile. The first warp only loads.
fn pipeline_sum(input: &[u32]) -> Vec<u32> {
    let mut sums = vec![0_u32; 4 * 128];
    for (index, tile) in input.as_chunks::<512>().0.iter().enumerate() {
        for (i, word) in tile.iter().enumerate() {
            let sum = &mut sums[index % 4 * 128 + 32 + i % 96];
            *sum = sum.wrapping_add(*word);
        }
    }
    sums
}

/// Returns, per thread, a hash of the sums of its row and its column in each round, in a cluster of 4 × 2 blocks.
fn cluster_groups(input: &[u32]) -> Vec<u32> {
    let mut hashes = vec![0_u32; 8 * 128];
    for round in input.as_chunks::<1024>().0 {
        let blocks = round.as_chunks::<128>().0;
        let of = |block: usize| blocks[block].iter().fold(0, |sum: u32, word| sum.wrapping_add(*word));
        for (block, hashes) in hashes.as_chunks_mut::<128>().0.iter_mut().enumerate() {
            let row = (0..4).fold(0, |sum: u32, x| sum.wrapping_add(of(block / 4 * 4 + x)));
            let column = of(block).wrapping_add(of((block + 4) % 8));
            for hash in hashes {
                *hash =
                    [row, column].iter().fold(*hash, |hash, sum| hash.wrapping_mul(31).wrapping_add(*sum));
            }
        }
    }
    hashes
}

/// Returns, per thread, the sums of the tiles of its row, its column and its cluster, in adjacent clusters of 2 × 2 blocks.
fn pipeline_multicast(input: &[u32]) -> Vec<u32> {
    let mut sums = vec![0_u32; 8 * 128];
    let (tiles, _) = input.as_chunks::<512>();
    for (block, sums) in sums.as_chunks_mut::<128>().0.iter_mut().enumerate() {
        let (x, y) = (block % 4, block / 4);
        for (first, step, factor) in [(x / 2 * 2 + y, 4, 1), (x, 4, 3), (x / 2, 2, 5)] {
            for (i, word) in tiles.iter().skip(first).step_by(step).flat_map(|tile| tile.iter().enumerate()) {
                let sum = &mut sums[32 + i % 96];
                *sum = sum.wrapping_add(word.wrapping_mul(factor));
            }
        }
    }
    sums
}

/// Returns, per thread, the sum of the products of the tiles of its row and of its column.
fn pipeline_products(input: &[u32]) -> Vec<u32> {
    let mut sums = vec![0_u32; 16 * 128];
    for round in input.as_chunks::<{ 8 * 512 }>().0 {
        let (tiles, _) = round.as_chunks::<512>();
        for (block, sums) in sums.as_chunks_mut::<128>().0.iter_mut().enumerate() {
            for (i, (a, b)) in tiles[block / 4].iter().zip(&tiles[4 + block % 4]).enumerate() {
                let sum = &mut sums[32 + i % 96];
                *sum = sum.wrapping_add(a.wrapping_mul(*b));
            }
        }
    }
    sums
}

/// Returns, for each of two clusters and each byte, the number of the cluster's words whose low byte is less.
fn cluster_histogram(input: &[u32]) -> Vec<u32> {
    let mut starts = vec![0; 2 * 256];
    for (i, word) in input.iter().enumerate() {
        let cluster = i / (4 * 128) % 2;
        for start in &mut starts[256 * cluster + 1 + (word % 256) as usize..256 * (cluster + 1)] {
            *start += 1;
        }
    }
    starts
}

/// Returns the tiles of each cluster in reverse order; then, per thread, three times the sum of its four words of all tiles.
fn cluster_mirror(input: &[u32]) -> Vec<u32> {
    let tiles = input.as_chunks::<512>().0;
    let mut words: Vec<u32> = (0..8).flat_map(|b| tiles[b ^ 3]).collect();
    for thread in 0..128 {
        let four = |tile: &[u32; 512]| {
            tile[4 * thread..4 * thread + 4].iter().fold(0_u32, |a, b| a.wrapping_add(*b))
        };
        words.push(tiles.iter().map(four).fold(0_u32, u32::wrapping_add).wrapping_mul(3));
    }
    words
}

/// Returns the arrays of each CTA after every word was applied, in the kernel's order.
fn cluster_atomics(input: &[u32]) -> Vec<u32> {
    let long = |word: &u32| (u64::from(*word) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let flag = |word: &u32| (word & 1) as f32;
    // Bits that are set and bits that are cleared, one per word.
    let mut longs = [0_u64; 48 + 18 + 18];
    longs[24..48].fill(!0);
    longs[50..58].fill(!0);
    longs[68..76].fill(i64::MAX as u64);
    longs[76..84].fill(i64::MIN as u64);
    // Eight pairs of `bf16`: per residue, the number of odd words and the number of words.
    let mut brains = [[0.0_f32; 2]; 8];
    for (j, word) in input.iter().enumerate() {
        let (long, signed) = (long(word), long(word) as i64);
        longs[j / 64] |= 1 << (j % 64);
        longs[24 + j / 64] &= !(1 << (j % 64));
        for at in [48, 66] {
            longs[at] = longs[at].wrapping_add(long);
            longs[at + 1] ^= long;
        }
        longs[50 + j % 8] = longs[50 + j % 8].min(long);
        longs[58 + j % 8] = longs[58 + j % 8].max(long);
        longs[68 + j % 8] = (longs[68 + j % 8] as i64).min(signed) as u64;
        longs[76 + j % 8] = (longs[76 + j % 8] as i64).max(signed) as u64;
        brains[j % 8][0] += flag(word);
        brains[j % 8][1] += 1.0;
    }
    let halves = |bits: u64| [bits as u32, (bits >> 32) as u32];
    let mut cta: Vec<u32> = longs.iter().flat_map(|&long| halves(long)).collect();
    cta.extend([input.iter().fold(0_u32, |sum, word| sum.wrapping_add(*word)), 0]);
    let flags: f32 = input.iter().map(flag).sum();
    cta.push(flags.to_bits());
    cta.extend(halves(input.iter().map(|&word| f64::from(word)).sum::<f64>().to_bits()));
    cta.push(u32::from(half(input.len() as u32)) | u32::from(half(flags as u32)) << 16);
    cta.extend(brains.map(|[odd, all]| odd.to_bits() >> 16 | all.to_bits() & 0xffff_0000));
    cta.push(input.len() as u32);
    cta.extend(halves(input.len() as u64));
    cta.extend(halves(input.iter().fold(0, |odd, word| odd ^ long(word))));
    cta.push(0);
    cta.repeat(8)
}

/// Returns the bits of the half-precision float of an integer below 2048.
fn half(n: u32) -> u16 {
    match n.checked_ilog2() {
        None => 0,
        Some(exponent) => ((15 + exponent) << 10 | (n << (10 - exponent)) & 0x3ff) as u16,
    }
}

/// Returns the words that the kernel computes, with the kernel's formula.
fn cluster_exchange(input: &[u32]) -> Vec<u32> {
    let word = |cluster: usize, rank: usize, i: usize| input[512 * (4 * cluster + rank % 4) + i];
    let sum = |terms: &mut dyn Iterator<Item = u32>| terms.fold(0, u32::wrapping_add);
    let ring = |cluster, rank, i| {
        sum(&mut (0..4).map(|j| word(cluster, rank + 4 - j, i).wrapping_mul(j as u32 + 1)))
    };
    let thread = |cluster, rank, t| sum(&mut (4 * t..4 * t + 4).map(|i| ring(cluster, rank, i)));
    let mut output = Vec::new();
    for (cluster, rank) in (0..8).map(|block| (block / 4, block % 4)) {
        for i in 0..512 {
            let t = i / 4;
            let all = sum(&mut (0..4).map(|rank| thread(cluster, rank, t)));
            let partner = thread(cluster, rank ^ 1, t).wrapping_add(t as u32);
            output.push(
                (ring(cluster, rank, i) ^ input[512 * (8 + cluster) + i])
                    .wrapping_add(word(cluster, rank + 2, i).wrapping_mul(3))
                    .wrapping_add(all)
                    .wrapping_sub(partner.wrapping_mul(5)),
            );
        }
    }
    output
}

/// Returns the words that the kernel computes, with the kernel's formula.
fn cluster_forward(input: &[u32]) -> Vec<u32> {
    let sum = |terms: &mut dyn Iterator<Item = u32>| terms.fold(0, u32::wrapping_add);
    let mut output = Vec::new();
    for (cluster, rank) in (0..8).map(|block| (block / 4, block % 4)) {
        for i in 0..512 {
            let word = |rank: usize| input[512 * (4 * cluster + rank % 4) + i];
            let weighted = |weight: &dyn Fn(usize) -> usize| {
                sum(&mut (0..4).map(|j| word(rank + 4 - j).wrapping_mul(weight(j) as u32)))
            };
            let sums = |rank: usize| {
                let others = (0..4).filter(|&other| other != rank);
                sum(&mut others.map(|other| word(other + 1))).wrapping_add(i as u32)
            };
            output.push(
                (weighted(&|j| j + 1) ^ weighted(&|j| 4 - j))
                    .wrapping_add(sums(rank).wrapping_mul(3))
                    .wrapping_sub((sums(rank ^ 1) ^ (7 * i as u32)).wrapping_mul(5)),
            );
        }
    }
    output
}

/// Returns, per consumer (64), a sum over all tiles `t`: a word whose position moves on with `t`, times `t + 1`, and a fixed
/// word.
fn barrier_handoff(input: &[u32]) -> Vec<u32> {
    let mut sums = vec![0_u32; 64];
    for (t, tile) in input.as_chunks::<256>().0.iter().enumerate() {
        for (c, sum) in sums.iter_mut().enumerate() {
            let turning = tile[(c + 64 * t) % 256].wrapping_mul(t as u32 + 1);
            *sum = sum.wrapping_add(turning).wrapping_add(tile[255 - c]);
        }
    }
    sums
}

/// Columns of `bulk_reduce_columns`.
const COLUMNS: usize = 512;

/// Returns the sum of each column, for rows of [`COLUMNS`] words.
pub fn column_sums(input: &[u32]) -> Vec<u32> {
    let mut sums = vec![0_u32; COLUMNS];
    for row in input.as_chunks::<COLUMNS>().0 {
        for (sum, x) in sums.iter_mut().zip(row) {
            *sum = sum.wrapping_add(*x);
        }
    }
    sums
}

/// Returns, per lane of a warp, the number of earlier words with the same key (three bits) plus the sum of all words with that
/// key, XOR the inclusive prefix sum of all words.
fn segmented_sum(warp: &[u32]) -> Vec<u32> {
    let add = |sum: u32, word: &u32| sum.wrapping_add(*word);
    let same = |words: &[u32], key: u32| -> Vec<u32> {
        words.iter().copied().filter(|word| word & 7 == key & 7).collect()
    };
    let lanes = warp.iter().enumerate().map(|(lane, &word)| {
        let before = same(&warp[..lane], word).len() as u32;
        let sum = same(warp, word).iter().fold(before, add);
        sum ^ warp[..=lane].iter().fold(0, add)
    });
    lanes.collect()
}

fn stencil(input: &[u32]) -> Vec<u32> {
    // The index before the first wraps to one past any end, where the value is 0 too.
    let x = |i: usize| input.get(i).copied().unwrap_or(0);
    let y = |i: usize| x(i.wrapping_sub(1)).wrapping_add(x(i).wrapping_mul(2)).wrapping_add(x(i + 1));
    (0..input.len()).map(y).collect()
}

pub const SEEDS: u32 = 100;

pub fn list(options: &Options) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for kernel in KERNELS {
        let seeds = options.seeds_of(SEEDS, &emulated(kernel));
        checks.extend(image::for_each(options, kernel.name, |image| {
            let seeds = image.seeds(options, &seeds);
            vec![Check::new(format!("{}/{}", kernel.name, image.label), options, move |gpu| {
                let module = Module::load(&gpu.context, &image.path)?;
                check(gpu, &module, kernel, &seeds)
            })]
        })?);
    }
    Ok(checks)
}

/// Returns the seeds of the least, the middle and the two greatest inputs that an emulated device runs in a short time. With the
/// greatest, each pipeline uses its stages again; one of the two has an odd number of rounds, if the kernel counts rounds.
fn emulated(of: &Kernel) -> Vec<u32> {
    const WORDS: usize = 32_768;
    let mut seeds: Vec<u32> = (0..SEEDS).filter(|seed| (of.words)(*seed) <= WORDS).collect();
    seeds.sort_by_key(|seed| (of.words)(*seed));
    let all = seeds.clone();
    seeds.dedup_by_key(|seed| (of.words)(*seed));
    let n = seeds.len();
    let mut chosen: Vec<u32> = [0, n / 2, n.saturating_sub(2), n.saturating_sub(1)]
        .into_iter()
        .filter_map(|at| seeds.get(at).copied())
        .collect();
    chosen.dedup();
    // A kernel with few sizes runs them with other data too.
    let others: Vec<u32> = all.into_iter().filter(|seed| !chosen.contains(seed)).collect();
    chosen.extend(others.into_iter().take(3usize.saturating_sub(chosen.len())));
    chosen.sort_by_key(|seed| (of.words)(*seed));
    chosen
}

/// Runs a kernel with the inputs of these seeds.
pub fn check(gpu: &Gpu, module: &Module, of: &Kernel, seeds: &[u32]) -> Result<Finding> {
    let kernel = module.kernel_by_name(of.name)?;
    let ([x, y], cluster, threads) = of.grid;
    let mut config = LaunchConfig::new((x, y, 1), threads).dynamic_shared(of.dynamic_shared);
    if cluster != [0, 0] {
        config = config.cluster((cluster[0], cluster[1], 1));
    }
    for &seed in seeds {
        let words = input(seed, (of.words)(seed));
        let expected = (of.expected)(&words);
        let n = expected.len();
        // The padding makes the address valid even for 0 words.
        let padded = [&words[..], &[POISON]].concat();
        let source = gpu.stream.clone_htod(&padded)?;
        let mut fill = vec![POISON; n + 2 * GUARD];
        fill[GUARD..GUARD + n].fill(0);
        let mut output = gpu.stream.clone_htod(&fill)?;
        let arguments = (&source, &mut output.slice_mut(GUARD..GUARD + n), words.len() as u32);
        // SAFETY: these kernels read `n` words of the input, write the expected output, and access nothing else.
        unsafe { kernel.launch(&gpu.stream, &config, arguments)? };
        gpu.wait()?;
        compare(&gpu.stream.clone_dtoh(&output)?, &expected).with_context(|| format!("seed {seed}"))?;
        anyhow::ensure!(gpu.stream.clone_dtoh(&source)? == padded, "seed {seed}: the input was changed");
    }
    Ok(format!("{} seeds", seeds.len()).into())
}

/// Returns pseudorandom words, different for each seed.
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
    use super::*;

    #[test]
    fn an_emulated_device_runs_each_kernel_on_inputs_of_several_lengths() {
        for kernel in KERNELS {
            let seeds = emulated(kernel);
            let words: Vec<_> = seeds.iter().map(|seed| (kernel.words)(*seed)).collect();
            assert!(seeds.len() >= 3 && words.is_sorted(), "{}: {words:?}", kernel.name);
            assert!(words.iter().all(|words| *words <= 32_768), "{}: {words:?}", kernel.name);
        }
    }

    #[test]
    fn whole_numbers_are_halves() {
        assert_eq!([0, 1, 2, 3, 1535, 2047].map(half), [0, 0x3c00, 0x4000, 0x4200, 0x65ff, 0x67ff]);
    }

    #[test]
    fn inputs_differ_by_seed_and_word() {
        let (a, b) = (input(1, 64), input(2, 64));
        assert!(a != b && a[1..] != a[..63]);
        assert_eq!(a, input(1, 64));
    }
}
