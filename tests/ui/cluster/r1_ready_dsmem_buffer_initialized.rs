//! A DSMEM buffer is initialized once; `inval` takes a buffer that is initialized.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::launch::Cta;
use ptx::mbarrier::Ready;

pub fn kernel(cta: &Cta, ready: DsmemBuffer<u32, 128, ByTile, Ready>, uninit: DsmemBuffer<u32, 128, ByTile>) {
    #[cfg(not(fixed))]
    let _again = ready.init(cta);
    #[cfg(not(fixed))]
    let _nothing = uninit.inval(cta);
    #[cfg(fixed)]
    let _nothing = ready.inval(cta);
    #[cfg(fixed)]
    let _ready = uninit.init(cta);
}
