//! No CTA has more than 2^20 bytes of shared memory.

use ptx::shared::{DynamicShared, SharedArray};

pub fn kernel(dynamic: DynamicShared) {
    #[cfg(not(fixed))]
    let (_tile, _rest) = dynamic.take::<SharedArray<f32, 262145>>();
    #[cfg(fixed)]
    let (_tile, _rest) = dynamic.take::<SharedArray<f32, 4096>>();
}
