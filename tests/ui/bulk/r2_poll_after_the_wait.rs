//! After the wait there is no copy to test for completion.

use ptx::bulk::Load;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, load: Load<Shared<f32, 64, Free>, GlobalTile<f32, 64>>) -> bool {
    let (_bar, _tile, _src) = load.wait(cta);
    load.is_complete()
}
