//! `red.async` adds integers only, and `st.async.release` stores no vectors.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

type Global<T> = AtomicRef<'static, T, scope::Gpu, space::Global>;

#[cfg(not(fixed))]
pub fn kernel(sum: Global<f32>, row: Global<[f32; 4]>) {
    sum.add_async(0.5);
    row.store_async([0.5; 4]);
}

#[cfg(fixed)]
pub fn kernel(sum: Global<f32>, row: [Global<f32>; 4]) {
    sum.add(0.5, sem::Release);
    for element in row {
        element.store_async(0.5);
    }
}
