//! Dynamic shared memory begins at a multiple of 1024 bytes: a place cannot require a larger alignment.

use ptx::shared::{DynamicShared, Place};

pub struct Line(u32);

// SAFETY: the type accesses no memory.
unsafe impl Place for Line {
    const SIZE: u32 = 256;
    #[cfg(not(fixed))]
    const ALIGN: u32 = 2048;
    #[cfg(fixed)]
    const ALIGN: u32 = 1024;
    unsafe fn at(addr: u32) -> Self {
        Line(addr)
    }
}

pub struct Odd(u32);

// SAFETY: the type accesses no memory.
unsafe impl Place for Odd {
    const SIZE: u32 = 24;
    #[cfg(not(fixed))]
    const ALIGN: u32 = 24;
    #[cfg(fixed)]
    const ALIGN: u32 = 8;
    unsafe fn at(addr: u32) -> Self {
        Odd(addr)
    }
}

pub fn kernel(dynamic: DynamicShared) -> (u32, u32) {
    let (line, dynamic) = dynamic.take::<Line>();
    let (odd, _) = dynamic.take::<Odd>();
    (line.0, odd.0)
}
