//! Checks of the kernels that take tensor maps.

use anyhow::{Context as _, Result, ensure};
use ptx_host::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B;
use ptx_host::{LaunchConfig, Tensor, TensorMapBuilder};

use crate::check::{self, Check, Finding};
use crate::device::Device;
use crate::guard::{POISON, compare_words};
use crate::kernels::{SEEDS, input};
use crate::options::Options;

/// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
pub const KERNELS: [&str; 4] = ["tensor_transpose", "tensor_sum", "tensor_retype", "tensor_multicast"];

const BLOCKS: u32 = 5;
const THREADS: u32 = 128;
const BOX: [u32; 2] = [32, 32];

type Run<D> = fn(&D, &<D as Device>::Loaded, u32) -> Result<()>;

/// Returns the check of each of [`KERNELS`] for one seed.
fn runs<D: Device>() -> [Run<D>; 4] {
    [transpose, sum, retype, multicast]
}

/// Runs a kernel of [`KERNELS`] with these seeds.
pub fn check<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str, seeds: &[u32]) -> Result<()> {
    let run = KERNELS.iter().zip(runs::<D>()).find(|(name, _)| **name == kernel);
    let (_, run) = run.with_context(|| format!("{kernel} has no check"))?;
    device.on_queue(|device| {
        seeds.iter().try_for_each(|&seed| run(device, loaded, seed).with_context(|| format!("seed {seed}")))
    })
}

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    let mut checks = Vec::new();
    // The matrices have an odd or an even number of boxes in a row, and enough boxes to use each stage of a pipeline again.
    let seeds = options.seeds_of(SEEDS, &[0, 1, 2, 5]);
    for kernel in KERNELS {
        checks.extend(check::for_each(options, kernel, |image| {
            let seeds = image.seeds(options, &seeds);
            vec![Check::new(format!("{kernel}/{}", image.label), options, move |device: &D| {
                check(device, &device.load(&image)?, kernel, &seeds)?;
                Ok(Finding::from(format!("{} seeds", seeds.len())))
            })]
        })?);
    }
    Ok(checks)
}

/// A matrix with padded rows, in words.
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

    /// Returns the matrix in `memory` as an argument of a typed launch.
    fn tensor<M>(self, memory: M) -> Tensor<M, 2> {
        Tensor::new(memory, [self.width as u64, self.height as u64]).strides(&[4 * self.pitch as u64])
    }

    fn map(self) -> TensorMapBuilder {
        TensorMapBuilder::tiled(&[self.width as u64, self.height as u64], &BOX)
            .strides(&[4 * self.pitch as u64])
    }
}

/// Returns the matrix of a seed and its transpose. Sizes range from less than a box to many boxes and are rarely whole boxes.
/// The pitch of rows is a multiple of 16 bytes, as maps require.
fn matrices(seed: u32) -> (Matrix, Matrix) {
    let (width, height) = (1 + seed as usize * 37 % 300, 1 + seed as usize * 53 % 260);
    let pitch = |width: usize| (width + seed as usize % 9).next_multiple_of(4);
    (
        Matrix { width, height, pitch: pitch(width) },
        Matrix { width: height, height: width, pitch: pitch(height) },
    )
}

/// Returns the expected output. The padding of rows keeps its old content, with one exception: a store writes rows in units of
/// 16 bytes, so the box's zeros past the end of a row fill the last unit.
fn expected(words: &[u32], from: Matrix, to: Matrix) -> Vec<u32> {
    let mut output = vec![POISON; to.words()];
    for y in 0..to.height {
        output[y * to.pitch..][to.width..to.width.next_multiple_of(4)].fill(0);
        for x in 0..to.width {
            output[y * to.pitch + x] = words[x * from.pitch + y];
        }
    }
    output
}

/// The bytes of a map.
const MAP: u64 = 128;

