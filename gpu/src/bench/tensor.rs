//! Benchmarks of kernels that take tensor maps.

use anyhow::{Context as _, Result};
use bytemuck::Zeroable as _;
use ptx_host::{DeviceBuffer, LaunchConfig, Swizzle, TensorMap, TensorMapBuilder};

use super::{Bench, Case, Timing, same_results};
use crate::kernels::input;
use crate::tensor_checks;

const THREADS: u32 = 128;
const SEEDS: u32 = 10;

pub fn cases() -> Vec<Case> {
    let case = |kernel: &'static str, note, run: fn(&Bench) -> Result<Timing>| Case {
        kernel,
        variant: "",
        note,
        run: Box::new(move |bench| {
            for side in &bench.sides {
                tensor_checks::check(bench.gpu, &side.module, kernel, SEEDS).context(side.label)?;
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

/// The map of a packed matrix of words, copied in boxes of `boxes` words.
fn matrix(width: usize, height: usize, boxes: [u32; 2]) -> TensorMapBuilder {
    TensorMapBuilder::tiled(&[width as u64, height as u64], &boxes).strides(&[4 * width as u64])
}

fn transpose(bench: &Bench) -> Result<Timing> {
    const WIDTH: usize = 1 << 14;
    const HEIGHT: usize = 1 << 13;
    let device = &bench.gpu.device;
    let source = DeviceBuffer::from_slice(device, &input(1, WIDTH * HEIGHT))?;
    let output = DeviceBuffer::<u32>::alloc(device, WIDTH * HEIGHT)?;
    let maps = [
        matrix(WIDTH, HEIGHT, [32, 32]).swizzle(Swizzle::B128).encode(source.as_slice())?,
        matrix(HEIGHT, WIDTH, [32, 32]).swizzle(Swizzle::B128).encode(output.as_slice())?,
    ];
    let maps = DeviceBuffer::from_slice(device, &maps)?;
    let arguments = (maps.slice(0..1)?.as_ptr(), maps.slice(1..2)?.as_ptr(), WIDTH as u32, HEIGHT as u32);
    // One square of 32 by 32 per thread block.
    let config = LaunchConfig::new((WIDTH / 32 * HEIGHT / 32) as u32, THREADS);
    // SAFETY: both maps describe live matrices, with boxes of 32 by 32 and the 128-byte swizzle. The maps are 128 bytes apart.
    let launches = unsafe { bench.launches("tensor_transpose", &config, arguments)? };
    same_results(&launches, |launch| {
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(output.as_slice().to_vec()?)
    })?;
    bench.time(&launches, Some(2 * 4 * WIDTH * HEIGHT))
}

fn sum(bench: &Bench) -> Result<Timing> {
    const SIDE: usize = 256;
    const WORDS: usize = SIDE * SIDE;
    let device = &bench.gpu.device;
    let count = 8 * bench.multiprocessors();
    let source = DeviceBuffer::from_slice(device, &input(1, WORDS * count as usize))?;
    let zeros = DeviceBuffer::from_slice(device, &vec![0_u32; WORDS])?;
    let mut output = DeviceBuffer::<u32>::alloc(device, WORDS)?;
    let map = matrix(SIDE, SIDE, [32, 32]);
    let maps = [map.clone().encode(source.slice(0..WORDS)?)?, map.encode(output.as_slice())?];
    let maps = DeviceBuffer::from_slice(device, &maps)?;
    let mut slots = DeviceBuffer::from_slice(device, &vec![TensorMap::zeroed(); count as usize])?;
    let arguments = (
        maps.slice(0..1)?.as_ptr(),
        maps.slice(1..2)?.as_ptr(),
        source.as_slice().as_ptr(),
        slots.as_mut_slice().as_mut_ptr(),
        SIDE as u32,
        SIDE as u32,
        WORDS as u64,
    );
    // SAFETY: `count` matrices lie one after another, each with a slot for a map. Both maps have boxes of 32 by 32.
    let launches = unsafe { bench.launches("tensor_sum", &LaunchConfig::new(count, THREADS), arguments)? };
    same_results(&launches, |launch| {
        output.as_mut_slice().copy_from(zeros.as_slice(), &bench.gpu.stream)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(output.as_slice().to_vec()?)
    })?;
    bench.time(&launches, Some(4 * WORDS * count as usize))
}

fn retype(bench: &Bench) -> Result<Timing> {
    const SIZE: [usize; 3] = [256, 64, 8];
    const LENGTH: usize = SIZE[0] * SIZE[1] * SIZE[2];
    let device = &bench.gpu.device;
    let elements: Vec<u16> = input(1, LENGTH).into_iter().map(|word| word as u16).collect();
    let source = DeviceBuffer::from_slice(device, &elements)?;
    let words = DeviceBuffer::from_slice(device, &[0_u32; 64 * 40])?;
    let map = TensorMapBuilder::tiled(&[64, 40], &[32, 32]).encode(words.as_slice())?;
    let maps = DeviceBuffer::from_slice(device, &[map])?;
    let mut slot = DeviceBuffer::from_slice(device, &[TensorMap::zeroed()])?;
    let mut output = DeviceBuffer::<u32>::alloc(device, LENGTH)?;
    let arguments = (
        maps.as_slice().as_ptr(),
        source.as_slice().as_ptr(),
        slot.as_mut_slice().as_mut_ptr(),
        output.as_mut_slice().as_mut_ptr(),
        SIZE[0] as u32,
        SIZE[1] as u32,
        SIZE[2] as u32,
        2 * SIZE[0] as u64,
        2 * (SIZE[0] * SIZE[1]) as u64,
    );
    // SAFETY: the map describes words in boxes of 32 by 32. The elements are packed, with room for the results and a map slot.
    let launches = unsafe { bench.launches("tensor_retype", &LaunchConfig::new(1, THREADS), arguments)? };
    same_results(&launches, |launch| {
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(output.as_slice().to_vec()?)
    })?;
    bench.time(&launches, None)
}

fn multicast(bench: &Bench) -> Result<Timing> {
    const SIDE: usize = 2048;
    let device = &bench.gpu.device;
    let source = DeviceBuffer::from_slice(device, &input(1, SIDE * SIDE))?;
    let map = matrix(SIDE, SIDE, [32, 16]).swizzle(Swizzle::B128).encode(source.as_slice())?;
    let maps = DeviceBuffer::from_slice(device, &[map])?;
    let mut output = DeviceBuffer::<u32>::alloc(device, 4 * 64)?;
    let arguments = (maps.as_slice().as_ptr(), output.as_mut_slice().as_mut_ptr(), SIDE as u32, SIDE as u32);
    let config = LaunchConfig::new(4, 64).cluster(2);
    // SAFETY: the map describes a live matrix, with boxes of 32 by 16 and the 128-byte swizzle. The output has 256 words.
    let launches = unsafe { bench.launches("tensor_multicast", &config, arguments)? };
    same_results(&launches, |launch| {
        (launch.put)()?;
        bench.gpu.wait()?;
        Ok(output.as_slice().to_vec()?)
    })?;
    bench.time(&launches, None)
}
