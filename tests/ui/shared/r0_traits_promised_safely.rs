//! Traits that make promises about memory need `unsafe impl`.

use ptx::shared::{Place, Scoped, SharedMemory};

pub struct Line(u32);

#[cfg(not(fixed))]
impl Place for Line {
    const SIZE: u32 = 16;
    const ALIGN: u32 = 16;
    unsafe fn at(addr: u32) -> Self {
        Line(addr)
    }
}

// SAFETY: the type accesses no memory.
#[cfg(fixed)]
unsafe impl Place for Line {
    const SIZE: u32 = 16;
    const ALIGN: u32 = 16;
    unsafe fn at(addr: u32) -> Self {
        Line(addr)
    }
}

pub struct Memory;

#[cfg(not(fixed))]
impl SharedMemory for Memory {
    unsafe fn claim() -> Self {
        Memory
    }
}

#[cfg(not(fixed))]
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

// SAFETY: the type has no memory.
#[cfg(fixed)]
unsafe impl SharedMemory for Memory {
    unsafe fn claim() -> Self {
        Memory
    }
}

// SAFETY: the type has no memory.
#[cfg(fixed)]
unsafe impl Scoped for Memory {
    type InScope<'s> = Memory;
    type Ended<'s> = ();
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        self
    }
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
        lent
    }
}

#[cfg(fixed)]
pub fn line(line: &Line) -> u32 {
    line.0
}
