//! Memory that the grid reduces into is not readable.

use ptx::bulk::GlobalReduce;

pub fn kernel(sums: GlobalReduce<u32, 64>) {
    #[cfg(not(fixed))]
    let _sum = sums.get(0).map(|tile| tile.get(0));
    // The sums are visible after the grid's end: to the next kernel, or to the host.
    #[cfg(fixed)]
    let _tile = sums.get(0);
}
