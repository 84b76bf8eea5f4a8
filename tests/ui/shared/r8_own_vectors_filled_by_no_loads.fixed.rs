//! At least one load is in flight at a time.

use ptx::global::Global;
use ptx::shared::OwnVectors;

pub fn kernel(mut own: OwnVectors<f32>, row: Global<f32>) {
    own.fill_from::<1>(row, |_| {});
}
