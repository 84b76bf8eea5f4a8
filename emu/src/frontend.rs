//! The front end: from the text of PTX to a [`program`], whose registers are slots and whose opcodes are operations. It knows
//! nothing of how a program runs, and imports no module but `numbers`, `address` and `limits`.

mod arithmetic;
pub mod ast;
mod decode;
mod expression;
mod lower;
mod matrix;
mod module;
pub mod op;
mod opcodes;
mod operands;
pub mod parse;
pub mod program;
pub mod shared;
pub mod statics;
mod tcgen05;
mod tokens;
mod video_decode;
mod words;
