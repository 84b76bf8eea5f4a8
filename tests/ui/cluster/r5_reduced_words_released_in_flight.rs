//! A DSMEM buffer receives more words after the reduction has read the words in it.

use ptx::bulk::{self, ReduceTile};
use ptx::cluster::{ByElement, Cluster, Received};
use ptx::qualifier::op;

pub fn body<'c>(cluster: &Cluster<'c>, words: Received<'c, u32, 128, ByElement, ()>, sums: ReduceTile<u32, 128>) {
    let cta = cluster.cta();
    let reduction = bulk::reduce(cta, op::Add, words, sums).commit(cta);
    #[cfg(fixed)]
    let (words, _writing) = reduction.wait_read(cta);
    let _inbox = words.release(cluster);
    #[cfg(not(fixed))]
    let _ = reduction.wait_read(cta);
}
