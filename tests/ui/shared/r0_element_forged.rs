//! Only the crate says which types are plain data.

use ptx::shared::{DynamicShared, SharedArray};

#[derive(Clone, Copy)]
pub struct Pair(pub u32, pub u32);

pub fn kernel(dynamic: DynamicShared) {
    let (_pairs, _rest) = dynamic.take::<SharedArray<Pair, 512>>();
}
