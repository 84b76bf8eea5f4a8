//! The last scope ends with its own memory.

use ptx::cluster::{
    ByElement, ByChannel, ByTile, Channel, ChannelReceived, ClusterSmem, Inbox, DsmemBuffer, WriteOnly, Received,
};
use ptx::launch::Cta;
use ptx::mbarrier::Ready;
use ptx::shared::{Ended, SharedArray};

type Tile = DsmemBuffer<u32, 64, ByTile, Ready>;
type Words = DsmemBuffer<u32, 64, ByElement, Ready>;
type Stream = DsmemBuffer<u32, 64, ByChannel, Ready>;

pub fn memory<'a>(own: ClusterSmem<'a, u32, 64, WriteOnly>) -> Ended<'a, SharedArray<u32, 64>> {
    own.end()
}

pub fn inbox<'a>(own: Inbox<'a, u32, 64, ByTile>) -> Ended<'a, Tile> {
    own.end()
}

pub fn received<'a>(own: Received<'a, u32, 64, ByElement, ()>) -> (Ended<'a, Words>, ()) {
    own.end()
}

pub fn channel<'a>(own: Channel<'a, u32, 64>) -> Ended<'a, Stream> {
    own.end()
}

pub fn received_by_a_channel<'a>(own: ChannelReceived<'a, u32, 64, ()>) -> (Ended<'a, Stream>, ()) {
    own.end()
}

pub fn after_the_last_scope(cta: Cta, memory: SharedArray<u32, 64>, last: SharedArray<u32, 64>) {
    cta.cluster_scope_last((last, memory), |cluster, (last, tile)| (cluster, (last.end(), tile.end())));
}
