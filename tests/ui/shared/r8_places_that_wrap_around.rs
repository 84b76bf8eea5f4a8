//! Places of user types do not overlap, whatever sizes they declare.

use ptx::shared::Place;

pub struct Half;

// SAFETY: the type accesses no memory.
unsafe impl Place for Half {
    #[cfg(not(fixed))]
    const SIZE: u32 = 1 << 31;
    #[cfg(fixed)]
    const SIZE: u32 = 1 << 10;
    const ALIGN: u32 = 128;
    unsafe fn at(_addr: u32) -> Self {
        Half
    }
}

ptx::shared_memory! {
    pub struct Smem { pub first: Half, pub second: Half, pub third: Half }
}
