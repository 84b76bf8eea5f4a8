//! The tail of a slice belongs to one CTA or to the threads of the grid, not to both.

use ptx::global::TailMut;
use ptx::group::Cta;

pub fn kernel(cta: &Cta, tail: TailMut<f32>) {
    #[cfg(not(fixed))]
    tail.update(cta, |_, y| y + 1.0);
    if let Some(tile) = tail.tile(cta) {
        tile.elements(cta).for_each(|(_, y)| y.write(y.read() + 1.0));
    }
}
