//! An instance gives a type for a type parameter.

use ptx::global::Global;
use ptx::group::Cta;
use ptx::shared::Element;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(<32>))]
pub fn kernel<T: Element>(_cta: Cta, _x: Global<T>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(<u32>))]
pub fn kernel<T: Element>(_cta: Cta, _x: Global<T>) {}
