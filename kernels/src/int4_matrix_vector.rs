//! Matrix-vector product (GEMV) with weights of four bits and a scale for each group of 128: the layer of a quantized model, for one
//! token.

use ptx::global::{Global, GlobalMatrix, GlobalScatter};
use ptx::group::Cta;
use ptx::math::{convert, fma};
use ptx::registers::{from_fn, unroll};
use ptx::shared::Element;
use ptx::{bf16, f16, trap};

/// Rows of a warp at a time: as many vectors of weights are in flight.
const ROWS: usize = 4;
/// Of a pair of half words, the first nibbles, and the second ones.
const FIRST: u32 = 0x000f_000f;
const SECOND: u32 = 0x00f0_00f0;

/// Returns two nibbles of a word as 1024 plus their value, in the fraction of an `f16`. A second nibble counts 16-fold.
#[inline(always)]
fn nibbles(word: u32, mask: u32) -> [f32; 2] {
    let bits = word & mask | 0x6400_6400;
    convert([f16::from_bits(bits as u16), f16::from_bits((bits >> 16) as u16)])
}

/// y ← W · x, where `W[r][c]` is the nibble of row r and column c, less 8, times `scales[r][c / 128]`. A word has the nibbles of eight
/// columns: those of even columns in its low half, those of odd columns in its high half. The number of columns is a multiple of 1024.
/// Products are summed up in `f32`.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA: four rows per warp.
///
/// Technique: `& 0x000f000f | 0x64006400` makes two `f16` of two nibbles. What they have too much is a multiple of the sum of x, equal in
/// all rows.
#[ptx::kernel(threads = 256, min_ctas = 2, instances(<f16>, <bf16>))]
pub fn int4_matrix_vector<T: Element>(
    cta: Cta,
    weights: GlobalMatrix<u32>,
    scales: GlobalMatrix<T>,
    x: Global<T>,
    y: GlobalScatter<T>,
) {
    let (warp, rows) = (cta.warp(), weights.rows() as usize);
    let (lane, vectors) = (warp.lane(), weights.columns() / 4);
    let mut first = (cta.grid_rank() as usize * 8 + cta.warp_rank() as usize) * ROWS;
    while first < rows {
        // In place of rows past the end, the last one.
        let of_rows = [0, 1, 2, 3].map(|k| {
            let row = (first + k).min(rows - 1);
            let (Some(weights), Some(scales)) = (weights.row(row), scales.row(row)) else { trap() };
            (weights, scales)
        });
        let mut sums = [0.0_f32; ROWS];
        let mut v = lane;
        while v < vectors {
            let i = v as usize;
            let words: [[u32; 4]; ROWS] = from_fn(|k| of_rows[k].0.get_vector(i).unwrap_or_default());
            let scales: [f32; ROWS] = from_fn(|k| convert(of_rows[k].1.get(i / 4).unwrap_or_default()));
            let Some(x) = x.get_vectors::<4, 1>(4 * i) else { trap() };
            let mut of_vector = [0.0_f32; ROWS];
            let mut too_much = 0.0;
            unroll::<4>(|word| {
                let x: [f32; 8] = convert(x[word]);
                // Columns 2, 3, 6 and 7 have second nibbles.
                let x: [f32; 8] = from_fn(|i| if i & 2 == 0 { x[i] } else { x[i] * (1.0 / 16.0) });
                unroll::<8>(|i| too_much = fma(x[i], if i & 2 == 0 { 1032.0 } else { 1152.0 }, too_much));
                unroll::<ROWS>(|k| {
                    let word = words[k][word];
                    unroll::<4>(|pair| {
                        let mask = if pair & 1 == 0 { FIRST } else { SECOND };
                        let weights = nibbles(word >> (8 * (pair / 2)), mask);
                        of_vector[k] = fma(weights[0], x[2 * pair], of_vector[k]);
                        of_vector[k] = fma(weights[1], x[2 * pair + 1], of_vector[k]);
                    });
                });
            });
            unroll::<ROWS>(|k| sums[k] = fma(scales[k], of_vector[k] - too_much, sums[k]));
            v += 32;
        }
        unroll::<ROWS>(|k| {
            let sum = warp.reduce_add(sums[k]);
            if lane == 0 {
                y.write(first + k, convert(sum));
            }
        });
        first += cta.grid_size() as usize * 8 * ROWS;
    }
}