fn transpose<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::tensor::tensor_transpose)?;
    let (from, to) = matrices(seed);
    let words = input(seed, from.words());
    let source = device.memory(&words)?;
    let mut output = device.memory(&vec![POISON; to.words()])?;
    let [from_map, to_map] = [from, to].map(|matrix| matrix.map().swizzle(CU_TENSOR_MAP_SWIZZLE_128B));
    let maps = [device.map(&from_map, &source)?, device.map(&to_map, &output)?];
    let maps = device.memory(&maps.concat())?;
    let (width, height) = (from.width as u32, from.height as u32);
    let of_twin = (D::address(&maps), D::address(&maps) + MAP, width, height);
    let tensors = (from.tensor(D::read(&source)), to.tensor(D::write(&mut output)));
    // SAFETY: both maps describe live matrices, with boxes of 32 by 32. The maps are 128 bytes apart in a buffer aligned to 256.
    unsafe { kernel.launch(device, BLOCKS, tensors, of_twin)? };
    compare_words(&device.to_vec(&output)?, &expected(&words, from, to))
        .with_context(|| format!("{width} by {height}"))?;
    ensure!(device.to_vec(&source)? == words, "the input was changed");
    Ok(())
}

/// Returns the sum of matrices that lie one after another.
fn sums(words: &[u32], of: Matrix) -> Vec<u32> {
    let mut sums = vec![POISON; of.words()];
    for row in sums.chunks_mut(of.pitch) {
        row[..of.width].fill(0);
    }
    for matrix in words.chunks(of.words()) {
        for (y, row) in matrix.chunks(of.pitch).enumerate() {
            for (x, word) in row[..of.width].iter().enumerate() {
                let sum = &mut sums[y * of.pitch + x];
                *sum = sum.wrapping_add(*word);
            }
        }
    }
    sums
}

fn sum<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::function(loaded, KERNELS[1])?;
    let (of, count) = (matrices(seed).0, 1 + seed as usize % 7);
    let words = input(seed, of.words() * count);
    let source = device.memory(&words)?;
    let output = device.memory(&sums(&[], of))?;
    let maps = [device.map(&of.map(), &source)?, device.map(&of.map(), &output)?];
    let maps = device.memory(&maps.concat())?;
    let slots = device.memory(&vec![0_u64; count * MAP as usize / size_of::<u64>()])?;
    let arguments = (
        D::address(&maps),
        D::address(&maps) + MAP,
        D::address(&source),
        D::address(&slots),
        of.width as u32,
        of.height as u32,
        of.words() as u64,
    );
    // SAFETY: `count` matrices lie one after another, each with a slot for a map. Both maps have boxes of 32 by 32.
    unsafe { device.launch_by_name(&kernel, &LaunchConfig::new(count as u32, THREADS), arguments)? };
    compare_words(&device.to_vec(&output)?, &sums(&words, of))
        .with_context(|| format!("{count} of {} by {}", of.width, of.height))?;
    ensure!(device.to_vec(&source)? == words, "the input was changed");
    Ok(())
}

/// Checks a 3D tensor with a map that the kernel makes from a map of words: the loaded elements, and the map itself, which must
/// equal the driver's.
fn retype<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::function(loaded, KERNELS[2])?;
    let [width, height, depth] =
        [1 + seed as usize * 37 % 150, 1 + seed as usize * 5 % 13, 1 + seed as usize * 3 % 7];
    // The sizes are in elements. Eight elements are 16 bytes.
    let row = (width + seed as usize % 17).next_multiple_of(8);
    let matrix = row * height + 8 * (seed as usize % 3);
    let elements: Vec<u16> = input(seed, matrix * depth).into_iter().map(|word| word as u16).collect();
    let source = device.memory(&elements)?;
    let words = device.memory(&[0_u32; 64 * 40])?;
    let of_words = device.map(&TensorMapBuilder::tiled(&[64, 40], &BOX), &words)?;
    let expected = TensorMapBuilder::tiled(&[width as u64, height as u64, depth as u64], &[32, 4, 2])
        .strides(&[2 * row as u64, 2 * matrix as u64]);
    let expected = device.map(&expected, &source)?;
    let maps = device.memory(&of_words)?;
    let slot = device.memory(&[0_u64; MAP as usize / size_of::<u64>()])?;
    let boxes = [width.div_ceil(32), height.div_ceil(4), depth.div_ceil(2)];
    let n = 256 * boxes.iter().product::<usize>();
    let output = device.memory(&vec![POISON; n])?;
    let arguments = (
        D::address(&maps),
        D::address(&source),
        D::address(&slot),
        D::address(&output),
        width as u32,
        height as u32,
        depth as u32,
        2 * row as u64,
        2 * matrix as u64,
    );
    // SAFETY: the map describes words in boxes of 32 by 32. The elements have these sizes and strides, with room for the
    // results and a map slot.
    unsafe { device.launch_by_name(&kernel, &LaunchConfig::new(1, THREADS), arguments)? };
    let at = |[x, y, z]: [usize; 3]| {
        let is_inside = x < width && y < height && z < depth;
        if is_inside { u32::from(elements[z * matrix + y * row + x]) } else { 0 }
    };
    let of_box = |b: usize| [b % boxes[0], b / boxes[0] % boxes[1], b / boxes[0] / boxes[1]];
    let expected_words: Vec<u32> = (0..n)
        .map(|i| {
            let ([x, y, z], i) = (of_box(i / 256), i % 256);
            at([32 * x + i % 32, 4 * y + i / 32 % 4, 2 * z + i / 128])
        })
        .collect();
    compare_words(&device.to_vec(&output)?, &expected_words)
        .with_context(|| format!("{width} by {height} by {depth}"))?;
    // The second half holds the driver's own data, such as the bytes of the box, which copies do not read.
    let (made, expected) = (&device.to_vec(&slot)?[..8], &expected[..8]);
    ensure!(made == expected, "the kernel made the map {made:x?}, the host {expected:x?}");
    Ok(())
}

