//! The size of a DSMEM buffer does not wrap around.

use ptx::cluster::{ByElement, ByTile, DsmemBuffer};
use ptx::shared::Place;

#[cfg(not(fixed))]
pub const BY_ELEMENT: u32 = <DsmemBuffer<u32, { (1 << 62) + 4 }, ByElement>>::SIZE;
#[cfg(fixed)]
pub const BY_ELEMENT: u32 = <DsmemBuffer<u32, 4, ByElement>>::SIZE;
#[cfg(not(fixed))]
pub const BY_TILE: u32 = <DsmemBuffer<u64, { 1 << 61 }, ByTile>>::SIZE;
#[cfg(fixed)]
pub const BY_TILE: u32 = <DsmemBuffer<u64, 4, ByTile>>::SIZE;
