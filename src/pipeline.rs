//! Tiles that go through stages of shared memory: copies ahead of the computation, in one of two ways.
//!
//! **Threads with different parts** (warp specialization): one thread loads, the warps after the first compute. A [`Pipeline`] gives each
//! part its handle, which the threads of that part hold:
//!
//! ```text
//!   Thread:  Producer ── load ──► Producer               Warps:  Consumer ── wait ──► FullStage ── release ──► Consumer
//! ```
//!
//! Its stages hold one tile or several, of global memory or of tensors. CTAs of a cluster can load tiles in common
//! ([`Pipeline::multicast`]). The parts tell each other of the stages by mbarriers; where warps produce what they compute, by two named
//! barriers ([`BarrierPair`]).
//!
//! **The whole CTA does both**: in a [`Ring`] its leader loads the tiles and stores them, and all threads compute. The ring is one
//! moved handle, and goes round in one circle of calls:
//!
//! ```text
//!  IdleRing ─ start ─► Ring ─ wait ─► FullRing ─ update ─► UpdatedRing ─ store ─► StoringRing ─ refill ─► Ring ─ … ─► IdleRing
//! ```
//!
//! A stage of a ring holds one tile of each input and one tile of the output, which is read and written in place.
//! [`IdleRing::update_all`] is the whole way in one call.

use core::marker::PhantomData;

mod barrier_pair;
mod layout;
mod parts;
mod ring;
mod run;
mod stage;

pub use barrier_pair::BarrierPair;
pub use parts::{Consumer, CtaSignals, FullStage, Producer, StageSignals};
pub use ring::{FullRing, IdleRing, NextStage, Ring, RingMemory, StoringRing, UpdatedRing};
pub use run::{Pipeline, PipelineGroup, PipelineMemory};
pub use stage::{Sharing, SharingIn, StageSource, StageTile, StageTiles};

type Invariant<'s> = PhantomData<fn(&'s ()) -> &'s ()>;
