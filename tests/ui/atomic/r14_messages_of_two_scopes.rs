//! A value and its flag have one scope.

use ptx::atomic::{GlobalAtomics, Messages};
use ptx::qualifier::scope;

pub fn kernel(
    values: GlobalAtomics<f32, scope::Sys>,
    #[cfg(not(fixed))] flags: GlobalAtomics<u32, scope::Gpu>,
    #[cfg(fixed)] flags: GlobalAtomics<u32, scope::Sys>,
) {
    let _messages = Messages::new(values, flags);
}
