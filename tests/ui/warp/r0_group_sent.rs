//! A group belongs to its thread: another thread is in another group.

use ptx::warp::{LaneSubset, Lanes};

fn send<T: Send>(_: T) {}

pub fn kernel(group: Lanes<LaneSubset>) {
    #[cfg(not(fixed))]
    send(group);
    #[cfg(fixed)]
    send(group.mask());
}
