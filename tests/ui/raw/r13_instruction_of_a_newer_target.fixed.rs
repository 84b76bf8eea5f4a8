//! `redux.sync` on floats needs sm_100f; sm_90 has it on integers.

use ptx::qualifier::{op, ty};
use ptx::raw;

pub fn kernel(x: i32) -> i32 {
    // SAFETY: the example assumes that all threads of the warp make this call.
    unsafe { raw::redux_sync(op::Max, ty::S32, x, !0) }
}
