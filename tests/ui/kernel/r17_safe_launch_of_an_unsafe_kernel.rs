//! The launch of an `unsafe fn` is unsafe.

use ptx::global::Global;
use ptx::group::Cta;

/// # Safety
///
/// `i` is an index of `x`.
#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub unsafe fn kernel(_cta: Cta, _x: Global<f32>, _i: usize) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: Global<f32>, _i: usize) {}

pub fn launch(_: impl ptx::launch::SafeKernel) {}

pub fn host() {
    launch(kernel);
}
