//! An accumulator has 128 rows.

use ptx::bf16;
use ptx::group::Thread;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tcgen05::{Issuer, Operand, Products};
use ptx::tensor::Box2;

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;

#[cfg(not(fixed))]
const ROWS: usize = 64;
#[cfg(fixed)]
const ROWS: usize = 128;

pub fn part<'p>(
    thread: &Thread<'p>,
    issuer: Issuer<'p, N64, 2>,
    a: Operand<'_, bf16, Rows<ROWS>, 1>,
    b: Operand<'_, bf16, Rows<64>, 1>,
) -> Products<'p, N64, 2> {
    issuer.start(thread, a, b)
}
