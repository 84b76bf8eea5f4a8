//! Segmented sums within each warp: `match.any` makes groups of equal keys, each group reduces, and shuffles make a prefix sum.

use ptx::global::{Global, GlobalElementsMut};
use ptx::group::Cta;

/// Computes two sums for each word, whose key is its low three bits. The first is the sum of the words of its warp with its key,
/// plus the number of such words on lower lanes. The second is the sum of the words of its warp up to and including the word. The
/// output is the exclusive or of both sums.
///
/// Launch: 3 CTAs of 112 threads (the last warp of each CTA has 16 threads). `n` is 336.
#[ptx::kernel(threads = 112)]
pub fn warp_segmented_sum(
    cta: Cta,
    #[len(n)] input: Global<u32>,
    #[len(n)] output: GlobalElementsMut<u32>,
    n: u32,
) {
    let warp = cta.warp();
    let value = input.get(cta.grid_thread_rank() as usize).unwrap_or(0);

    let same_key = warp.partition_by(value & 7);
    let sum = same_key.reduce_add(value).wrapping_add(same_key.thread_rank());

    let mut prefix = value;
    for delta in [1, 2, 4, 8, 16] {
        prefix = prefix.wrapping_add(warp.shuffle_up(prefix, delta).unwrap_or(0));
    }
    if let Some((_, output)) = output.elements(&cta).next() {
        output.write(sum ^ prefix);
    }
}
