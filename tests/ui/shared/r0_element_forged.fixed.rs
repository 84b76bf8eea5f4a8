//! Only the crate says which types are plain data.

use ptx::shared::{DynamicShared, SharedArray};

pub fn kernel(dynamic: DynamicShared) {
    let (_pairs, _rest) = dynamic.take::<SharedArray<u32, 1024>>();
}
