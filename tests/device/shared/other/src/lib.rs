//! Shared memory in another crate, under a name that the first crate also uses.

#![no_std]
#![feature(asm_experimental_arch)]

use ptx::shared::SharedArray;

ptx::shared_memory! {
    /// The struct of `shared` with the same name.
    pub struct Smem { pub tile: SharedArray<u32, 96> }
}
