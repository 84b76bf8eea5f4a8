//! The size of a pipeline does not wrap around: neither of a tile, of a stage, of all stages, nor of their mbarriers.

use ptx::pipeline::PipelineMemory;
use ptx::shared::Place;

#[cfg(not(fixed))]
pub const TILE: u32 = <PipelineMemory<[u32; (1 << 62) + 4], 2>>::SIZE;
#[cfg(fixed)]
pub const TILE: u32 = <PipelineMemory<[u32; 4], 2>>::SIZE;
#[cfg(not(fixed))]
pub const TILES: u32 = <PipelineMemory<([u8; 1 << 63], [u8; 1 << 63]), 2>>::SIZE;
#[cfg(fixed)]
pub const TILES: u32 = <PipelineMemory<([u8; 16], [u8; 16]), 2>>::SIZE;
#[cfg(not(fixed))]
pub const STAGES: u32 = <PipelineMemory<[u8; 16], { 1 << 60 }>>::SIZE;
#[cfg(fixed)]
pub const STAGES: u32 = <PipelineMemory<[u8; 16], 2>>::SIZE;
#[cfg(not(fixed))]
pub const TOO_MANY: u32 = <PipelineMemory<[u8; 16], { (1 << 25) + 1 }>>::SIZE;
#[cfg(fixed)]
pub const TOO_MANY: u32 = <PipelineMemory<[u8; 16], 2>>::SIZE;
#[cfg(not(fixed))]
pub const MBARRIERS: u32 = <PipelineMemory<[u8; 128], { 1 << 13 }>>::SIZE;
#[cfg(fixed)]
pub const MBARRIERS: u32 = <PipelineMemory<[u8; 128], 2>>::SIZE;
