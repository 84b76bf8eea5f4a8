//! A group is that of a thread: another is in another.

use ptx::warp::{Lanes, LaneSubset};

fn send<T: Send>(_: T) {}

pub fn kernel(group: Lanes<LaneSubset>) {
    send(group);
}
