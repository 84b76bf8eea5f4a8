//! Checks of the primitives of a whole GPU (sum, scan, segmented sum, top-k, sort), against models on the host. Floats are small
//! integers, whose sums are exact in any order.

use anyhow::{Context as _, Result, ensure};
use ptx_host::Matrix;

use crate::check::Check;
use crate::device::Device;
use crate::guard::{compare_floats, compare_words};
use crate::kernels::input;
use crate::library_checks::{Run, length, seeded, whole};
use crate::options::Options;

/// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
pub const KERNELS: [&str; 6] =
    ["device_sum", "look_back_scan", "segmented_sum", "top_k", "radix_histogram", "radix_pass"];

/// Seeds of each of [`KERNELS`] on an emulated device: for less than a vector, a part of a tile, several tiles, and several CTAs.
const EMULATED: [&[u32]; 6] =
    [&[2, 9, 10], &[3, 13, 10], &[2, 7, 10, 15], &[0, 1, 4], &[2, 7, 10], &[2, 10, 9]];

/// Returns the check of each of [`KERNELS`] for one seed.
fn runs<D: Device>() -> [Run<D>; 6] {
    [device_sum, look_back_scan, segmented_sum, top_k, radix_histogram, radix_pass]
}

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    seeded(options, KERNELS.into_iter().zip(runs::<D>()).zip(EMULATED))
}

/// Returns integers from -8 to 8, as floats. Sums of 2^30 of them are exact.
pub fn whole_around_0(seed: u32, n: usize) -> Vec<f32> {
    input(seed, n).into_iter().map(|word| (word % 17) as f32 - 8.0).collect()
}

fn device_sum<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::device_sum::device_sum)?;
    let x = whole(seed, length(seed));
    let source = device.memory(&x)?;
    // Each launch counts its CTAs from 0, and leaves 0.
    let mut count = device.memory(&[0_u32])?;
    for grid in [1, 3, 8] {
        let mut partials = device.memory(&vec![f32::NAN; grid as usize])?;
        let mut output = device.memory(&[f32::NAN])?;
        let of_twin = (
            D::address(&source),
            D::address(&partials),
            D::address(&count),
            D::address(&output),
            x.len() as u64,
        );
        let arguments =
            (D::read(&source), D::write(&mut partials), D::write(&mut count), D::write(&mut output));
        // SAFETY: the input has `n` floats at an aligned address, and there is a partial sum for each CTA.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        compare_floats(&device.to_vec(&output)?, &[x.iter().sum::<f32>() + 0.0])
            .with_context(|| format!("n = {}, {grid} blocks", x.len()))?;
    }
    compare_words(&device.to_vec(&count)?, &[0])
}

/// Returns the sums of all words before each word.
pub fn exclusive_sums(words: &[u32]) -> Vec<u32> {
    let before = |sum: &mut u32, word: &u32| Some(std::mem::replace(sum, sum.wrapping_add(*word)));
    words.iter().scan(0, before).collect()
}

/// Words of a tile of `look_back_scan`.
pub const SCANNED_TILE: usize = 10240;

fn look_back_scan<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::look_back_scan::look_back_scan)?;
    let words = input(seed, length(seed));
    let n = words.len();
    let expected = exclusive_sums(&words);
    let source = device.memory(&words)?;
    for grid in [1, 3, 8] {
        let mut sums = device.memory(&vec![0_u64; n / SCANNED_TILE + 1])?;
        let mut tickets = device.memory(&[0_u64])?;
        let mut output = device.memory(&vec![0_u32; n])?;
        let of_twin =
            (D::address(&source), D::address(&sums), D::address(&tickets), D::address(&output), n as u64);
        let arguments =
            (D::read(&source), D::write(&mut sums), D::write(&mut tickets), D::write(&mut output), n);
        // SAFETY: input and output have `n` words at aligned addresses; there is a sum for each tile.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        compare_words(&device.to_vec(&output)?, &expected)
            .with_context(|| format!("n = {n}, {grid} blocks"))?;
    }
    Ok(())
}

