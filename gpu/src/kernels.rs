//! Checks of the kernels of `kernels/` on words: all except `axpy_bulk`, the kernels on floats and those that take tensor maps.

use anyhow::{Context as _, Result, ensure};
use ptx::launch::RawSlice;
use ptx_host::cudarc::driver::CudaStream;
use ptx_host::{Grid, LaunchConfig};

use crate::check::{self, Check, Finding};
use crate::device::{Device, Interpreter};
use crate::gpu::Gpu;
use crate::guard::compare_words;
use crate::options::Options;

/// A kernel that takes words and writes words. The twin is `fn(input: *const u32, output: *mut u32, n: u32)`, where `n` is the
/// length of the input.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// Name of the kernel. The images are `<name>-*.ptx` and `<name>-*.cubin`.
    pub name: &'static str,
    /// The launch of the check.
    pub config: fn() -> LaunchConfig,
    /// Runs the launch of the check.
    pub run: Run<Gpu>,
    /// The same in the interpreter, unless there is a twin alone.
    pub interpret: Option<Run<Interpreter>>,
    /// Puts a launch by name of the kernel on the stream, unless there is a twin alone.
    pub by_name: Option<ByName>,
    /// Returns the words of the input for a seed.
    pub words: fn(seed: u32) -> usize,
    /// Returns the expected output for an input. The output is zero before the launch and has this length.
    pub expected: fn(input: &[u32]) -> Vec<u32>,
}

/// A device for which each kernel of the table has a check.
pub trait Runs: Device {
    /// Returns the check of a kernel, unless there is a twin alone.
    fn run_of(kernel: &Kernel) -> Option<Run<Self>>;
}

impl Runs for Gpu {
    fn run_of(kernel: &Kernel) -> Option<Run<Self>> {
        Some(kernel.run)
    }
}

impl Runs for Interpreter {
    fn run_of(kernel: &Kernel) -> Option<Run<Self>> {
        kernel.interpret
    }
}

/// Runs a launch on these words, and returns the output, which has this length.
pub type Run<D> = fn(&D, &<D as Device>::Loaded, &[u32], usize) -> Result<Vec<u32>>;

/// Runs a launch that takes words and writes `len` words, from zeros, and returns these. The launch gets the input, the output, and
/// the arguments of a twin: both addresses, and the words of the input.
pub fn run_words<D: Device>(
    device: &D,
    words: &[u32],
    len: usize,
    launch: impl FnOnce(&D::Memory<u32>, &mut D::Memory<u32>, (u64, u64, u32)) -> Result<()>,
) -> Result<Vec<u32>> {
    let (input, mut output) = (device.memory(words)?, device.memory(&vec![0; len])?);
    let of_twin = (D::address(&input), D::address(&output), words.len() as u32);
    launch(&input, &mut output, of_twin)?;
    ensure!(device.to_vec(&input)? == words, "the input was changed");
    device.to_vec(&output)
}

/// A launch by name. The caller keeps what the kernel's types would check.
pub type ByName =
    unsafe fn(&ptx_host::Kernel, &CudaStream, &LaunchConfig, [RawSlice<u32>; 2]) -> ptx_host::Result<()>;

