//! A queue holds eight groups at most.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, tiles: [Shared<f32, 64, Free>; 9], src: GlobalTile<f32, 64>) {
    let [a, b, c, d, e, f, g, h, i] = tiles.map(|tile| cp_async::load(cta, tile, src));
    let queue = a.commit(cta).then(cta, b).then(cta, c).then(cta, d).then(cta, e).then(cta, f).then(cta, g);
    #[cfg(not(fixed))]
    let ((_a, _src), _newer) = queue.then(cta, h).then(cta, i).wait_oldest().sync(cta);
    #[cfg(fixed)]
    let ((_a, _src), _newer) = queue.then(cta, h.and(i)).wait_oldest().sync(cta);
}
