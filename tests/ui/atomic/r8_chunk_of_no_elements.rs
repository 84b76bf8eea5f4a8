//! A chunk has elements.

use ptx::atomic::GlobalAtomics;
use ptx::qualifier::scope;

#[cfg(not(fixed))]
const LEN: usize = 0;
#[cfg(fixed)]
const LEN: usize = 4;

pub fn kernel(sums: GlobalAtomics<f32, scope::Gpu>) {
    let _sums = sums.chunk::<LEN>(1);
}
