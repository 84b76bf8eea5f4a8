//! A call has the memory for the results of the warps for itself, and no other call stands in its closure.

use ptx::launch::Cta;
use ptx::reduce::ReduceMemory;

pub fn kernel(cta: &Cta, partials: &mut ReduceMemory<u32>, value: u32) -> u32 {
    let sum = partials.reduce_add(cta, value);
    partials.reduce(cta, value, |a, b| a * b * sum)
}
