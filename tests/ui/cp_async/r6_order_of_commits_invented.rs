//! The order of groups comes from their commits only.

use ptx::async_group::Newer;
use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, a: Shared<f32, 64, Free>, b: Shared<f32, 64, Free>, src: GlobalTile<f32, 64>) {
    let first = cp_async::load(cta, a, src).commit(cta);
    #[cfg(not(fixed))]
    let second = cp_async::load(cta, b, src).commit(cta);
    #[cfg(not(fixed))]
    let _queue = Newer::and(second, first);
    #[cfg(fixed)]
    let second = cp_async::load(cta, b, src);
    #[cfg(fixed)]
    let _queue = first.then(cta, second);
}
