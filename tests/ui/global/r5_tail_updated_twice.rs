//! The tail of a slice is updated once: each element belongs to one thread, in one pass.

use ptx::global::TailMut;
use ptx::group::Cta;

pub fn kernel(cta: &Cta, tail: TailMut<f32>) {
    #[cfg(not(fixed))]
    tail.update(cta, |_, y| y + 1.0);
    #[cfg(not(fixed))]
    tail.update(cta, |_, y| y * 2.0);
    #[cfg(fixed)]
    tail.update(cta, |_, y| (y + 1.0) * 2.0);
}
