//! `createpolicy.fractional` takes fractions in (0, 1]: safe code cannot pass another.

use ptx::qualifier::evict;
use ptx::raw;

pub fn kernel(fraction: f32) -> u64 {
    raw::createpolicy_fractional(evict::Last, evict::Unchanged, fraction)
}
