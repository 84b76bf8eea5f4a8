//! Each warpgroup multiplies 64 rows or more.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::qualifier::{n, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Flight, Operand, Tile};

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;

#[cfg(not(fixed))]
const ROWS: usize = 64;
#[cfg(fixed)]
const ROWS: usize = 128;

pub fn part(warpgroup: &Warpgroup<'_, 2>, a: Operand<'_, bf16, Rows<ROWS>, 1>) {
    let _part = a.of(warpgroup);
}
