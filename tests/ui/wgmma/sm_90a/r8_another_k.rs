//! Both factors have the same K.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::qualifier::{n, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Flight, Operand, Tile};

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;

#[cfg(not(fixed))]
type B = Box2<32, 64, swizzle_mode::B64>;
#[cfg(fixed)]
type B = Rows<64>;

pub fn part<'a>(
    sums: Flight<'a, n::N64>,
    a: Operand<'a, bf16, Rows<64>, 1>,
    b: Operand<'a, bf16, B, 1>,
) -> Flight<'a, n::N64> {
    sums.mma(a, b)
}
