//! Traits that make promises about memory need `unsafe impl`.

use ptx::shared::{Scoped, Place, SharedMemory};

pub struct Line(u32);

impl Place for Line {
    const SIZE: u32 = 16;
    const ALIGN: u32 = 16;
    unsafe fn at(addr: u32) -> Self {
        Line(addr)
    }
}

pub struct Memory;

impl SharedMemory for Memory {
    unsafe fn claim() -> Self {
        Memory
    }
}

impl Scoped for Memory {
    type InScope<'s> = Memory;
    type Ended<'s> = ();
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        self
    }
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
        lent
    }
}
