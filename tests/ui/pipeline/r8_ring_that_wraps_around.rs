//! The size of a ring does not wrap around: neither of a tile, of a stage, of all stages, nor of their mbarriers.

use ptx::pipeline::RingMemory;
use ptx::shared::Place;

#[cfg(not(fixed))]
pub const TILE: u32 = <RingMemory<u32, { (1 << 62) + 4 }, 1, 2>>::SIZE;
#[cfg(fixed)]
pub const TILE: u32 = <RingMemory<[u32; 4], 2>>::SIZE;
#[cfg(not(fixed))]
pub const STAGE: u32 = <RingMemory<[u32; 4], 2, { usize::MAX }>>::SIZE;
#[cfg(fixed)]
pub const STAGE: u32 = <RingMemory<[u32; 4], 2>>::SIZE;
#[cfg(not(fixed))]
pub const STAGES: u32 = <RingMemory<u32, 4, 1, { 1 << 60 }>>::SIZE;
#[cfg(fixed)]
pub const STAGES: u32 = <RingMemory<[u32; 4], 2>>::SIZE;
#[cfg(not(fixed))]
pub const TOO_MANY: u32 = <RingMemory<u32, 4, 1, { (1 << 24) + 1 }>>::SIZE;
#[cfg(fixed)]
pub const TOO_MANY: u32 = <RingMemory<[u32; 4], 2>>::SIZE;
#[cfg(not(fixed))]
pub const MBARRIERS: u32 = <RingMemory<u32, 32, 0, { 1 << 13 }>>::SIZE;
#[cfg(fixed)]
pub const MBARRIERS: u32 = <RingMemory<[u32; 32], 2, 0>>::SIZE;
