//! The gradients of a layer norm (LayerNorm), of its input, weights and bias.

use ptx::atomic::GlobalAtomics;
use ptx::bf16;
use ptx::global::{AdjacentRowsMut, Global, GlobalMatrix, GlobalRowsMut, GlobalTickets};
use ptx::group::Cta;
use ptx::math::{convert, fma, rcp_ftz};
use ptx::qualifier::{B128, scope, sem};
use ptx::reduce::ReduceMemory;
use ptx::registers::{from_fn, unroll, zeroed};
use ptx::shared::SharedArray;
use ptx::trap;

const THREADS: usize = 512;
/// A thread has one vector of a row.
const COLUMNS: usize = 8 * THREADS;
/// Rows of a CTA at a time, which one reduction serves.
const ROWS: usize = 2;

ptx::shared_memory! {
    struct Smem { partials: ReduceMemory<B128>, drawn: ReduceMemory<u64>, sums: SharedArray<f32, { 2 * COLUMNS }> }
}

/// The sums of a row: of the gradients of x̂, and of their products with x̂.
type Sums = [f32; 2];

#[inline(always)]
fn pack(sums: [Sums; ROWS]) -> B128 {
    let [lo, hi] = sums.map(|[a, b]| u64::from(a.to_bits()) | u64::from(b.to_bits()) << 32);
    B128 { lo, hi }
}

#[inline(always)]
fn unpack(packed: B128) -> [Sums; ROWS] {
    [packed.lo, packed.hi].map(|sums| [sums as u32, (sums >> 32) as u32].map(f32::from_bits))
}

