//! A vector has sixteen bytes.

use ptx::shared::OwnVectors;

pub fn kernel(mut own: OwnVectors<f32>) {
    own.vectors().for_each(|(_, mut vector)| vector.set([0.0; 4]));
}
