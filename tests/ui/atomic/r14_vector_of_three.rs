//! `atom` has vectors of two and of four floats.

use ptx::atomic::GlobalAtomics;
use ptx::qualifier::scope;

pub fn kernel(sums: GlobalAtomics<f32, scope::Gpu>) {
    #[cfg(not(fixed))]
    let _sums = sums.vectors::<3>();
    #[cfg(fixed)]
    let _sums = sums.vectors::<4>();
}
