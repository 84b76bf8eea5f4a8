//! Shared memory begins at a multiple of 1024 bytes: a place cannot require a larger alignment.

use ptx::shared::Place;

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

ptx::shared_memory! {
    pub struct Lines { line: Line }
}

ptx::shared_memory! {
    pub struct Odds { odd: Odd }
}

pub fn kernel(lines: Lines, odds: Odds) -> (u32, u32) {
    (lines.line.0, odds.odd.0)
}
