//! Memory that peers store to by plain stores is not accessed by atomic operations.

use ptx::atomic::Atomic;
use ptx::cluster::{Peer, WriteOnly};

#[cfg(not(fixed))]
pub fn body(peer: Peer<'_, u32, 128, WriteOnly>) {
    let _ = peer.atomic(0);
}

#[cfg(fixed)]
pub fn body(peer: Peer<'_, u32, 128, Atomic>) {
    let _ = peer.atomic(0);
}