/// For each row of y = x̂ · weights + bias, where x̂ = (x - mean) · scale: the row of dx ← the gradient of x, of dy as the gradient of y.
/// `dweights` ← `dweights` + the sum of dy · x̂ over all rows, `dbias` ← `dbias` + the sum of dy. Rows have up to 4096 elements.
/// `tickets` are 0 before the launch.
///
/// Launch: a 1-D grid of any size, 512 threads per CTA. Each CTA adds its sums to memory once, so a grid fills the GPU once: a
/// multiprocessor has registers for one CTA.
///
/// Technique: a thread keeps the sums of its columns in registers. It loads the next two rows while the CTA reduces these. CTAs take
/// rows by tickets, since some multiprocessors reach memory faster than others. In the end the sums pass through shared memory, so
/// that a warp adds to adjacent vectors.
#[ptx::kernel(threads = THREADS as u32, min_ctas = 1)]
pub fn layer_norm_backward(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(rows, columns)] dy: GlobalMatrix<bf16>,
    #[len(rows, columns)] x: GlobalMatrix<bf16>,
    #[len(rows)] means: Global<f32>,
    #[len(rows)] scales: Global<f32>,
    #[len(columns)] weights: Global<bf16>,
    #[len(rows, columns)] dx: GlobalRowsMut<bf16>,
    dweights: GlobalAtomics<f32, scope::Gpu>,
    dbias: GlobalAtomics<f32, scope::Gpu>,
    tickets: GlobalTickets,
    rows: u32,
    columns: u32,
) {
    if columns > COLUMNS as u32 {
        trap();
    }
    let (Some(last_row), Some(last_vector)) = (rows.checked_sub(1), (columns / 8).checked_sub(1)) else {
        return;
    };
    let (last_row, last_vector) = (last_row as usize, last_vector as usize);
    let warp = cta.warp();
    let (thread, mut partials, mut drawn) = (cta.thread_rank() as usize, smem.partials, smem.drawn);
    // Without a branch the loads of the next rows stay in flight: what lies past an end is loaded again, and adds nothing. A lane has the
    // mean and the scale of one of the rows.
    let load = |next: &Option<AdjacentRowsMut<bf16, ROWS>>| -> ([[[bf16; 8]; 2]; ROWS], [f32; 2]) {
        let first = next.as_ref().map_or(0, AdjacentRowsMut::first);
        let vectors = from_fn(|r| {
            let row = (first + r).min(last_row);
            let (Some(dy), Some(x)) = (dy.row(row), x.row(row)) else { trap() };
            [dy, x].map(|row| row.get_vector(thread.min(last_vector)).unwrap_or_else(|| trap()))
        });
        let row = (first + thread % ROWS).min(last_row);
        (vectors, [means, scales].map(|numbers| numbers.get(row).unwrap_or_else(|| trap())))
    };
    let mut rows = dx.rows_by_ticket::<ROWS>(&cta, tickets);
    let mut now = rows.next_rows(&cta, &mut drawn);
    rows.draw(&cta);
    let mut loaded = load(&now);
    let weights: [f32; 8] = convert(weights.get_vector(thread).unwrap_or_default());
    let of_a_column = rcp_ftz(columns as f32);
    let mut next = rows.next_rows(&cta, &mut drawn);
    rows.draw(&cta);

    let (mut of_weights, mut of_bias) = ([0.0; 8], [0.0; 8]);
    while let Some(current) = now {
        let (vectors, of_row) = loaded;
        // The first use of loaded numbers waits for all loads before it, so the next loads come after it. The other shuffles keep
        // these loads above the work on the vectors: ptxas would move them down.
        let of_rows: [[f32; 2]; ROWS] = from_fn(|r| {
            if r + 1 == ROWS {
                loaded = load(&next);
            }
            of_row.map(|of_lane| warp.shuffle(of_lane, r as u32))
        });

        let mut gradients: [[f32; 8]; ROWS] = zeroed();
        let mut normalized: [[f32; 8]; ROWS] = zeroed();
        let mut sums: [Sums; ROWS] = zeroed();
        unroll::<ROWS>(|r| {
            let ([dy, x], [mean, scale]): ([[f32; 8]; 2], _) = (vectors[r].map(convert), of_rows[r]);
            let shift = -mean * scale;
            normalized[r] = from_fn(|i| fma(x[i], scale, shift));
            gradients[r] = from_fn(|i| dy[i] * weights[i]);
            unroll::<8>(|i| {
                sums[r][0] += gradients[r][i];
                sums[r][1] = fma(gradients[r][i], normalized[r][i], sums[r][1]);
            });
            // The last row may have none beside it.
            if r == 0 || current.first() + r <= last_row {
                unroll::<8>(|i| {
                    of_weights[i] = fma(dy[i], normalized[r][i], of_weights[i]);
                    of_bias[i] += dy[i];
                });
            }
        });
        let after = rows.next_rows(&cta, &mut drawn);
        let sums = unpack(partials.reduce(&cta, pack(sums), |a, b| {
            let (a, b) = (unpack(a), unpack(b));
            pack(from_fn(|r| from_fn(|i| a[r][i] + b[r][i])))
        }));
        rows.draw(&cta);

        let mut to = current.rows();
        unroll::<ROWS>(|r| {
            let [_, scale] = of_rows[r];
            let [of_sum, of_product] = sums[r].map(|sum| -scale * of_a_column * sum);
            if let Some((_, to)) = to[r].take()
                && let Some((_, to)) = to.vectors(&cta).get(0)
            {
                to.write(convert(from_fn::<f32, 8>(|i| {
                    fma(gradients[r][i], scale, fma(normalized[r][i], of_product, of_sum))
                })));
            }
        });
        (now, next) = (next, after);
    }

    let (Some(dweights), Some(dbias)) = (dweights.vectors::<4>(), dbias.vectors::<4>()) else { trap() };
    cta.finish(smem.sums, |cta, sums| {
        let sums = sums.vector_stores();
        unroll::<2>(|half| {
            let four = |sums: &[f32; 8]| from_fn::<f32, 4>(|i| sums[4 * half + i]);
            sums.set_vector(2 * thread + half, four(&of_weights));
            sums.set_vector(COLUMNS / 4 + 2 * thread + half, four(&of_bias));
        });
        let sums = sums.publish().sync(cta);
        unroll::<2>(|half| {
            let i = thread + half * THREADS;
            if let (Some(dweights), Some(dbias)) = (dweights.get(i), dbias.get(i)) {
                dweights.add(sums.get_vector(i).unwrap_or_default(), sem::Relaxed);
                dbias.add(sums.get_vector(COLUMNS / 4 + i).unwrap_or_default(), sem::Relaxed);
            }
        });
        sums.end()
    });
}
