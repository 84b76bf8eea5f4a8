//! Benchmarks of kernels that take tensor maps.

use anyhow::{Context as _, Result};
use ptx_host::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B;
use ptx_host::{LaunchConfig, TensorMap, TensorMapBuilder};

use super::case::{Bench, Case, Timing, same_results};
use crate::device::Device as _;
use crate::kernels::input;
use crate::memory::{TensorMut, address, slice};
use crate::tensor_checks;

const THREADS: u32 = 128;
const SEEDS: [u32; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

pub fn cases() -> Vec<Case> {
    let case = |kernel: &'static str, note, run: fn(&Bench) -> Result<Timing>| Case {
        kernel,
        variant: "",
        note,
        run: Box::new(move |bench| {
            for side in &bench.sides {
                tensor_checks::check(bench.gpu, &side.loaded, kernel, &SEEDS).context(side.label)?;
            }
            run(bench)
        }),
    };
    vec![
        case("tensor_transpose", "", transpose),
        case("tensor_sum", "", sum),
        case("tensor_retype", "one CTA", retype),
        case("tensor_multicast", "two clusters", multicast),
    ]
}

/// Returns the map of a packed matrix of words, copied in boxes of `boxes` words.
fn matrix(width: usize, height: usize, boxes: [u32; 2]) -> TensorMapBuilder {
    TensorMapBuilder::tiled(&[width as u64, height as u64], &boxes).strides(&[4 * width as u64])
}

fn transpose(bench: &Bench) -> Result<Timing> {
    const WIDTH: usize = 1 << 14;
    const HEIGHT: usize = 1 << 13;
    let stream = &bench.gpu.stream;
    let source = stream.clone_htod(&input(1, WIDTH * HEIGHT))?;
    let output = stream.alloc_zeros::<u32>(WIDTH * HEIGHT)?;
    let maps = [
        matrix(WIDTH, HEIGHT, [32, 32]).swizzle(CU_TENSOR_MAP_SWIZZLE_128B).encode(&source)?,
        matrix(HEIGHT, WIDTH, [32, 32]).swizzle(CU_TENSOR_MAP_SWIZZLE_128B).encode(&output)?,
    ];
    let arguments = (maps[0], TensorMut::new(maps[1], [HEIGHT / 32, WIDTH / 32]));
    let maps = stream.clone_htod(&maps)?;
    let of_twin = (address(&maps.slice(0..1)), address(&maps.slice(1..2)), WIDTH as u32, HEIGHT as u32);
    // Each thread block has one square of 32 by 32.
    let config = LaunchConfig::new((WIDTH / 32 * HEIGHT / 32) as u32, THREADS);
    // SAFETY: both maps describe live matrices, with boxes of 32 by 32 and the 128-byte swizzle. The maps are 128 bytes apart.
    let launches = unsafe { bench.launches("tensor_transpose", &config, arguments, of_twin)? };
    same_results(&launches, |launch| {
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    })?;
    bench.time(&launches, Some(2 * 4 * WIDTH * HEIGHT))
}

fn sum(bench: &Bench) -> Result<Timing> {
    const SIDE: usize = 256;
    const WORDS: usize = SIDE * SIDE;
    let stream = &bench.gpu.stream;
    let count = 8 * bench.gpu.multiprocessors()?;
    let source = stream.clone_htod(&input(1, WORDS * count as usize))?;
    let zeros = stream.clone_htod(&vec![0_u32; WORDS])?;
    let mut output = stream.alloc_zeros::<u32>(WORDS)?;
    let map = matrix(SIDE, SIDE, [32, 32]);
    let maps = [map.clone().encode(&source.slice(0..WORDS))?, map.encode(&output)?];
    let maps = stream.clone_htod(&maps)?;
    let slots = stream.alloc_zeros::<TensorMap>(count as usize)?;
    let arguments = (
        address(&maps.slice(0..1)),
        address(&maps.slice(1..2)),
        address(&source),
        address(&slots),
        SIDE as u32,
        SIDE as u32,
        WORDS as u64,
    );
    // SAFETY: `count` matrices lie one after another, each with a slot for a map. Both maps have boxes of 32 by 32.
    let launches =
        unsafe { bench.launches("tensor_sum", &LaunchConfig::new(count, THREADS), arguments, arguments)? };
    same_results(&launches, |launch| {
        stream.memcpy_dtod(&zeros, &mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    })?;
    bench.time(&launches, Some(4 * WORDS * count as usize))
}

fn retype(bench: &Bench) -> Result<Timing> {
    const SIZE: [usize; 3] = [256, 64, 8];
    const LENGTH: usize = SIZE[0] * SIZE[1] * SIZE[2];
    let stream = &bench.gpu.stream;
    let elements: Vec<u16> = input(1, LENGTH).into_iter().map(|word| word as u16).collect();
    let source = stream.clone_htod(&elements)?;
    let words = stream.clone_htod(&[0_u32; 64 * 40])?;
    let map = TensorMapBuilder::tiled(&[64, 40], &[32, 32]).encode(&words)?;
    let maps = stream.clone_htod(&[map])?;
    let slot = stream.alloc_zeros::<TensorMap>(1)?;
    let output = stream.alloc_zeros::<u32>(LENGTH)?;
    let arguments = (
        address(&maps),
        address(&source),
        address(&slot),
        address(&output),
        SIZE[0] as u32,
        SIZE[1] as u32,
        SIZE[2] as u32,
        2 * SIZE[0] as u64,
        2 * (SIZE[0] * SIZE[1]) as u64,
    );
    // SAFETY: the map describes words in boxes of 32 by 32. The elements are packed, with room for the results and a map slot.
    let launches =
        unsafe { bench.launches("tensor_retype", &LaunchConfig::new(1, THREADS), arguments, arguments)? };
    same_results(&launches, |launch| {
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    })?;
    bench.time(&launches, None)
}

fn multicast(bench: &Bench) -> Result<Timing> {
    const SIDE: usize = 2048;
    let stream = &bench.gpu.stream;
    let source = stream.clone_htod(&input(1, SIDE * SIDE))?;
    let map = matrix(SIDE, SIDE, [32, 16]).swizzle(CU_TENSOR_MAP_SWIZZLE_128B).encode(&source)?;
    let maps = stream.clone_htod(&[map])?;
    let output = stream.alloc_zeros::<u32>(4 * 64)?;
    let arguments = (map, slice(&output), SIDE as u32, SIDE as u32);
    let of_twin = (address(&maps), address(&output), SIDE as u32, SIDE as u32);
    let config = LaunchConfig::new(4, 64).cluster(2);
    // SAFETY: the map describes a live matrix, with boxes of 32 by 16 and the 128-byte swizzle. The output has 256 words.
    let launches = unsafe { bench.launches("tensor_multicast", &config, arguments, of_twin)? };
    same_results(&launches, |launch| {
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    })?;
    bench.time(&launches, None)
}
