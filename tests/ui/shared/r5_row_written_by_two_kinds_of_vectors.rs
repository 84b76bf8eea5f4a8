//! A row is dealt out to threads once: the call that writes the row consumes it.

use ptx::global::RowMut;
use ptx::group::Cta;
use ptx::shared::ThreadVectors;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, own: &ThreadVectors<f32>, row: RowMut<f32>) {
    own.write_to(row, |vector| vector);
    row.elements(cta).for_each(|(_, element)| element.write(1.0));
}

#[cfg(fixed)]
pub fn kernel(own: &ThreadVectors<f32>, row: RowMut<f32>) {
    own.write_to(row, |vector| vector);
}
