//! `redux.sync` on floats is an instruction of sm_100f; sm_90 has it on integers.

use ptx::qualifier::{op, ty};
use ptx::raw;

pub fn kernel(x: i32) -> i32 {
    // SAFETY: for the sake of the example, all threads of the warp are here.
    unsafe { raw::redux_sync(op::Max, ty::S32, x, !0) }
}
