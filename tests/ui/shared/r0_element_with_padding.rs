//! Elements are plain numbers: a copy may leave any bits in them.

use ptx::shared::{DynamicShared, SharedArray};

pub fn kernel(dynamic: DynamicShared) {
    #[cfg(not(fixed))]
    let (_flags, _rest) = dynamic.take::<SharedArray<bool, 1024>>();
    #[cfg(fixed)]
    let (_flags, _rest) = dynamic.take::<SharedArray<u8, 1024>>();
}