/// Returns ascending keys, in runs of random lengths: one key on average, three, a hundred, or more than a warp has at a time.
pub fn ascending_keys(seed: u32, n: usize) -> Vec<u32> {
    let one_of = [1, 3, 100, 5000][seed as usize % 4];
    let next = |key: &mut u32, word: u32| {
        // Some keys occur not at all.
        *key += u32::from(word.is_multiple_of(one_of)) * (1 + u32::from(word >> 30 == 0));
        Some(*key)
    };
    input(seed + 1, n).into_iter().scan(0, next).collect()
}

fn segmented_sum<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::segmented_sum::segmented_sum)?;
    let n = length(seed);
    let (keys, values) = (ascending_keys(seed, n), whole(seed, n));
    // In some cases, the last keys have no sum.
    let segments = keys.last().map_or(1, |last| *last as usize + 1 - seed as usize % 2);
    let start = whole(seed + 2, segments);
    let mut expected = start.clone();
    for (key, value) in keys.iter().zip(&values) {
        if let Some(sum) = expected.get_mut(*key as usize) {
            *sum += value;
        }
    }
    let (of_keys, of_values) = (device.memory(&keys)?, device.memory(&values)?);
    for grid in [1, 3, 8] {
        let mut sums = device.memory(&start)?;
        let of_twin =
            (D::address(&of_keys), D::address(&of_values), D::address(&sums), n as u64, segments as u64);
        let arguments = (D::read(&of_keys), D::read(&of_values), D::write(&mut sums), n);
        // SAFETY: there are `n` keys and values at aligned addresses.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        compare_floats(&device.to_vec(&sums)?, &expected)
            .with_context(|| format!("n = {n}, {segments} sums, {grid} blocks"))?;
    }
    Ok(())
}

/// Returns the `k` greatest elements of a row and their columns, in descending order; of equal elements the first.
pub fn greatest(row: &[f32], k: usize) -> Vec<(f32, u32)> {
    let mut all: Vec<_> = (0..).zip(row).map(|(column, x)| (*x, column)).collect();
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    all.truncate(k);
    all
}

fn top_k<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::top_k::top_k)?;
    const SHAPES: [(usize, u32); 6] = [(4, 1), (100, 64), (64, 64), (132, 32), (1700, 33), (4096, 64)];
    let (columns, k) = SHAPES[seed as usize % SHAPES.len()];
    let rows = 1 + seed as usize * 5 % 17;
    // Equal elements; any bits, of which some are NaN; and ascending rows, in which each element is among the greatest so far.
    let x: Vec<f32> = match seed % 3 {
        0 => whole(seed, rows * columns),
        1 => input(seed, rows * columns).into_iter().map(f32::from_bits).collect(),
        _ => (0..rows * columns).map(|i| i as f32 - 1000.0).collect(),
    };
    let expected: Vec<(f32, u32)> = x.chunks(columns).flat_map(|row| greatest(row, k as usize)).collect();
    let source = device.memory(&x)?;
    for grid in [1, 3] {
        let mut values = device.memory(&vec![0_f32; expected.len()])?;
        let mut columns_of = device.memory(&vec![0_u32; expected.len()])?;
        let [m, n] = [rows as u32, columns as u32];
        let of_twin = (D::address(&source), D::address(&values), D::address(&columns_of), m, n, k);
        let from = Matrix::new(D::read(&source), m, n);
        let arguments = (from, D::write(&mut values), D::write(&mut columns_of), m, n, k);
        // SAFETY: the rows are packed, their length is a multiple of four, and there are `k` places for each.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        let bits: Vec<u32> = device.to_vec(&values)?.into_iter().map(f32::to_bits).collect();
        let of = || format!("{rows} rows of {columns}, k = {k}, {grid} blocks");
        let wanted: Vec<u32> = expected.iter().map(|(x, _)| x.to_bits()).collect();
        compare_words(&bits, &wanted).with_context(|| format!("values of {}", of()))?;
        let wanted: Vec<u32> = expected.iter().map(|(_, column)| *column).collect();
        compare_words(&device.to_vec(&columns_of)?, &wanted)
            .with_context(|| format!("columns of {}", of()))?;
    }
    Ok(())
}

