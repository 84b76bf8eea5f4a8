//! Byte masks need sm_100.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, part: Shared<u32, 64, Fenced>, dst: GlobalTileMut<u32, 64>) {
    #[cfg(not(fixed))]
    let low = ptx::mask::ByteMask::from_bits_retain(0x3333);
    #[cfg(not(fixed))]
    let (_part, _dst) = bulk::store_masked(cta, part, dst, low).commit(cta).wait(cta).sync(cta);
    #[cfg(fixed)]
    let (_part, _dst) = bulk::store(cta, part, dst).commit(cta).wait(cta).sync(cta);
}
