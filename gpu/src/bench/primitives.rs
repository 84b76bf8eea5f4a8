//! Benchmarks of the primitives of a whole GPU, each checked against the CPU.

use anyhow::{Result, ensure};
use ptx_host::{Grid, LaunchConfig};
use ptx_kernels::{look_back_scan as scan, radix_sort as radix};

use super::case::{Bench, Case, Launch, Timing, Zeroed};
use crate::device::Device as _;
use crate::kernels::input;
use crate::library_checks::small_floats;
use crate::memory::{address, matrix, slice};
use crate::primitive_checks::{
    SCANNED_TILE, SORTED_TILE, ascending_keys, digit_counts, exclusive_sums, greatest, whole_around_0,
};

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("device_sum", "", device_sum),
        Case::new("look_back_scan", "", look_back_scan),
        Case::new("segmented_sum", "", segmented_sum),
        Case::new("top_k", "", top_k),
        Case::new("radix_histogram", "", radix_histogram),
        Case::new("radix_pass", "one", |bench| radix_pass(bench, false)),
        Case {
            note: "the histogram and four passes",
            ..Case::new("radix_pass", "sort", |bench| radix_pass(bench, true))
        },
    ]
}

fn device_sum(bench: &Bench) -> Result<Timing> {
    const N: usize = 1 << 30;
    let stream = &bench.gpu.stream;
    let x = whole_around_0(1, N);
    let expected: f64 = x.iter().map(|x| f64::from(*x)).sum();
    let ctas = 6 * bench.gpu.multiprocessors()?;
    let source = stream.clone_htod(&x)?;
    let partials = stream.alloc_zeros::<f32>(ctas as usize)?;
    let count = stream.alloc_zeros::<u32>(1)?;
    let mut output = stream.alloc_zeros::<f32>(1)?;
    let arguments = (slice(&source), slice(&partials), slice(&count), slice(&output));
    let of_twin = (address(&source), address(&partials), address(&count), address(&output), N as u64);
    // SAFETY: the input has `n` floats, there is a partial sum for each CTA, and each launch leaves the count 0.
    let launches =
        unsafe { bench.launches("device_sum", &LaunchConfig::new(ctas, 256), arguments, of_twin)? };
    for launch in &launches {
        bench.fill_with_nan(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let got = stream.clone_dtoh(&output)?[0];
        ensure!(f64::from(got) == expected, "{}: the sum is {got}, want {expected}", launch.label);
    }
    bench.time(&launches, Some(size_of::<f32>() * N))
}

fn look_back_scan(bench: &Bench) -> Result<Timing> {
    const N: usize = (1 << 28) + 5;
    let stream = &bench.gpu.stream;
    let words = input(1, N);
    let expected = exclusive_sums(&words);
    let source = stream.clone_htod(&words)?;
    let (sums, tickets) = (stream.alloc_zeros::<u64>(N / SCANNED_TILE)?, stream.alloc_zeros::<u64>(1)?);
    let output = stream.alloc_zeros::<u32>(N)?;
    let arguments = (slice(&source), slice(&sums), slice(&tickets), slice(&output), N as u64);
    let of_twin = (address(&source), address(&sums), address(&tickets), address(&output), N as u64);
    let config = Grid::from(bench.gpu.multiprocessors()?).config::<scan::look_back_scan>();
    // SAFETY: input and output have `n` words; there is a sum for each tile, and `zeroing` lets them begin with 0.
    let launches = unsafe { bench.launches("look_back_scan", &config, arguments, of_twin)? };
    let launches = bench.zeroing(launches, &[&sums, &tickets]);
    for launch in &launches {
        (launch.put)()?;
        bench.gpu.wait()?;
        ensure!(stream.clone_dtoh(&output)? == expected, "{}: a sum is wrong", launch.label);
    }
    bench.time(&launches, Some(2 * size_of::<u32>() * N))
}

fn segmented_sum(bench: &Bench) -> Result<Timing> {
    const N: usize = (1 << 27) + 5;
    let stream = &bench.gpu.stream;
    // About a hundred values for each key.
    let (keys, values) = (ascending_keys(2, N), whole_around_0(1, N));
    let mut expected = vec![0.0_f32; keys.last().map_or(0, |last| *last as usize + 1)];
    keys.iter().zip(&values).for_each(|(key, value)| expected[*key as usize] += value);
    let (of_keys, of_values) = (stream.clone_htod(&keys)?, stream.clone_htod(&values)?);
    let sums = stream.alloc_zeros::<f32>(expected.len())?;
    let arguments = (slice(&of_keys), slice(&of_values), slice(&sums), N as u64);
    let of_twin = (address(&of_keys), address(&of_values), address(&sums), N as u64, expected.len() as u64);
    let config = LaunchConfig::new(8 * bench.gpu.multiprocessors()?, 256);
    // SAFETY: there are `n` keys and values.
    let launches = unsafe { bench.launches("segmented_sum", &config, arguments, of_twin)? };
    let launches = bench.zeroing(launches, &[&sums]);
    for launch in &launches {
        (launch.put)()?;
        bench.gpu.wait()?;
        ensure!(stream.clone_dtoh(&sums)? == expected, "{}: a sum is wrong", launch.label);
    }
    bench.time(&launches, Some(2 * size_of::<u32>() * N))
}

fn top_k(bench: &Bench) -> Result<Timing> {
    const ROWS: usize = 1 << 15;
    const COLUMNS: usize = 1 << 12;
    const K: usize = 64;
    let stream = &bench.gpu.stream;
    let x = small_floats(1, ROWS * COLUMNS);
    let source = stream.clone_htod(&x)?;
    let (mut values, columns_of) =
        (stream.alloc_zeros::<f32>(ROWS * K)?, stream.alloc_zeros::<u32>(ROWS * K)?);
    let [m, n, k] = [ROWS as u32, COLUMNS as u32, K as u32];
    let arguments = (matrix(&source, ROWS, COLUMNS), slice(&values), slice(&columns_of), m, n, k);
    let of_twin = (address(&source), address(&values), address(&columns_of), m, n, k);
    let config = LaunchConfig::new((ROWS / 8) as u32, 256);
    // SAFETY: the rows are packed, their length is a multiple of four, and there are `k` places for each.
    let launches = unsafe { bench.launches("top_k", &config, arguments, of_twin)? };
    for launch in &launches {
        bench.fill_with_nan(&mut values)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let (of_rows, columns_of) = (stream.clone_dtoh(&values)?, stream.clone_dtoh(&columns_of)?);
        ensure!(!of_rows.iter().any(|x| x.is_nan()), "{}: an element was not written", launch.label);
        for row in (0..ROWS).step_by(97) {
            let places = row * K..(row + 1) * K;
            let got: Vec<_> =
                of_rows[places.clone()].iter().copied().zip(columns_of[places].iter().copied()).collect();
            let want = greatest(&x[row * COLUMNS..(row + 1) * COLUMNS], K);
            ensure!(got == want, "{}: row {row} has {got:?}, want {want:?}", launch.label);
        }
    }
    bench.time(&launches, Some(size_of::<f32>() * ROWS * COLUMNS))
}

/// Keys that are sorted.
const SORTED: usize = 1 << 28;

fn radix_histogram(bench: &Bench) -> Result<Timing> {
    let stream = &bench.gpu.stream;
    let keys = input(1, SORTED);
    let expected = digit_counts(&keys);
    let source = stream.clone_htod(&keys)?;
    let counts = stream.alloc_zeros::<u32>(expected.len())?;
    let (arguments, of_twin) =
        ((slice(&source), slice(&counts)), (address(&source), address(&counts), SORTED as u64));
    let config = LaunchConfig::new(8 * bench.gpu.multiprocessors()?, 256);
    // SAFETY: there are `n` keys and 1024 counts.
    let launches = unsafe { bench.launches("radix_histogram", &config, arguments, of_twin)? };
    let launches = bench.zeroing(launches, &[&counts]);
    for launch in &launches {
        (launch.put)()?;
        bench.gpu.wait()?;
        ensure!(stream.clone_dtoh(&counts)? == expected, "{}: the counts are wrong", launch.label);
    }
    bench.time(&launches, Some(size_of::<u32>() * SORTED))
}

/// Times the pass of the lowest digit, or a whole sort.
fn radix_pass(bench: &Bench, is_whole_sort: bool) -> Result<Timing> {
    let stream = &bench.gpu.stream;
    let mut keys = input(1, SORTED);
    let source = stream.clone_htod(&keys)?;
    let counts = stream.clone_htod(&digit_counts(&keys))?;
    let tiles = SORTED.div_ceil(SORTED_TILE);
    let passes = if is_whole_sort { 4 } else { 1 };
    let sums: Vec<_> =
        (0..passes).map(|_| stream.alloc_zeros::<u32>(256 * tiles)).collect::<Result<_, _>>()?;
    let tickets: Vec<_> = (0..passes).map(|_| stream.alloc_zeros::<u32>(1)).collect::<Result<_, _>>()?;
    let outputs = [stream.alloc_zeros::<u32>(SORTED)?, stream.alloc_zeros::<u32>(SORTED)?];

    let histogram = bench.of("radix_histogram")?;
    let mut steps: Vec<Vec<Launch>> = Vec::new();
    if is_whole_sort {
        let config = LaunchConfig::new(8 * bench.gpu.multiprocessors()?, 256);
        let (arguments, of_twin) =
            ((slice(&source), slice(&counts)), (address(&source), address(&counts), SORTED as u64));
        // SAFETY: there are `n` keys and 1024 counts.
        steps.push(unsafe { histogram.launches("radix_histogram", &config, arguments, of_twin)? });
    }
    for pass in 0..passes {
        let from = if pass == 0 { &source } else { &outputs[(pass + 1) % 2] };
        let to = &outputs[pass % 2];
        let (n, digit) = (SORTED as u32, pass as u32);
        let (sums, tickets) = (&sums[pass], &tickets[pass]);
        let arguments = (slice(from), slice(&counts), slice(sums), slice(tickets), slice(to), n, digit);
        let of_twin =
            (address(from), address(&counts), address(sums), address(tickets), address(to), n, digit);
        let config = Grid::from(tiles as u32).config::<radix::radix_pass>();
        // SAFETY: there are `n` keys and places for them, 1024 counts, and 256 sums for each tile; `zeroing` lets sums and
        // tickets begin with 0.
        steps.push(unsafe { bench.launches("radix_pass", &config, arguments, of_twin)? });
    }
    let mut zeroed: Vec<&dyn Zeroed> = Vec::new();
    if is_whole_sort {
        zeroed.push(&counts);
        keys.sort_unstable();
    } else {
        keys.sort_by_key(|key| key & 255);
    }
    sums.iter().zip(&tickets).for_each(|(sums, tickets)| zeroed.extend([sums as &dyn Zeroed, tickets]));

    let launches = bench.zeroing(Launch::one_after_the_other(steps), &zeroed);
    for launch in &launches {
        (launch.put)()?;
        bench.gpu.wait()?;
        let got = stream.clone_dtoh(&outputs[(passes - 1) % 2])?;
        ensure!(got == keys, "{}: the order is wrong", launch.label);
    }
    let traffic = if is_whole_sort { 4 * 2 + 1 } else { 2 };
    bench.time(&launches, Some(traffic * size_of::<u32>() * SORTED))
}
