//! Pipelines (CUDA's `cuda::pipeline`, CUTLASS's `PipelineTmaAsync`): copies fill stages of shared memory ahead of the
//! computation.
//!
//! A [`Pipeline`] gives **different parts to different threads** (warp specialization). One thread, the producer, loads tiles by
//! bulk async copies (TMA). The warps after the first, the consumers, compute. The threads of each part hold the handle of that
//! part:
//!
//! ```text
//!   Thread:  Producer ── load ──► Producer               Warps:  Consumer ── wait ──► FullStage ── release ──► Consumer
//! ```
//!
//! - A stage holds one tile or several, of global memory or of tensors.
//! - CTAs of a cluster can share tiles ([`Pipeline::multicast`]).
//! - Two mbarriers per stage signal that the stage is full or empty.
//! - With a [`BarrierPair`], warps produce tiles that they compute, and two named barriers replace the mbarriers.
//!
//! A [`Ring`] gives **both parts to the whole CTA**: its leader loads and stores the tiles, and all threads compute. One handle
//! passes through the calls of each round:
//!
//! ```text
//!  IdleRing ─ start ─► Ring ─ wait ─► FullRing ─ update ─► UpdatedRing ─ store ─► StoringRing ─ refill ─► Ring ─ … ─► FinishedRing
//! ```
//!
//! A stage of a ring holds one tile of each input and one tile of the output, which the CTA updates in place.
//! [`IdleRing::update_all`] makes all these calls for you.

mod barrier_pair;
#[cfg(tcgen05)]
mod committed;
mod consumers_barrier;
#[cfg(wgmma)]
mod exchange;
pub(crate) mod layout;
#[cfg(any(wgmma, tcgen05))]
mod operands;
pub(crate) mod parts;
mod ring;
mod rounds;
mod run;
mod stage;
#[cfg(any(wgmma, tcgen05))]
mod warpgroups;

pub use barrier_pair::BarrierPair;
pub use consumers_barrier::ConsumersBarrier;
#[cfg(wgmma)]
pub use exchange::{Exchange, ExchangeMemory, ExchangePart, ExchangedTile};
#[cfg(any(wgmma, tcgen05))]
pub use operands::OperandTiles;
pub use parts::{AsyncStage, Consumer, CtaSignals, FullStage, Producer, StageSignals};
pub use ring::{FinishedRing, FullRing, IdleRing, NextStage, Ring, RingMemory, StoringRing, UpdatedRing};
pub use rounds::Rounds;
pub use run::{FinishedRun, FinishedRunWith, Pipeline, PipelineMemory, RunsPipeline};
pub use stage::{Sharing, SharingIn, StageSource, StageTile, StageTiles};
#[cfg(any(wgmma, tcgen05))]
pub use warpgroups::{EndsRun, FinishedWarpgroups, Pipelines, StageOperands};
#[cfg(wgmma)]
pub use warpgroups::{MaxRegisters, WarpgroupBarriers};
