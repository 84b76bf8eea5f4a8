//! The arguments of an instance stand in angle brackets.

use ptx::global::Global;
use ptx::group::Cta;
use ptx::shared::Element;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(f32, f64))]
pub fn kernel<T: Element>(_cta: Cta, _x: Global<T>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(<f32>, <f64>))]
pub fn kernel<T: Element>(_cta: Cta, _x: Global<T>) {}
