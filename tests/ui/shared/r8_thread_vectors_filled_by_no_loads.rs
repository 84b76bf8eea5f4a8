//! At least one load is in flight at a time.

use ptx::global::Global;
use ptx::shared::ThreadVectors;

pub fn kernel(mut own: ThreadVectors<f32>, row: Global<f32>) {
    #[cfg(not(fixed))]
    own.fill_from::<0>(row, |_| {});
    #[cfg(fixed)]
    own.fill_from::<1>(row, |_| {});
}
