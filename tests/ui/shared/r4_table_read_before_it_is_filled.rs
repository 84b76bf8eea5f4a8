//! A table has elements once the threads of the CTA have filled it.

use ptx::group::Cta;
use ptx::shared::SharedTable;

pub fn kernel(cta: &Cta, table: SharedTable<f32, 64>) -> f32 {
    #[cfg(fixed)]
    let table = table.fill(cta, |i| i as f32);
    #[cfg(not(fixed))]
    cta.sync();
    table.get(5).unwrap_or(0.0)
}
