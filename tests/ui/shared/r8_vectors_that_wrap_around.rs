//! The numbers of vectors, of parts, and of the whole array do not wrap around.

use ptx::launch::Cta;
use ptx::shared::{Free, Shared, Written};

#[cfg(not(fixed))]
const N: usize = (1 << 62) + 4;
#[cfg(fixed)]
const N: usize = 64;

pub fn written<'s>(cta: &Cta, tile: Shared<'s, u32, N, Free>) -> Shared<'s, u32, N, Written> {
    tile.write(cta, |i| i as u32)
}

#[cfg(not(fixed))]
pub fn parts<'s>(
    tile: Shared<'s, u32, 64, Free>,
) -> (Shared<'s, u32, { 1 << 63 }, Free>, Shared<'s, u32, { (1 << 63) + 64 }, Free>) {
    tile.split()
}

#[cfg(fixed)]
pub fn parts<'s>(tile: Shared<'s, u32, 64, Free>) -> (Shared<'s, u32, 32, Free>, Shared<'s, u32, 32, Free>) {
    tile.split()
}

#[cfg(not(fixed))]
pub fn whole<'s>(
    first: Shared<'s, u32, { 1 << 63 }, Free>,
    rest: Shared<'s, u32, { (1 << 63) + 64 }, Free>,
) -> Shared<'s, u32, 64, Free> {
    let Ok(tile) = first.join(rest) else { ptx::launch::trap() };
    tile
}

#[cfg(fixed)]
pub fn whole<'s>(first: Shared<'s, u32, 32, Free>, rest: Shared<'s, u32, 32, Free>) -> Shared<'s, u32, 64, Free> {
    let Ok(tile) = first.join(rest) else { ptx::launch::trap() };
    tile
}
