//! The types of an instance keep the bounds of the kernel.

use ptx::group::Cta;
use ptx::shared::Element;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(<bool>))]
pub fn kernel<T: Element>(_cta: Cta, _x: T) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(<u8>))]
pub fn kernel<T: Element>(_cta: Cta, _x: T) {}
