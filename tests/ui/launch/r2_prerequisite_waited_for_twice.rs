//! A `Prerequisite` is waited for once: the wait consumes it.

use ptx::global::Global;
use ptx::group::Cta;
use ptx::launch::Prerequisite;

pub fn kernel(cta: &Cta, x: Prerequisite<Global<f32>>) {
    #[cfg(not(fixed))]
    let (_tiles, _) = x.wait(cta).tiles::<1024>();
    #[cfg(not(fixed))]
    let (_, _tail) = x.wait(cta).tiles::<1024>();
    #[cfg(fixed)]
    let (_tiles, _tail) = x.wait(cta).tiles::<1024>();
}
