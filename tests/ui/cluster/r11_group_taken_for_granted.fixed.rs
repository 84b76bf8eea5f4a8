//! A cluster may have another shape than the kernel was written for.

use ptx::cluster::Cluster;

pub fn body(cluster: &Cluster<'_>) -> [u32; 3] {
    let (Some(row), Some(column), Some(whole)) = (cluster.row::<2>(), cluster.column::<2>(), cluster.whole::<4>())
    else {
        return [0; 3];
    };
    [row.rank(), column.rank(), whole.rank()]
}
