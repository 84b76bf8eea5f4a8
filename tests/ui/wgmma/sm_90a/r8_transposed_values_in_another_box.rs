//! Transposed values fill a box that has a row for each of their columns.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::shared::{Shared, VectorStores};
use ptx::tensor::Box2;
use ptx::wgmma::Packed;

#[cfg(not(fixed))]
const ROWS: usize = 128;
#[cfg(fixed)]
const ROWS: usize = 64;

type Buffer<'s, 'p> = Shared<'s, bf16, { 64 * ROWS }, VectorStores, Warpgroup<'p, 1>>;

pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, values: &Packed<bf16, N64>, buffer: &Buffer<'_, 'p>) {
    values.store_transposed::<Box2<64, ROWS, swizzle_mode::B128>, _, _>(warpgroup, 0, buffer);
}
