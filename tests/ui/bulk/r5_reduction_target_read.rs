//! Memory that the grid reduces into is not readable.

use ptx::bulk::GlobalReduce;

pub fn kernel(sums: GlobalReduce<u32, 64>) {
    let _sum = sums.get(0).map(|tile| tile.get(0));
}
