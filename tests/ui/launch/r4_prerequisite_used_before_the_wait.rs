//! The previous grid may still write its memory: only the wait returns it.

use ptx::global::Global;
use ptx::group::Cta;
use ptx::launch::Prerequisite;

pub fn kernel(cta: &Cta, x: Prerequisite<Global<f32>>) {
    #[cfg(not(fixed))]
    let (_tiles, _tail) = x.tiles::<1024>();
    #[cfg(fixed)]
    let (_tiles, _tail) = x.wait(cta).tiles::<1024>();
    cta.sync();
}
