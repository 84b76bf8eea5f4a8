//! A row is dealt out to threads once: in another unit, the same elements would belong to other threads.

use ptx::global::RowMut;
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, row: RowMut<f32>, other: RowMut<f32>) {
    row.vectors(cta).for_each(|(_, vector)| vector.write([0.0; 4]));
    #[cfg(not(fixed))]
    row.elements(cta).for_each(|(_, element)| element.write(1.0));
    other.elements(cta).for_each(|(_, element)| element.write(0.0));
    #[cfg(not(fixed))]
    other.vectors(cta).for_each(|(_, vector)| vector.write([1.0; 4]));
}
