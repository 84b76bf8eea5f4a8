//! `redux.sync` on floats needs sm_100f.

use ptx::qualifier::{abs, nan, op, ty};
use ptx::raw;

#[cfg(not(fixed))]
pub fn kernel(x: f32) -> f32 {
    // SAFETY: the example assumes that all threads of the warp make this call.
    unsafe { raw::redux_sync_f32(op::Max, abs::Signed, nan::Ignore, x, !0) }
}

#[cfg(fixed)]
pub fn kernel(x: i32) -> i32 {
    // SAFETY: the example assumes that all threads of the warp make this call.
    unsafe { raw::redux_sync(op::Max, ty::S32, x, !0) }
}
