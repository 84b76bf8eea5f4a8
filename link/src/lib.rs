//! The linker of `ptx`: from the LLVM bitcode of Rust crates to PTX.
//!
//! It is for rustc what `llvm-bitcode-linker` is, and does what rustc cannot say: it marks convergent inline
//! asm before LLVM's first pass (without that, LLVM copies barriers into divergent branches), and it gives
//! the PTX the version that its instructions need.

#![deny(missing_docs)]

mod assemble;
pub mod convergence;
mod entry;
mod error;
mod ir;
mod marks;
mod options;
mod program;
mod stages;
mod tools;
mod version;

pub use error::Error;
pub use marks::mark;
pub use options::{Level, Options, Target};
pub use stages::link;
pub use version::{NEWEST, PtxVersion};
