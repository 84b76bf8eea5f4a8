//! The device cannot follow a reference of the host: memory is passed as a handle.

#[cfg(fixed)]
use ptx::global::{Global, GlobalElementsMut};

use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn reads(_cta: Cta, x: &[f32]) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn reads(_cta: Cta, _x: Global<f32>) {}

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn writes(_cta: Cta, y: &mut [f32]) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn writes(_cta: Cta, _y: GlobalElementsMut<f32>) {}

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn value(_cta: Cta, factor: &f32) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn value(_cta: Cta, _factor: f32) {}

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn inside(_cta: Cta, x: Option<&'static [f32]>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn inside(_cta: Cta, _x: Global<f32>, _has_x: bool) {}

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn any(_cta: Cta, x: impl Copy) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn any(_cta: Cta, _x: u32) {}
