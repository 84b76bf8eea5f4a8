//! After the wait there is no copy to test for completion.

use ptx::bulk::Load;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, load: Load<Shared<f32, 64, Free>, GlobalTile<f32, 64>>) -> bool {
    #[cfg(fixed)]
    let is_complete = load.is_complete();
    let (_bar, _tile, _src) = load.wait(cta);
    #[cfg(not(fixed))]
    {
        load.is_complete()
    }
    #[cfg(fixed)]
    {
        is_complete
    }
}