/// Returns keys for a seed: random ones, few different ones, or few different digits.
fn keys(seed: u32) -> Vec<u32> {
    let mask = [!0, 3, 0x0101_0301][seed as usize % 3];
    input(seed, length(seed)).into_iter().map(|word| word & mask).collect()
}

/// Returns how many keys have each digit of each pass.
pub fn digit_counts(keys: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; 4 * 256];
    for (pass, digit) in keys.iter().flat_map(|key| key.to_le_bytes().into_iter().enumerate()) {
        counts[256 * pass + usize::from(digit)] += 1;
    }
    counts
}

fn radix_histogram<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::radix_sort::radix_histogram)?;
    let keys = keys(seed);
    let source = device.memory(&keys)?;
    for grid in [1, 3, 8] {
        let mut counts = device.memory(&vec![0_u32; 4 * 256])?;
        let of_twin = (D::address(&source), D::address(&counts), keys.len() as u64);
        // SAFETY: there are `n` keys at an aligned address, and 1024 counts.
        unsafe {
            kernel.launch(device, grid, (D::read(&source), D::write(&mut counts)), of_twin)?;
        }
        compare_words(&device.to_vec(&counts)?, &digit_counts(&keys))
            .with_context(|| format!("n = {}, {grid} blocks", keys.len()))?;
    }
    Ok(())
}

/// Keys of a tile of `radix_pass`.
pub const SORTED_TILE: usize = 8448;

fn radix_pass<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::radix_sort::radix_pass)?;
    let mut keys = keys(seed);
    let n = keys.len();
    let counts = device.memory(&digit_counts(&keys))?;
    let tiles = n.div_ceil(SORTED_TILE);
    let [mut source, mut output] = [device.memory(&keys)?, device.memory(&vec![0_u32; n])?];
    for pass in 0..4 {
        let mut sums = device.memory(&vec![0_u32; 256 * tiles])?;
        let mut tickets = device.memory(&[0_u32])?;
        let of_twin = (
            D::address(&source),
            D::address(&counts),
            D::address(&sums),
            D::address(&tickets),
            D::address(&output),
            n as u32,
            pass,
        );
        let arguments = (
            D::read(&source),
            D::read(&counts),
            D::write(&mut sums),
            D::write(&mut tickets),
            D::write(&mut output),
            n as u32,
            pass,
        );
        // SAFETY: there are `n` keys and places for them, 1024 counts, and 256 sums for each tile.
        unsafe { kernel.launch(device, tiles as u32 + 1 + pass % 2, arguments, of_twin)? };
        keys.sort_by_key(|key| key >> (8 * pass) & 255);
        compare_words(&device.to_vec(&output)?, &keys).with_context(|| format!("n = {n}, pass {pass}"))?;
        std::mem::swap(&mut source, &mut output);
    }
    ensure!(keys.is_sorted(), "the model does not sort");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_ascend_in_runs_of_several_lengths() {
        let runs = |seed| {
            let keys = ascending_keys(seed, 100_000);
            assert!(keys.is_sorted());
            keys.chunk_by(|a, b| a == b).count()
        };
        let counts = [0, 1, 2, 3].map(runs);
        assert!(counts[0] == 100_000 && (30_000..36_000).contains(&counts[1]), "{counts:?}");
        assert!((800..1200).contains(&counts[2]) && (5..60).contains(&counts[3]), "{counts:?}");
    }

    #[test]
    fn models_of_one_row_and_of_two_keys() {
        assert_eq!(greatest(&[1.0, 3.0, 2.0, 3.0], 3), [(3.0, 1), (3.0, 3), (2.0, 2)]);
        assert_eq!(exclusive_sums(&[5, 7, u32::MAX]), [0, 5, 12]);
        let counts = digit_counts(&[0x0201, 0x0301]);
        assert_eq!([counts[1], counts[256 + 2], counts[256 + 3], counts[512]], [2, 1, 1, 2]);
    }
}
