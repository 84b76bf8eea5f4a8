//! After the wait there is no copy to test for completion.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, tile: Shared<f32, 64, Free>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 64>) -> bool {
    let tracked = cp_async::load(cta, tile, src).arrive_on(cta, bar);
    #[cfg(fixed)]
    let is_complete = tracked.is_complete();
    let (_bar, (_tile, _src)) = tracked.wait(cta);
    #[cfg(not(fixed))]
    {
        tracked.is_complete()
    }
    #[cfg(fixed)]
    {
        is_complete
    }
}
