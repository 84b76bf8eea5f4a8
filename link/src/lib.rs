//! The linker of `ptx`: turns the LLVM bitcode of Rust crates into PTX.
//!
//! This linker replaces `llvm-bitcode-linker`, and adds what rustc cannot express. The linker marks convergent inline asm before
//! LLVM's first pass: without the marks, LLVM copies barriers into divergent branches. The linker also gives the PTX the version
//! that its instructions need.

mod assemble;
mod body;
mod budgets;
mod canary;
mod constants;
pub mod convergence;
mod divergence;
mod entry;
mod error;
mod fields;
mod flow;
mod ir;
mod lines;
mod local;
mod marks;
mod moved;
mod options;
mod parameters;
mod program;
mod proof;
mod ptx;
mod registers;
mod sites;
mod stages;
mod tools;
mod version;

pub use error::Error;
pub use lines::Place;
pub use marks::mark;
pub use options::{Level, Options, Target};
pub use proof::{PASSES as PROOF_PASSES, unproven};
pub use stages::link;
pub use version::{NEWEST, PtxVersion};

use std::process::ExitCode;

/// Runs `ptx-link`, which the package `cargo-ptx` installs: reads the command line, links, and prints warnings and errors.
pub fn main() -> ExitCode {
    let options = Options::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    match link(&options) {
        Ok(warnings) => {
            for warning in warnings {
                eprintln!("warning: {warning}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
