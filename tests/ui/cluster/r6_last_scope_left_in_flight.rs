//! The last scope of a cluster ends after all sent tiles have been received.

use ptx::cluster::{ByElement, Cluster, DsmemBuffer, Inbox, Sent};
use ptx::group::Cta;
use ptx::shared::{Ended, SharedArray};

type Words = DsmemBuffer<u32, 64, ByElement>;

pub fn sent<'c>(cluster: Cluster<'c>, sent: Sent<'c, u32, 64, ByElement, ()>) -> (Cluster<'c>, Ended<'c, Words>) {
    #[cfg(not(fixed))]
    {
        (cluster, sent.end())
    }
    #[cfg(fixed)]
    {
        let (words, ()) = sent.receive(cluster.cta()).end();
        (cluster, words)
    }
}

pub fn given_back<'c>(cluster: Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) -> (Cluster<'c>, Ended<'c, Words>) {
    #[cfg(not(fixed))]
    {
        (cluster, inbox)
    }
    #[cfg(fixed)]
    {
        (cluster, inbox.end())
    }
}

pub fn published(cta: Cta, tile: SharedArray<u32, 64>) {
    cta.finish_cluster(tile, |cluster, tile| {
        let tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32)).sync(&cluster);
        #[cfg(not(fixed))]
        {
            (cluster, tile)
        }
        #[cfg(fixed)]
        {
            (cluster, tile.end())
        }
    });
}

#[cfg(not(fixed))]
pub fn ended_where_it_is_given_back(cta: &mut Cta, tile: SharedArray<u32, 64>) {
    cta.cluster_scope(tile, |cluster, tile| {
        let tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32)).sync(&cluster);
        (cluster, tile.end())
    });
}

#[cfg(fixed)]
pub fn ended_where_it_is_given_back(cta: Cta, tile: SharedArray<u32, 64>) {
    cta.finish_cluster(tile, |cluster, tile| {
        let tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32)).sync(&cluster);
        (cluster, tile.end())
    });
}
