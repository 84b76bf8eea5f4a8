//! Only a wait takes tiles out of a queue.

use ptx::async_group::Queue;
use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, a: Shared<f32, 64, Free>, src: GlobalTile<f32, 64>) {
    let group = cp_async::load(cta, a, src).commit(cta);
    #[cfg(not(fixed))]
    let _copies = Queue::into_copies(group);
    #[cfg(fixed)]
    let _tile = group.wait().sync(cta);
}
