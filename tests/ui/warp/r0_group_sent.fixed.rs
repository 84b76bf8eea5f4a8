//! A group belongs to its thread: another thread is in another group.

use ptx::warp::{Lanes, LaneSubset};

fn send<T: Send>(_: T) {}

pub fn kernel(group: Lanes<LaneSubset>) {
    send(group.mask());
}
