//! A reduction has its memory for itself: its closure makes no other reduction with the same memory.

use ptx::group::Cta;
use ptx::reduce::ReduceMemory;

pub fn kernel(cta: &Cta, partials: &mut ReduceMemory<u32>, value: u32) -> u32 {
    #[cfg(not(fixed))]
    {
        partials.reduce(cta, value, |a, b| a * partials.reduce_add(cta, b))
    }
    #[cfg(fixed)]
    {
        let sum = partials.reduce_add(cta, value);
        partials.reduce(cta, value, |a, b| a * b * sum)
    }
}
