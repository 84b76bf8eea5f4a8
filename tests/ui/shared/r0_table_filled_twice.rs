//! A table is filled once: other threads may already read it.

use ptx::group::Cta;
use ptx::shared::SharedTable;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, memory: SharedTable<f32, 64>) -> f32 {
    let halves = memory.fill(cta, |i| 0.5 * i as f32);
    let thirds = memory.fill(cta, |i| i as f32 / 3.0);
    halves.get(5).unwrap_or(0.0) + thirds.get(5).unwrap_or(0.0)
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, memory: SharedTable<f32, 64>, more: SharedTable<f32, 64>) -> f32 {
    let halves = memory.fill(cta, |i| 0.5 * i as f32);
    let thirds = more.fill(cta, |i| i as f32 / 3.0);
    halves.get(5).unwrap_or(0.0) + thirds.get(5).unwrap_or(0.0)
}
