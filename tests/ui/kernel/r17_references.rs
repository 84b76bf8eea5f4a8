//! The device cannot follow a reference of the host: memory is passed as a handle.

use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn reads(_cta: Cta, x: &[f32]) {}

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn writes(_cta: Cta, y: &mut [f32]) {}

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn value(_cta: Cta, factor: &f32) {}

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn inside(_cta: Cta, x: Option<&'static [f32]>) {}

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn any(_cta: Cta, x: impl Copy) {}
