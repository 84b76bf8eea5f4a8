//! A tile that is written belongs to one CTA, once.

use ptx::global::GlobalMut;
use ptx::group::Cta;

pub fn kernel(cta: &Cta, y: GlobalMut<f32, 1024>) {
    let (_one, _) = y.tiles(cta);
    #[cfg(not(fixed))]
    let (_other, _) = y.tiles(cta);
}
