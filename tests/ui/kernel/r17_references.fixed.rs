//! The device cannot follow a reference of the host: memory is passed as a handle.

use ptx::global::{Global, GlobalElementsMut};
use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn reads(_cta: Cta, _x: Global<f32>) {}

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn writes(_cta: Cta, _y: GlobalElementsMut<f32>) {}

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn value(_cta: Cta, _factor: f32) {}

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn inside(_cta: Cta, _x: Global<f32>, _has_x: bool) {}

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn any(_cta: Cta, _x: u32) {}
