//! Tensor cores of sm_100f and sm_110f (`tcgen05`, 9.7.16): one thread multiplies matrices in shared memory, and the sums are in tensor
//! memory, from which a warpgroup reads them.
//!
//! [`TensorMemory`] is a pipeline of accumulators: its [`run`](TensorMemory::run) allocates them, and has three parts. A thread loads stages, as
//! in other [pipelines](crate::pipeline). A second one multiplies them. A warpgroup reads the sums:
//!
//! ```text
//!   Thread:  Consumer ── operands_of_one ──► StageOperands ── commit                 (the stage goes back to the producer)
//!            Issuer ── start, with operands ──► Products ── mma, with operands ──► Products ── commit ──► Issuer
//!   Warpgroup:                    Accumulators ── wait ──► FullAccumulator ── load, release ──► Accumulators
//! ```
//!
//! - The thread waits for no product. `tcgen05.commit` gives a stage back, and an accumulator to the warpgroup, when the products that the
//!   thread has started before are complete.
//! - [`Issuer::start`] waits until the warpgroup has given the accumulator back. With two accumulators, the warpgroup reads one while the
//!   thread multiplies into the other.
//! - The type of a [`Tile`] gives the box that a tensor map loads and the matrix descriptor, and with the tag of the columns the instruction
//!   descriptor.
//! - The elements are `bf16`, `f16`, `f32` as `.tf32`, or eight-bit floats, the sums `f32`, of 128 rows. [`raw`](crate::raw) has further types,
//!   pairs of CTAs, A in tensor memory, and block scaling.
//!
//! ```
//! # use ptx::{bf16, group::Thread, pipeline::Consumer, qualifier::{n, swizzle_mode}, tensor::Box2, tcgen05::{Issuer, Tile}};
//! type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
//! type Stage = (Tile<bf16, Rows<128>>, Tile<bf16, Rows<256>>);
//! /// The thread that multiplies: its stages, and its accumulators.
//! type Handles<'p> = (Consumer<'p, Stage, 4>, Issuer<'p, n::N256, 2>);
//!
//! /// Multiplies 128 rows of A and 256 rows of B, of 64 elements along K in each stage.
//! fn product<'p>(thread: &Thread<'p>, (consumer, issuer): Handles<'p>, steps: u32) -> Handles<'p> {
//!     let (stage, mut consumer) = consumer.operands_of_one(thread);
//!     let (a, b) = stage.tiles();
//!     let mut products = issuer.start(thread, a, b);
//!     stage.commit(thread);
//!     for _ in 1..steps {
//!         let (stage, next) = consumer.operands_of_one(thread);
//!         consumer = next;
//!         let (a, b) = stage.tiles();
//!         products = products.mma(thread, a, b);
//!         stage.commit(thread);
//!     }
//!     (consumer, products.commit(thread))
//! }
//! ```

mod accumulator;
mod memory;
mod multiplicand;

pub use accumulator::{Accumulators, FullAccumulator, Issuer, Products};
pub use memory::TensorMemory;
pub use multiplicand::Tcgen05Multiplicand;

pub use crate::tensor::{Operand, Tile};
