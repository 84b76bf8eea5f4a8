//! The size of a DSMEM buffer does not wrap around.

use ptx::cluster::{ByElement, ByTile, DsmemBuffer};
use ptx::shared::Place;

pub const BY_ELEMENT: u32 = <DsmemBuffer<u32, 4, ByElement>>::SIZE;
pub const BY_TILE: u32 = <DsmemBuffer<u64, 4, ByTile>>::SIZE;
