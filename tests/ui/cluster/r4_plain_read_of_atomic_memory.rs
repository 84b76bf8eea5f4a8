//! Memory that peers access by atomic operations is readable otherwise only after it is closed.

use ptx::cluster::Cluster;
use ptx::shared::{Free, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, counts: Shared<'c, u32, 128, Free>) -> Option<u32> {
    let counts = cluster.open_atomic(counts.write(cluster.cta(), |_| 0)).sync(cluster);
    #[cfg(not(fixed))]
    {
        counts.peer(1)?.get(0)
    }
    #[cfg(fixed)]
    {
        let count = counts.peer(1)?.atomic(0)?.load(ptx::qualifier::sem::Relaxed);
        Some(count)
    }
}
