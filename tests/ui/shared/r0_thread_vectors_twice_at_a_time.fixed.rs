//! A vector has one handle at a time.

use ptx::shared::ThreadVectors;

pub fn kernel(mut own: ThreadVectors<f32>) {
    for (_, mut vector) in own.vectors() {
        vector.set(vector.get());
    }
}
