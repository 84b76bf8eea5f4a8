//! The memory of a reduction holds results of one type.

use ptx::group::Cta;
use ptx::reduce::ReduceMemory;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, partials: &mut ReduceMemory<u32>, value: i32) {
    let _ = partials.reduce_add(cta, value);
    let _ = partials.reduce_min(cta, value);
    let _ = partials.reduce_max(cta, value);
    let _ = partials.reduce_and(cta, value);
    let _ = partials.reduce_or(cta, value);
    let _ = partials.reduce_xor(cta, value);
    let _ = partials.reduce(cta, value, |a, b| a * b);
    let _ = partials.inclusive_scan(cta, value, |a, b| a * b);
    let _ = partials.exclusive_scan(cta, value, |a, b| a * b);
    let _ = partials.inclusive_sum(cta, value);
    let _ = partials.exclusive_sum(cta, value);
    let _ = partials.broadcast(cta, value);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, partials: &mut ReduceMemory<i32>, value: i32) {
    let _ = partials.reduce_add(cta, value);
    let _ = partials.reduce_min(cta, value);
    let _ = partials.reduce_max(cta, value);
    let _ = partials.reduce_and(cta, value);
    let _ = partials.reduce_or(cta, value);
    let _ = partials.reduce_xor(cta, value);
    let _ = partials.reduce(cta, value, |a, b| a * b);
    let _ = partials.inclusive_scan(cta, value, |a, b| a * b);
    let _ = partials.exclusive_scan(cta, value, |a, b| a * b);
    let _ = partials.inclusive_sum(cta, value);
    let _ = partials.exclusive_sum(cta, value);
    let _ = partials.broadcast(cta, value);
}
