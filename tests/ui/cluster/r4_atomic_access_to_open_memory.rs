//! Memory that peers store to by plain stores is not accessed by atomic operations.

use ptx::cluster::{WriteOnly, Peer};

pub fn body(peer: Peer<'_, u32, 128, WriteOnly>) {
    let _ = peer.atomic(0);
}
