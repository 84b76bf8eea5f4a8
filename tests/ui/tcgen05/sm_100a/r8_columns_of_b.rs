//! The rows of B are the columns of the accumulator.

use ptx::bf16;
use ptx::group::Thread;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tcgen05::{Operand, Products};
use ptx::tensor::Box2;

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;

#[cfg(not(fixed))]
const ROWS: usize = 128;
#[cfg(fixed)]
const ROWS: usize = 64;

pub fn part<'p>(
    thread: &Thread<'p>,
    products: Products<'p, N64, 2>,
    a: Operand<'_, bf16, Rows<128>, 1>,
    b: Operand<'_, bf16, Rows<ROWS>, 1>,
) -> Products<'p, N64, 2> {
    products.mma(thread, a, b)
}
