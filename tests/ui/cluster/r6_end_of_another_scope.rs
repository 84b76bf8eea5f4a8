//! The last scope ends with its own memory.

use ptx::cluster::{
    ByChannel, ByElement, ByTile, Channel, ChannelReceived, ClusterSmem, DsmemBuffer, Inbox, Received, WriteOnly,
};
use ptx::group::Cta;
use ptx::shared::{Ended, SharedArray};

type Tile = DsmemBuffer<u32, 64, ByTile>;
type Words = DsmemBuffer<u32, 64, ByElement>;
type Stream = DsmemBuffer<u32, 64, ByChannel>;

#[cfg(not(fixed))]
pub fn memory<'a, 'b: 'a>(other: ClusterSmem<'a, u32, 64, WriteOnly>) -> Ended<'b, SharedArray<u32, 64>> {
    other.end()
}

#[cfg(fixed)]
pub fn memory<'a>(own: ClusterSmem<'a, u32, 64, WriteOnly>) -> Ended<'a, SharedArray<u32, 64>> {
    own.end()
}

#[cfg(not(fixed))]
pub fn inbox<'a, 'b: 'a>(other: Inbox<'a, u32, 64, ByTile>) -> Ended<'b, Tile> {
    other.end()
}

#[cfg(fixed)]
pub fn inbox<'a>(own: Inbox<'a, u32, 64, ByTile>) -> Ended<'a, Tile> {
    own.end()
}

#[cfg(not(fixed))]
pub fn received<'a, 'b: 'a>(other: Received<'a, u32, 64, ByElement, ()>) -> (Ended<'b, Words>, ()) {
    other.end()
}

#[cfg(fixed)]
pub fn received<'a>(own: Received<'a, u32, 64, ByElement, ()>) -> (Ended<'a, Words>, ()) {
    own.end()
}

#[cfg(not(fixed))]
pub fn channel<'a, 'b: 'a>(other: Channel<'a, u32, 64>) -> Ended<'b, Stream> {
    other.end()
}

#[cfg(fixed)]
pub fn channel<'a>(own: Channel<'a, u32, 64>) -> Ended<'a, Stream> {
    own.end()
}

#[cfg(not(fixed))]
pub fn received_by_a_channel<'a, 'b: 'a>(other: ChannelReceived<'a, u32, 64, ()>) -> (Ended<'b, Stream>, ()) {
    other.end()
}

#[cfg(fixed)]
pub fn received_by_a_channel<'a>(own: ChannelReceived<'a, u32, 64, ()>) -> (Ended<'a, Stream>, ()) {
    own.end()
}

pub fn after_the_last_scope(cta: Cta, memory: SharedArray<u32, 64>, last: SharedArray<u32, 64>) {
    #[cfg(not(fixed))]
    cta.finish_cluster(last, |cluster, tile| (cluster, tile.end()));
    #[cfg(not(fixed))]
    cta.finish_cluster(memory, |cluster, tile| (cluster, tile.end()));
    #[cfg(fixed)]
    cta.finish_cluster((last, memory), |cluster, (last, tile)| (cluster, (last.end(), tile.end())));
}
