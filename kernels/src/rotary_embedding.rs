//! Rotary position embedding (RoPE) of heads of 128 elements: elements i and i + 64 are the coordinates that are rotated together.

use ptx::global::{Global, GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;
use ptx::math::{convert, fma, neg};
use ptx::registers::{from_fn, unroll, zeroed};
use ptx::{bf16, trap};

const THREADS: u32 = 128;
/// Vectors of a thread at a time, for each of which it loads two.
const VECTORS: usize = 4;

/// Each row of the output ← that row of the input, which is a token with any number of heads, rotated by the angles of the token's
/// position: the row of `cosines` and `sines` at `positions[token]`, of 64 angles.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA. A CTA per token is best: a multiprocessor with a shorter way to memory then
/// gets more tokens.
///
/// Technique: a thread loads its vector and the one that is rotated with it, which lies eight vectors on. The second load finds the
/// vector in the L1 cache. Both are in flight before its angles are.
#[ptx::kernel(threads = THREADS)]
pub fn rotary_embedding(
    cta: Cta,
    #[len(tokens)] positions: Global<u32>,
    cosines: GlobalMatrix<bf16>,
    sines: GlobalMatrix<bf16>,
    #[len(tokens, columns)] input: GlobalMatrix<bf16>,
    #[len(tokens, columns)] output: GlobalRowsMut<bf16>,
    tokens: u32,
    columns: u32,
) {
    // All vectors of a thread have the same place in their heads, since 128 is a multiple of 16.
    let (angles, is_second) = (cta.thread_rank() as usize % 8, cta.thread_rank() & 8 != 0);
    for (_, (from, position), to) in output.rows_with(&cta, (input, positions)) {
        let own = to.vectors(&cta);
        let load = |first: usize| {
            let mut loaded: [[[bf16; 8]; 2]; VECTORS] = zeroed();
            unroll::<VECTORS>(|k| {
                if let (Some((i, _)), Some((mine, _))) = (own.get(first + k), own.get_with(first + k, from)) {
                    loaded[k][0] = mine;
                    if let Some(other) = from.get_vector(i ^ 8) {
                        loaded[k][1] = other;
                    }
                }
            });
            loaded
        };
        // In flight while the position and then its angles arrive.
        let (mut loaded, mut first) = (load(0), 0);

        let of_position = |angles_of: GlobalMatrix<bf16>| -> [bf16; 8] {
            let of_thread = angles_of.row(position as usize).and_then(|row| row.get_vector(angles));
            of_thread.unwrap_or_else(|| trap())
        };
        let (cosine, sine) = (of_position(cosines), of_position(sines));
        let sine: [f32; 8] = convert(if is_second { sine } else { neg(sine) });
        let cosine: [f32; 8] = convert(cosine);
        while own.get(first).is_some() {
            unroll::<VECTORS>(|k| {
                if let Some((_, to)) = own.get(first + k) {
                    let [mine, other]: [[f32; 8]; 2] = loaded[k].map(convert);
                    to.write(convert(from_fn::<f32, 8>(|i| fma(mine[i], cosine[i], other[i] * sine[i]))));
                }
            });
            first += VECTORS;
            loaded = load(first);
        }
    }
}
