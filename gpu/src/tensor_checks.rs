//! The check of `tensor_transpose`, whose parameters are tensor maps.

use anyhow::{Context as _, Result};
use ptx_host::{DeviceBuffer, DevicePtr, LaunchConfig, Module, TensorMap, TensorMapBuilder};

use crate::check::{Check, Finding, Gpu};
use crate::cli::Options;
use crate::kernels::{SEEDS, input};
use crate::suite::{GUARD, POISON, compare};

/// `fn(input: *const TensorMap, output: *const TensorMap, width: u32, height: u32)`.
pub const KERNEL: &str = "tensor_transpose";

const BLOCKS: u32 = 5;
const THREADS: u32 = 128;
const BOX: [u32; 2] = [32, 32];

pub fn list(options: &Options) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let seeds = if options.quick { 2 } else { SEEDS };
    for kind in ["ptx", "cubin"] {
        let image = options.dir()?.join(format!("{KERNEL}.{kind}"));
        checks.push(Check::new(format!("{KERNEL}/{kind}"), options, move |gpu| {
            check(gpu, &Module::load(&gpu.device, &image)?, seeds)
        }));
    }
    Ok(checks)
}

/// A matrix whose rows are apart by more than they are long, in words.
#[derive(Debug, Clone, Copy)]
struct Matrix {
    width: usize,
    height: usize,
    pitch: usize,
}

impl Matrix {
    fn words(self) -> usize {
        self.pitch * self.height
    }

    fn map(self) -> TensorMapBuilder {
        TensorMapBuilder::tiled(&[self.width as u64, self.height as u64], &BOX)
            .strides(&[4 * self.pitch as u64])
    }
}

/// The matrices of a seed, the second being the first transposed: from less than a box to many, seldom whole boxes. Rows are
/// apart by multiples of 16 bytes, as maps want.
fn matrices(seed: u32) -> (Matrix, Matrix) {
    let (width, height) = (1 + seed as usize * 37 % 300, 1 + seed as usize * 53 % 260);
    let pitch = |width: usize| (width + seed as usize % 9).next_multiple_of(4);
    (
        Matrix { width, height, pitch: pitch(width) },
        Matrix { width: height, height: width, pitch: pitch(height) },
    )
}

/// What the output holds afterwards: between its rows what was there before.
fn expected(words: &[u32], from: Matrix, to: Matrix) -> Vec<u32> {
    let mut output = vec![POISON; to.words()];
    for y in 0..to.height {
        for x in 0..to.width {
            output[y * to.pitch + x] = words[x * from.pitch + y];
        }
    }
    output
}

fn check(gpu: &Gpu, module: &Module, seeds: u32) -> Result<Finding> {
    let kernel = module.kernel::<(DevicePtr<TensorMap>, DevicePtr<TensorMap>, u32, u32)>(KERNEL)?;
    for seed in 0..seeds {
        let (from, to) = matrices(seed);
        let words = input(seed, from.words());
        let source = DeviceBuffer::from_slice(&gpu.device, &words)?;
        let n = to.words();
        let mut output = DeviceBuffer::from_slice(&gpu.device, &vec![POISON; n + 2 * GUARD])?;
        let maps = [
            from.map().encode(source.as_slice())?,
            to.map().encode(output.slice_mut(GUARD..GUARD + n)?.as_slice())?,
        ];
        let maps = DeviceBuffer::from_slice(&gpu.device, &maps)?;
        let (width, height) = (from.width as u32, from.height as u32);
        let arguments = (maps.slice(0..1)?.as_ptr(), maps.slice(1..2)?.as_ptr(), width, height);
        // SAFETY: two maps of matrices that are there, of boxes of 32 by 32; each is 128 bytes after another in a buffer
        // aligned to 256.
        unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(BLOCKS, THREADS), arguments)? };
        gpu.wait()?;
        compare(&output.as_slice().to_vec()?, &expected(&words, from, to))
            .with_context(|| format!("seed {seed}: {width} by {height}"))?;
        anyhow::ensure!(source.as_slice().to_vec()? == words, "seed {seed}: the input was changed");
    }
    Ok(format!("{seeds} seeds").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_is_the_transposed_matrix_with_its_gaps() {
        let (from, to) = (Matrix { width: 3, height: 2, pitch: 4 }, Matrix { width: 2, height: 3, pitch: 4 });
        let words = [1, 2, 3, 0, 4, 5, 6, 0];
        let gap = POISON;
        assert_eq!(expected(&words, from, to), [1, 4, gap, gap, 2, 5, gap, gap, 3, 6, gap, gap]);
    }

    #[test]
    fn sizes_range_from_less_than_a_box_to_many_and_rows_from_packed_to_far_apart() {
        let all: Vec<_> = (0..SEEDS).map(matrices).collect();
        assert!(all.iter().all(|(from, to)| (from.width, from.height) == (to.height, to.width)));
        assert!(all.iter().flat_map(|(from, to)| [from, to]).all(|m| m.pitch >= m.width && m.pitch % 4 == 0));
        for holds in [
            |m: Matrix| m.width < 32 && m.height < 32,
            |m: Matrix| m.width > 256 && m.height > 128,
            |m: Matrix| m.pitch == m.width,
            |m: Matrix| m.pitch > m.width + 4,
        ] {
            assert!(all.iter().any(|&(from, _)| holds(from)));
        }
    }
}
