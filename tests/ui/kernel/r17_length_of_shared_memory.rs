//! The length of shared memory is part of its type.

use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[len(n)] #[dynamic] _tile: SharedArray<f32, 128>, n: u32) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[dynamic] _tile: SharedArray<f32, 128>, n: u32) {}
