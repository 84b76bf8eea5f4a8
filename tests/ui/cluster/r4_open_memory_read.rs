//! Memory that peers change is not readable by its own CTA either.

#[cfg(not(fixed))]
use ptx::atomic::Atomic;
#[cfg(fixed)]
use ptx::cluster::{ClusterSmem, ReadOnly};
#[cfg(not(fixed))]
use ptx::cluster::{ClusterSmem, ReadOnly, WriteOnly};
use ptx::shared::Published;

#[cfg(not(fixed))]
pub fn written(tile: &ClusterSmem<'_, u32, 128, WriteOnly>) -> Option<u32> {
    tile.get(0)
}

#[cfg(fixed)]
pub fn written(tile: &ClusterSmem<'_, u32, 128, ReadOnly<Published>>) -> Option<u32> {
    tile.get(0)
}

#[cfg(not(fixed))]
pub fn added_to(tile: &ClusterSmem<'_, u32, 128, Atomic>) -> Option<u32> {
    tile.get(0)
}

#[cfg(fixed)]
pub fn added_to(tile: &ClusterSmem<'_, u32, 128, ReadOnly<Published>>) -> Option<u32> {
    tile.get(0)
}
