//! A queue begins with a committed group.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, a: Shared<f32, 64, Free>, b: Shared<f32, 64, Free>, src: GlobalTile<f32, 64>) {
    #[cfg(not(fixed))]
    let _queue = cp_async::load(cta, a, src).then(cta, cp_async::load(cta, b, src));
    #[cfg(fixed)]
    let _queue = cp_async::load(cta, a, src).commit(cta).then(cta, cp_async::load(cta, b, src));
}
