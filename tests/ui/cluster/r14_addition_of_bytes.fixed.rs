//! `red` and `atom` add no bytes.

use ptx::cluster::{Open, Peer};

pub fn body(peer: Peer<'_, u32, 128, Open>) {
    peer.add(0, 1);
}
