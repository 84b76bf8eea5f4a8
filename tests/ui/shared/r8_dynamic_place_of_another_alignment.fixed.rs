//! What the launch gives begins at a multiple of 128 bytes: no place in it is known to be aligned to more.

use ptx::shared::{DynamicShared, Place};

pub struct Line(u32);

// SAFETY: it is of 256 bytes, which it does not touch.
unsafe impl Place for Line {
    const SIZE: u32 = 256;
    const ALIGN: u32 = 128;
    unsafe fn at(addr: u32) -> Self {
        Line(addr)
    }
}

pub struct Odd(u32);

// SAFETY: as above.
unsafe impl Place for Odd {
    const SIZE: u32 = 24;
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
