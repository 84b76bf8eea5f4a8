//! The sum of the places fits the shared memory of a CTA, and does not wrap around.

use ptx::shared::{DynamicShared, SharedArray};

#[cfg(not(fixed))]
pub const TWO: u32 = DynamicShared::bytes_for::<(SharedArray<u8, { 1 << 20 }>, SharedArray<u8, 1>)>();
#[cfg(fixed)]
pub const TWO: u32 = DynamicShared::bytes_for::<(SharedArray<u8, { (1 << 20) - 128 }>, SharedArray<u8, 1>)>();
#[cfg(not(fixed))]
pub const ONE: u32 = DynamicShared::bytes_for::<(SharedArray<u64, { usize::MAX / 8 + 2 }>,)>();
#[cfg(fixed)]
pub const ONE: u32 = DynamicShared::bytes_for::<(SharedArray<u64, 2>,)>();
#[cfg(not(fixed))]
pub const SHORT: u32 = DynamicShared::bytes_for::<(SharedArray<u8, 1>, SharedArray<u8, { (1 << 32) + 1 }>)>();
#[cfg(fixed)]
pub const SHORT: u32 = DynamicShared::bytes_for::<(SharedArray<u8, 1>, SharedArray<u8, 1>)>();
