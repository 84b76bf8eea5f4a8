//! Conformance tests: each form of `ptx::raw` runs in a small kernel, in the interpreter and on a GPU, with edges as inputs.
//! The memory of both must be equal, or within the error that the ISA states.

pub mod builder;
pub mod case;
pub mod compare;
pub mod departures;
pub mod emu;
pub mod families;
pub mod form;
pub mod fuzz;
pub mod gpu;
pub mod report;
pub mod suite;
pub mod tensor;
pub mod values;