/// Makes the table of the kernels: module, kernel and how it takes its memory (`counted`: with the length of the input); the grid of the check; `words` and `expected`.
macro_rules! words {
    ($($(#[$comment:meta])* $module:ident::$kernel:ident($memory:ident), $grid:expr, $words:expr, $expected:expr;)*) => {
        &[$( {
            fn run<D: Device>(device: &D, loaded: &D::Loaded, words: &[u32], len: usize) -> Result<Vec<u32>> {
                words!(@run $memory ptx_kernels::$module::$kernel, $grid, device, loaded, words, len)
            }
            Kernel {
                name: stringify!($kernel),
                config: || Grid::from($grid).config::<ptx_kernels::$module::$kernel>(),
                run: run::<Gpu>,
                interpret: Some(run::<Interpreter>),
                by_name: Some(|kernel, stream, config, [input, output]| {
                    // SAFETY: the caller keeps the contracts of the arguments.
                    unsafe { kernel.launch(stream, config, words!(@by_name $memory input, output)) }
                }),
                words: $words,
                expected: $expected,
            }
        } ),*]
    };
    // The twins read `n` words of the input, write the expected output, and access nothing else.
    (@run pair $kernel:path, $grid:expr, $device:ident, $loaded:ident, $words:ident, $len:ident) => {
        run_words($device, $words, $len, |input, output, of_twin| {
            // SAFETY: the twin keeps to these words.
            unsafe { D::entry($loaded, $kernel)?.launch($device, $grid, (D::read(input), D::write(output)), of_twin) }
        })
    };
    (@run counted $kernel:path, $grid:expr, $device:ident, $loaded:ident, $words:ident, $len:ident) => {
        run_words($device, $words, $len, |input, output, of_twin| {
            let arguments = (D::read(input), D::write(output), of_twin.2);
            // SAFETY: the twin keeps to these words.
            unsafe { D::entry($loaded, $kernel)?.launch($device, $grid, arguments, of_twin) }
        })
    };
    (@run address $kernel:path, $grid:expr, $device:ident, $loaded:ident, $words:ident, $len:ident) => {
        run_words($device, $words, $len, |input, _, of_twin| {
            // SAFETY: the twin keeps to these words, and so does `atomic_operations`, an `unsafe fn`.
            unsafe { D::entry($loaded, $kernel)?.launch($device, $grid, (D::read(input), of_twin.1), of_twin) }
        })
    };
    // A twin has both parts as one output.
    (@run mirror $kernel:path, $grid:expr, $device:ident, $loaded:ident, $words:ident, $len:ident) => {{
        let mut tiles = $device.memory(&[0; MIRRORED])?;
        let mut sums = $device.memory(&vec![0; $len - MIRRORED])?;
        let whole = run_words($device, $words, $len, |input, _, of_twin| {
            let arguments = (D::read(input), D::write(&mut tiles), D::write(&mut sums), of_twin.2);
            // SAFETY: the twin keeps to these words.
            unsafe { D::entry($loaded, $kernel)?.launch($device, $grid, arguments, of_twin) }
        })?;
        let parts = || Ok([$device.to_vec(&tiles)?, $device.to_vec(&sums)?].concat());
        if D::is_twin($loaded) { Ok(whole) } else { parts() }
    }};
    (@by_name pair $input:ident, $output:ident) => { ($input, $output) };
    (@by_name counted $input:ident, $output:ident) => { ($input, $output, $input.len as u32) };
    (@by_name address $input:ident, $output:ident) => { ($input, $output.base as u64) };
    (@by_name mirror $input:ident, $output:ident) => {{
        let sums = RawSlice { base: $output.base.wrapping_add(MIRRORED), len: $output.len - MIRRORED };
        ($input, RawSlice { len: MIRRORED, ..$output }, sums, $input.len as u32)
    }};
}

/// Words of tiles in the output of `cluster_mirror`, before the sums.
const MIRRORED: usize = 8 * 512;

/// All kernels of this form.
pub const KERNELS: &[Kernel] = words! {
    group::cluster_peers(counted), (4, 2), |seed| 1024 * (1 + seed as usize % 64), cluster_peers;
    cluster::cluster_histogram(counted), 8, |seed| 101 * (1 + seed as usize % 80) + ((seed as usize % 3) << 17), cluster_histogram;
    cluster::cluster_mirror(mirror), 8, |_| 8 * 512, cluster_mirror;
    // The sizes range from a few words to several words per thread.
    cluster_atomics::cluster_atomics(counted), 8, |seed| 1 + seed as usize * 61 % 1536, cluster_atomics;
    cluster::cluster_exchange(counted), 8, |_| 10 * 512, cluster_exchange;
    cluster::cluster_forward(counted), 8, |_| 8 * 512, cluster_forward;
    atomic::atomic_histogram(counted), 4, |seed| seed as usize * 997 + 1, atomic_histogram;
    atomic::atomic_operations(address), 4, |seed| seed as usize * 37 + 1, atomic_operations;
    barrier::barrier_handoff(pair), 1, |seed| 256 * (1 + seed as usize % 40), barrier_handoff;
    // The sizes include fewer rows than blocks, an odd number of rows, and many rows.
    bulk_reduce::bulk_reduce_columns(counted), 4, |seed| COLUMNS * (1 + seed as usize * 7 % 103), column_sums;
    // The sizes include no whole tile of 512, whole tiles, and an incomplete tile.
    cp_async::cp_async_stencil(counted), 4, |seed| 1 + seed as usize * 2309 % 20_011, stencil;
    // The sizes include no whole tile of 512, whole tiles, many tiles per CTA, and an incomplete tile.
    cp_async::cp_async_shift(counted), 3, |seed| 1 + seed as usize * 2309 % 20_011, |input| (0..input.len()).map(|i| input.get(i + 3).copied().unwrap_or(0)).collect();
    fence::fence_last_cta(counted), 6, |seed| 1 + seed as usize * 977 % 10_007, fence_last_cta;
    mbarrier::mbarrier_reverse(counted), 3, |seed| 512 * (1 + seed as usize % 20), |input| input.chunks(512).flat_map(|tile| tile.iter().rev().copied()).collect();
    // The sizes include fewer tiles than blocks, and enough tiles to use each stage again.
    pipeline::pipeline_multicast(counted), (4, 2), |seed| 512 * (seed as usize * 7 % 103) + 1, pipeline_multicast;
    pipeline::pipeline_products(pair), (4, 4), |seed| 8 * 512 * (seed as usize % 20), pipeline_products;
    // The sizes include fewer tiles than blocks, and many tiles.
    pipeline::pipeline_scan(pair), 3, |seed| 512 * (1 + seed as usize * 7 % 103), |input| input.chunks(512).flat_map(running_sums).collect();
    // The largest size has enough tiles to use each stage again.
    pipeline::pipeline_sum(counted), 4, |seed| 512 * (seed as usize * 7 % 103) + 1, pipeline_sum;
    shared::shared_gather(counted), 1, |seed| 1 + seed as usize * 41 % 4096, |input| (0..input.len()).map(|i| input[(7 * i + 3) % input.len()]).collect();
    warp::warp_segmented_sum(counted), 3, |_| 3 * 112, |input| input.chunks(112).flat_map(|cta| cta.chunks(32)).flat_map(segmented_sum).collect();
};

/// The kernel that `library_checks` checks in a chain of programmatic launches, in a launch of its own.
pub const DEPENDENT: Kernel = {
    const ONE: &[Kernel] = words! {
        launch::launch_dependent(counted), 5, |seed| 1 + seed as usize * 2309 % 20_011, |input| {
            (0..).zip(input).map(|(i, word)| word.wrapping_mul(3).wrapping_add(i)).collect()
        };
    };
    ONE[0]
};

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
fn cluster_peers(input: &[u32]) -> Vec<u32> {
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

pub fn list<D: Runs>(options: &Options) -> Result<Vec<Check<D>>> {
    let mut checks = Vec::new();
    for kernel in KERNELS {
        let seeds = options.seeds_of(SEEDS, &emulated(kernel));
        checks.extend(check::for_each(options, kernel.name, |image| {
            let seeds = image.seeds(options, &seeds);
            vec![Check::new(format!("{}/{}", kernel.name, image.label), options, move |device: &D| {
                check(device, &device.load(&image)?, kernel, &seeds)
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
pub fn check<D: Runs>(device: &D, loaded: &D::Loaded, of: &Kernel, seeds: &[u32]) -> Result<Finding> {
    let run = D::run_of(of).with_context(|| format!("{} has a twin alone", of.name))?;
    device.on_queue(|device| {
        for &seed in seeds {
            let words = input(seed, (of.words)(seed));
            let expected = (of.expected)(&words);
            let got = run(device, loaded, &words, expected.len());
            got.and_then(|got| compare_words(&got, &expected)).with_context(|| format!("seed {seed}"))?;
        }
        Ok(format!("{} seeds", seeds.len()).into())
    })
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
