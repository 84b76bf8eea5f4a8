//! `redux.sync` on floats is an instruction of sm_100f.

use ptx::qualifier::{abs, nan, op};
use ptx::raw;

pub fn kernel(x: f32) -> f32 {
    // SAFETY: for the sake of the example, all threads of the warp are here.
    unsafe { raw::redux_sync_f32(op::Max, abs::Signed, nan::Ignore, x, !0) }
}
