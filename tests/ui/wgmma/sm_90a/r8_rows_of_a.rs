//! The rows of A are those of the accumulator.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::qualifier::{n, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Flight, Operand, Tile};

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;

pub fn part<'a>(
    warpgroup: &Warpgroup<'_, 2>,
    sums: Flight<'a, n::N64>,
    a: Operand<'a, bf16, Rows<128>, 1>,
    b: Operand<'a, bf16, Rows<64>, 1>,
) -> Flight<'a, n::N64> {
    #[cfg(not(fixed))]
    let sums = sums.mma(a, b);
    #[cfg(fixed)]
    let sums = sums.mma(a.of(warpgroup), b);
    sums
}
