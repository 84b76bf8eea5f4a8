//! A matrix has rows and columns.

use ptx::global::GlobalMatrix;
use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[len(n)] _x: GlobalMatrix<f32>, n: u32) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[len(n, n)] _x: GlobalMatrix<f32>, n: u32) {}
