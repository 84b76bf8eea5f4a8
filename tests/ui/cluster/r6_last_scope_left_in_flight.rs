//! The last scope of a cluster ends after all sent tiles have been received.

use ptx::cluster::{ByElement, Cluster, Inbox, DsmemBuffer, Sent};
use ptx::launch::Cta;
use ptx::mbarrier::Ready;
use ptx::shared::{Ended, SharedArray};

type Words = DsmemBuffer<u32, 64, ByElement, Ready>;

pub fn sent<'c>(cluster: Cluster<'c>, sent: Sent<'c, u32, 64, ByElement, ()>) -> (Cluster<'c>, Ended<'c, Words>) {
    (cluster, sent.end())
}

pub fn given_back<'c>(cluster: Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) -> (Cluster<'c>, Ended<'c, Words>) {
    (cluster, inbox)
}

pub fn published(cta: Cta, tile: SharedArray<u32, 64>) {
    cta.cluster_scope_last(tile, |cluster, tile| {
        let tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32));
        (cluster, tile)
    });
}

pub fn ended_where_it_is_given_back(cta: &mut Cta, tile: SharedArray<u32, 64>) {
    cta.cluster_scope(tile, |cluster, tile| {
        let tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32));
        (cluster, tile.end())
    });
}
