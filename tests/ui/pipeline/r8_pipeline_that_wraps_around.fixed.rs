//! The size of a pipeline does not wrap around: not that of a tile, of the tiles of a stage, of its stages, nor of its mbarriers.

use ptx::pipeline::PipelineMemory;
use ptx::shared::Place;

pub const TILE: u32 = <PipelineMemory<[u32; 4], 2>>::SIZE;
pub const TILES: u32 = <PipelineMemory<([u8; 16], [u8; 16]), 2>>::SIZE;
pub const STAGES: u32 = <PipelineMemory<[u8; 16], 2>>::SIZE;
pub const TOO_MANY: u32 = <PipelineMemory<[u8; 16], 2>>::SIZE;
pub const MBARRIERS: u32 = <PipelineMemory<[u8; 128], 2>>::SIZE;
