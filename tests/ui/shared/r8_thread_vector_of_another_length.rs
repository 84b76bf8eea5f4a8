//! A vector has sixteen bytes.

use ptx::shared::ThreadVectors;

pub fn kernel(mut own: ThreadVectors<f32>) {
    #[cfg(not(fixed))]
    own.vectors().for_each(|(_, mut vector)| vector.set([0.0; 2]));
    #[cfg(fixed)]
    own.vectors().for_each(|(_, mut vector)| vector.set([0.0; 4]));
}
