//! An instance gives each generic parameter of the kernel.

use ptx::global::Global;
use ptx::group::Cta;
use ptx::shared::Element;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = N, instances(<f32>))]
pub fn kernel<T: Element, const N: u32>(_cta: Cta, _x: Global<T>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = N, instances(<f32, 128>))]
pub fn kernel<T: Element, const N: u32>(_cta: Cta, _x: Global<T>) {}
