//! The destination of reductions is made by `unsafe`, once.

use ptx::bulk::GlobalReduce;

pub fn kernel(sums: *mut u32) {
    let _sums = GlobalReduce::<u32, 64>::from_raw(sums, 640);
}
