//! The instruction transposes elements of 16 bits.

use ptx::bf16;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::Box2;
use ptx::wgmma::Operand;

#[cfg(not(fixed))]
type Rows = Box2<32, 64, swizzle_mode::B128>;
#[cfg(fixed)]
type Rows = Box2<64, 64, swizzle_mode::B128>;

#[cfg(not(fixed))]
type T = f32;
#[cfg(fixed)]
type T = bf16;

pub fn part(a: Operand<'_, T, Rows, 1>) {
    let _operand = a.transposed();
}
