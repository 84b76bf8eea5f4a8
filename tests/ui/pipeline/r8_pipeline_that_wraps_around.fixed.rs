//! The size of a pipeline does not wrap around: neither of a tile, of a stage, of all stages, nor of their mbarriers.

use ptx::pipeline::PipelineMemory;
use ptx::shared::Place;

pub const TILE: u32 = <PipelineMemory<[u32; 4], 2>>::SIZE;
pub const TILES: u32 = <PipelineMemory<([u8; 16], [u8; 16]), 2>>::SIZE;
pub const STAGES: u32 = <PipelineMemory<[u8; 16], 2>>::SIZE;
pub const TOO_MANY: u32 = <PipelineMemory<[u8; 16], 2>>::SIZE;
pub const MBARRIERS: u32 = <PipelineMemory<[u8; 128], 2>>::SIZE;
