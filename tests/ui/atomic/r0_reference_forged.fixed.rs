//! Only a view makes references to atomic values.

use ptx::atomic::{AtomicRef, GlobalAtomics};
use ptx::qualifier::{scope, space};

pub fn kernel(counts: GlobalAtomics<u32, scope::Gpu>) {
    let _count: Option<AtomicRef<'_, u32, scope::Gpu, space::Global>> = counts.get(0);
}
