//! A group is that of a thread: another is in another.

use ptx::warp::{Lanes, Subset};

fn send<T: Send>(_: T) {}

pub fn kernel(group: Lanes<Subset>) {
    send(group);
}
