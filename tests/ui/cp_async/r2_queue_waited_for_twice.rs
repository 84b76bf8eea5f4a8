//! A wait for the oldest group returns a queue of the newer groups: the older queue is gone.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel<'s>(cta: &Cta, [a, b]: [Shared<'s, f32, 64, Free>; 2], src: GlobalTile<f32, 64>) {
    let queue = cp_async::load(cta, a, src).commit(cta).then(cta, cp_async::load(cta, b, src));
    #[cfg(not(fixed))]
    let ((_a, _), _newer) = queue.wait_oldest().sync(cta);
    #[cfg(not(fixed))]
    let ((_b, _), _newer) = queue.wait_oldest().sync(cta);
    #[cfg(fixed)]
    let ((_a, _), newer) = queue.wait_oldest().sync(cta);
    #[cfg(fixed)]
    let (_b, _) = newer.wait().sync(cta);
}
