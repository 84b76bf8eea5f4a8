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

pub fn memory<'a, 'b: 'a>(other: ClusterSmem<'a, u32, 64, WriteOnly>) -> Ended<'b, SharedArray<u32, 64>> {
    other.end()
}

pub fn inbox<'a, 'b: 'a>(other: Inbox<'a, u32, 64, ByTile>) -> Ended<'b, Tile> {
    other.end()
}

pub fn received<'a, 'b: 'a>(other: Received<'a, u32, 64, ByElement, ()>) -> (Ended<'b, Words>, ()) {
    other.end()
}

pub fn channel<'a, 'b: 'a>(other: Channel<'a, u32, 64>) -> Ended<'b, Stream> {
    other.end()
}

pub fn received_by_a_channel<'a, 'b: 'a>(other: ChannelReceived<'a, u32, 64, ()>) -> (Ended<'b, Stream>, ()) {
    other.end()
}

pub fn after_the_last_scope(cta: Cta, memory: SharedArray<u32, 64>, last: SharedArray<u32, 64>) {
    cta.cluster_scope_last(last, |cluster, tile| (cluster, tile.end()));
    cta.cluster_scope_last(memory, |cluster, tile| (cluster, tile.end()));
}
