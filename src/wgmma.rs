//! Tensor cores of sm_90a: a warpgroup multiplies matrices asynchronously (`wgmma`; PTX ISA 9.7.15).

mod accumulator;
mod groups;
mod operand;
mod packed;

pub use accumulator::{Accumulator, Addend, Flight, Zeros};
pub use groups::{Group, Groups, Read, Waiting, Wgmma};
pub use operand::{Multiplicand, Operand, OperandBox, OperandTiles, Tile};
pub use packed::{Half, Packed};
