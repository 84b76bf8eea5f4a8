//! Expected output of each kernel of `tests/device/slice`: the same arithmetic without copies and barriers.

use super::table::{Suite, THREADS, kernel};

/// The kernels of the typed layer.
pub const SUITE: Suite = Suite {
    name: "slice",
    kernels: &[
        kernel("slice_publish", |seed| (0..N).rev().map(|i| value(seed, i)).collect()),
        kernel("slice_mbarrier", mbarrier),
        kernel("slice_round_trip", round_trip),
        kernel("slice_group", |seed| {
            (0..N).map(|i| value(seed, i)).chain((0..N).map(|i| !value(seed, i))).collect()
        }),
        // No dynamic shared memory is left, so the kernel's request is refused.
        kernel("slice_no_dynamic", |seed| vec![seed ^ 1; THREADS as usize]),
        kernel("slice_barriers", barriers),
    ],
};

const N: usize = 1024;

fn value(seed: u32, i: usize) -> u32 {
    seed.wrapping_mul(2_654_435_761).wrapping_add(i as u32)
}

fn mbarrier(seed: u32) -> Vec<u32> {
    let sum = (0..5).fold(seed, |sum, phase| sum.wrapping_mul(3).wrapping_add(phase));
    vec![sum; THREADS as usize]
}

/// Returns both tiles. The second tile is the first, changed; then the first becomes a copy of the second.
fn round_trip(seed: u32) -> Vec<u32> {
    let changed: Vec<u32> = (0..N).map(|i| value(seed, i) ^ i as u32).collect();
    [changed.clone(), changed].concat()
}

fn barriers(seed: u32) -> Vec<u32> {
    (0..THREADS as usize).map(|i| (4 * i..4 * i + 4).map(|i| value(seed, i)).fold(0, |a, b| a ^ b)).collect()
}
