//! Nobody reads what the grid reduces into.

use ptx::bulk::GlobalReduce;

pub fn kernel(sums: GlobalReduce<u32, 64>) {
    // The grid's end makes the sums visible: the next kernel, or the host, reads them.
    let _tile = sums.get(0);
}
