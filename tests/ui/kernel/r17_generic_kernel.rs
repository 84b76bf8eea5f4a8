//! A generic kernel states its instances, each of which is an entry.

use ptx::global::Global;
use ptx::group::Cta;
use ptx::shared::Element;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel<T: Element, const N: usize>(_cta: Cta, _x: Global<T>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(<f32, 128>))]
pub fn kernel<T: Element, const N: usize>(_cta: Cta, _x: Global<T>) {}
