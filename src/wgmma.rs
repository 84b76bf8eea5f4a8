//! Tensor cores of sm_90a (`wgmma`, 9.7.15; CUTLASS's warpgroup-wide `cute::gemm`): a [`Warpgroup`](crate::group::Warpgroup)
//! multiplies matrices in shared memory, and does something else until it waits for the sums.
//!
//! The consumers of [`run_warpgroups`](crate::pipeline::Pipelines::run_warpgroups) multiply the stages that a producer fills. Each
//! warpgroup has a [`Wgmma`], which owns the groups of products that are in flight:
//!
//! ```text
//!   Zeros, Accumulator ─┐
//!   StageOperands ──────┴ start ─► (Group,) ─ add ─► (Group, Group) ─ wait_oldest ─► (Group,) and the older one's StageOperands
//!                                     └─ wait ─► Accumulator, StageOperands
//!   Accumulator ── pack ──► Packed ── store ──► Shared<VectorStores>, of a StoreRing
//! ```
//!
//! - A group owns its [`Accumulator`], and what its products read: neither can be used before a wait gives them back.
//! - The type of a [`Tile`] gives the box that a tensor map loads and the matrix descriptor. [`Operand`]s come from what the group owns.
//! - The elements are `bf16`, `f16`, or `f32` as `.tf32`, the sums `f32`. [`raw`](crate::raw) has further types, and A in registers.
//! - A closure with products in flight has no panic and no trap: ptxas serializes products where it cannot see what becomes of their
//!   registers.
//!
//! ```
//! # use ptx::{bf16, group::Warpgroup, pipeline::StageOperands, qualifier::{n, swizzle_mode}, tensor::Box2};
//! # use ptx::wgmma::{Accumulator, Tile, Wgmma, Zeros};
//! # type Stage<'p> = StageOperands<'p, (Tile<bf16, Rows<64>>, Tile<bf16, Rows<256>>), 4>;
//! type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
//!
//! /// Multiplies a stage of 64 rows of A and 256 rows of B, of 64 elements along K.
//! fn product<'p>(
//!     warpgroup: &Warpgroup<'p, 1>,
//!     wgmma: Wgmma<'p>,
//!     stage: Stage<'p>,
//! ) -> (Wgmma<'p>, Accumulator<n::N256>) {
//!     let products = wgmma.start(warpgroup, Zeros::<n::N256>::new(), stage, |sums, stage| {
//!         let (a, b) = stage.tiles();
//!         sums.mma(a, b)
//!     });
//!     // Work that needs neither the sums nor the stage.
//!     let (wgmma, (sums, stage)) = products.wait(warpgroup);
//!     stage.release(warpgroup);
//!     (wgmma, sums)
//! }
//! ```

mod accumulator;
mod columns;
mod groups;
mod multiplicand;
mod packed;
mod rows;

pub use accumulator::{Accumulator, Addend, Flight, Overwrite, Zeros};
pub use columns::column_place;
pub use groups::{Group, Groups, Read, Waiting, Wgmma};
pub use multiplicand::{Multiplicand, RegisterMultiplicand};
pub use packed::{Half, Packed};
pub use rows::PerRow;

pub use crate::tensor::{Operand, Tile};
