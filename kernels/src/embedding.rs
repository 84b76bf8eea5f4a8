//! Rows of a table by their indices: the embedding of tokens, and its gradient.

use ptx::atomic::GlobalAtomics;
use ptx::bf16;
use ptx::global::{Global, GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;
use ptx::qualifier::{scope, sem};
use ptx::registers::unroll;
use ptx::trap;

const THREADS: usize = 128;
/// Vectors that a thread has in flight.
const LOADS: usize = 4;

/// Each row of the output ← the row of the table at `tokens[row]`.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA.
#[ptx::kernel(threads = THREADS as u32)]
pub fn embedding_gather(
    cta: Cta,
    tokens: Global<u32>,
    table: GlobalMatrix<bf16>,
    output: GlobalRowsMut<bf16>,
) {
    for (_, token, to) in output.rows_with(&cta, tokens) {
        let Some(row) = table.row(token as usize) else { trap() };
        to.vectors(&cta).for_each_write::<LOADS, _>(row, |vector| vector);
    }
}

/// Row `tokens[i]` of the table ← that row + row i of `gradients`, for each i. A sum of several rows is rounded after each.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA.
///
/// Technique: `red` adds a vector of 16 bytes, each of its eight halves atomically.
#[ptx::kernel(threads = THREADS as u32)]
pub fn embedding_scatter_add(
    cta: Cta,
    tokens: Global<u32>,
    gradients: GlobalMatrix<bf16>,
    table: GlobalAtomics<bf16, scope::Gpu>,
) {
    let (vectors, Some(table)) = (gradients.columns() as usize / 8, table.vectors::<8>()) else { trap() };
    let mut i = cta.grid_rank() as usize;
    while let (Some(row), Some(token)) = (gradients.row(i), tokens.get(i)) {
        let first = token as usize * vectors;
        let add = |v: usize, vector: [bf16; 8]| {
            if let Some(to) = table.get(first + v) {
                to.add(vector, sem::Relaxed);
            }
        };
        let mut v = cta.thread_rank() as usize;
        while let Some(loaded) = row.get_vectors::<LOADS, THREADS>(v) {
            unroll::<LOADS>(|k| add(v + k * THREADS, loaded[k]));
            v += LOADS * THREADS;
        }
        while let Some(vector) = row.get_vector(v) {
            add(v, vector);
            v += THREADS;
        }
        i += cta.grid_size() as usize;
    }
}
