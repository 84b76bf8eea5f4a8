//! The columns of the product are those of the accumulator.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::qualifier::{n, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Flight, Operand, Tile};

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;

#[cfg(not(fixed))]
type Columns = n::N128;
#[cfg(fixed)]
type Columns = n::N64;

pub fn part<'a>(
    sums: Flight<'a, Columns>,
    a: Operand<'a, bf16, Rows<64>, 1>,
    b: Operand<'a, bf16, Rows<64>, 1>,
) -> Flight<'a, Columns> {
    sums.mma(a, b)
}
