//! Only the crate says which types are plain data.

use ptx::shared::{DynamicShared, SharedArray};

#[cfg(not(fixed))]
#[derive(Clone, Copy)]
pub struct Pair(pub u32, pub u32);

pub fn kernel(dynamic: DynamicShared) {
    #[cfg(not(fixed))]
    let (_pairs, _rest) = dynamic.take::<SharedArray<Pair, 512>>();
    #[cfg(fixed)]
    let (_pairs, _rest) = dynamic.take::<SharedArray<u32, 1024>>();
}
