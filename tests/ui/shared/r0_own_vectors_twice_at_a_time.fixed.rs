//! A vector has one handle at a time.

use ptx::shared::OwnVectors;

pub fn kernel(mut own: OwnVectors<f32>) {
    for (_, mut vector) in own.vectors() {
        vector.set(vector.get());
    }
}
