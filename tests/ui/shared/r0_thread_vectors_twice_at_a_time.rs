//! A vector has one handle at a time.

use ptx::shared::ThreadVectors;

pub fn kernel(mut own: ThreadVectors<f32>) {
    #[cfg(not(fixed))]
    for ((_, mut to), (_, from)) in own.vectors().zip(own.vectors()) {
        to.set(from.get());
    }
    #[cfg(fixed)]
    for (_, mut vector) in own.vectors() {
        vector.set(vector.get());
    }
}
