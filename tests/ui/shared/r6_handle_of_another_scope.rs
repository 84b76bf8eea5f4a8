//! A scope ends with its own memory: memory of another scope, of the same type, does not replace it.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, outer: SharedArray<f32, 1024>, inner: SharedArray<f32, 1024>) {
    cta.async_scope(outer, |cta, outer| {
        #[cfg(not(fixed))]
        {
            cta.async_scope(inner, |_, inner| {
                core::mem::forget(inner);
                outer
            });
            loop {}
        }
        #[cfg(fixed)]
        {
            cta.async_scope(inner, |_, inner| inner);
            outer
        }
    });
}
