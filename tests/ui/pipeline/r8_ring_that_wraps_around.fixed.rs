//! The size of a ring does not wrap around: neither of a tile, of a stage, of all stages, nor of their mbarriers.

use ptx::pipeline::RingMemory;
use ptx::shared::Place;

pub const TILE: u32 = <RingMemory<u32, 4, 1, 2>>::SIZE;
pub const STAGE: u32 = <RingMemory<u32, 4, 1, 2>>::SIZE;
pub const STAGES: u32 = <RingMemory<u32, 4, 1, 2>>::SIZE;
pub const TOO_MANY: u32 = <RingMemory<u32, 4, 1, 2>>::SIZE;
pub const MBARRIERS: u32 = <RingMemory<u32, 32, 0, 2>>::SIZE;
