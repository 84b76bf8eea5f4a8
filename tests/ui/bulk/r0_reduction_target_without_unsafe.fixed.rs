//! What CTAs reduce into is promised once, by `unsafe`.

use ptx::bulk::GlobalReduce;

pub fn kernel(sums: *mut u32) {
    // SAFETY: the host passes 640 elements, zeroed, which this grid alone uses, through such handles.
    let _sums = unsafe { GlobalReduce::<u32, 64>::from_raw(sums, 640) };
}