/// Returns the hashes that each thread of the four blocks computes from the rows of its box.
fn row_hashes(words: &[u32], of: Matrix) -> Vec<u32> {
    let mut hashes = vec![0_u32; 4 * 64];
    for (block, hashes) in hashes.as_chunks_mut::<64>().0.iter_mut().enumerate() {
        let (pair, rank) = (block / 2, block as u32 % 2);
        for (j, hash) in hashes[32..].iter_mut().enumerate() {
            for rows in (0..of.height.div_ceil(32)).skip(pair).step_by(2) {
                let row = words.chunks(of.pitch).nth(32 * rows + j).map_or(&[][..], |row| &row[..of.width]);
                let terms = row.iter().zip((1 + rank..).step_by(2));
                let sum =
                    terms.fold(0, |sum: u32, (word, factor)| sum.wrapping_add(word.wrapping_mul(factor)));
                *hash = hash.wrapping_mul(31).wrapping_add(sum);
            }
        }
    }
    hashes
}

fn multicast<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::tensor_multicast::tensor_multicast)?;
    let of = matrices(seed).0;
    let words = input(seed, of.words());
    let source = device.memory(&words)?;
    let map = TensorMapBuilder::tiled(&[of.width as u64, of.height as u64], &[32, 16])
        .strides(&[4 * of.pitch as u64])
        .swizzle(CU_TENSOR_MAP_SWIZZLE_128B);
    let maps = device.memory(&device.map(&map, &source)?)?;
    let expected = row_hashes(&words, of);
    let mut output = device.memory(&vec![POISON; expected.len()])?;
    let [width, height] = [of.width as u32, of.height as u32];
    let of_twin = (D::address(&maps), D::address(&output), width, height);
    let arguments = (of.tensor(D::read(&source)), D::write(&mut output), width, height);
    // SAFETY: the map describes a live matrix, with boxes of 32 by 16 and the 128-byte swizzle. The output has 256 words.
    unsafe { kernel.launch(device, 4, arguments, of_twin)? };
    compare_words(&device.to_vec(&output)?, &expected)
        .with_context(|| format!("{} by {}", of.width, of.height))?;
    ensure!(device.to_vec(&source)? == words, "the input was changed");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_is_the_transposed_matrix_with_its_gaps() {
        let (from, to) = (Matrix { width: 3, height: 2, pitch: 4 }, Matrix { width: 2, height: 3, pitch: 4 });
        let words = [1, 2, 3, 0, 4, 5, 6, 0];
        // A store fills the last 16 bytes of a row, and writes nothing after them.
        assert_eq!(expected(&words, from, to), [1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0, 0]);
        let to = Matrix { pitch: 8, ..to };
        assert!(
            expected(&words, from, to).chunks(8).all(|row| row[2..4] == [0; 2] && row[4..] == [POISON; 4])
        );
    }

    #[test]
    fn what_is_expected_is_the_sum_of_the_matrices() {
        let of = Matrix { width: 3, height: 1, pitch: 4 };
        assert_eq!(sums(&[1, 2, 3, 9, 10, 20, u32::MAX, 9], of), [11, 22, 2, POISON]);
        assert_eq!(sums(&[], of), [0, 0, 0, POISON]);
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
