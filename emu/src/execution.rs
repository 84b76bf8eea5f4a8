//! The execution of a grid: its state, its instructions, and what they do wrong. `device` starts it, and no module here imports
//! `device` or `emulator`.

mod access;
mod agent;
mod blocks;
mod call;
mod collective;
mod copies;
mod exec;
mod findings;
mod follow;
pub mod machine;
mod matrix;
mod mbarrier;
pub mod memory;
mod multimem;
mod plain;
mod polls;
mod run;
mod special;
mod tcgen05;
mod tensor;
mod tensor_memory;
mod thread;
mod warpgroup;
mod weak;
mod word;
