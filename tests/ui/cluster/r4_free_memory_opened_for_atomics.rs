//! Memory gets values before peers change it by atomic operations.

use ptx::cluster::Cluster;
use ptx::shared::{Free, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, counts: Shared<'c, u32, 128, Free>) {
    #[cfg(not(fixed))]
    let _counts = cluster.open_atomic(counts);
    #[cfg(fixed)]
    let _counts = cluster.open_atomic(counts.write(cluster.cta(), |_| 0));
}
