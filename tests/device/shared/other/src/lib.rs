//! Shared memory of another crate, under the name that the first uses too.

#![no_std]
#![feature(asm_experimental_arch)]

use ptx::shared::SharedArray;

ptx::shared_memory! {
    /// As in `shared`.
    pub struct Smem { pub tile: SharedArray<u32, 96> }
}
