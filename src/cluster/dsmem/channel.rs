//! Channels: DSMEM buffers that stream tiles from CTA to CTA by bulk copies.

use core::ops::Deref;

use super::{ByChannel, DsmemBuffer, Inbox};
use crate::async_group::Token;
use crate::bulk::{CopySource, Source};
use crate::cluster::{Cluster, Permutation};
use crate::group::{AfterSync, Cta, End};
use crate::mark::hold;
use crate::mbarrier::await_parity;
use crate::qualifier::{Sealed, arrivals, scope, sem, suspend_time_hint};
use crate::raw;
use crate::shared::{Element, Ended, Loaded, Shared};

/// A stream of tiles through DSMEM (`cp.async.bulk`) along one [`Permutation`]: each CTA sends tile after tile to one CTA and
/// receives as many from another.
///
/// Made of a [`DsmemBuffer`](super::DsmemBuffer) [`ByChannel`]. Between two tiles, an [`Inbox`] needs a barrier of the whole
/// cluster; a channel waits only for its receiver, which acknowledges a tile by an arrival at an mbarrier of the sender.
/// Counterpart: a pair of full and empty mbarriers (CUTLASS's `PipelineAsync`) between two CTAs.
///
/// ```text
///   Inbox<ByChannel> ── into_channel ──► Channel ── send ──► ChannelSent ── receive ──► ChannelReceived
///          ▲                     │   ▲                                              │ acknowledge
///          └──── into_inbox ─────┘   └─────────────── reclaim ─────────────── ChannelAcknowledged
/// ```
///
/// A round needs one barrier of the CTA, between the reads of its threads and the acknowledgment.
/// [`release`](ChannelReceived::release) and the next tile's [`to_async`](crate::shared::Shared::to_async) can share that barrier.
/// The leader waits for the receiver and sends the next tile, so these steps need no barrier;
/// [`reclaim`](ChannelAcknowledged::reclaim) returns the source at the next barrier.
///
/// ```
/// # use ptx::{cluster::{ByChannel, Cluster, Inbox}, shared::{Fenced, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByChannel>, src: Shared<'c, f32, 1024, Fenced>) {
/// # let cta = cluster.cta();
/// if let Some(to_the_next) = cluster.rotation(1) {
///     let (mut channel, mut src) = (inbox.into_channel(to_the_next), src);
///     for _round in 0..4 {
///         let received = channel.send(cluster, src).receive(cta);
///         let _first = received.get(0);
///         let sent;
///         (channel, sent) = received.release().sync(cta).acknowledge(cta).reclaim(cta);
///         src = sent.sync(cta);
///     }
///     let _inbox = channel.into_inbox().sync(cluster);
/// }
/// # }
/// ```
#[must_use = "the closure of the scope has to return the DSMEM buffer: call `.into_inbox()`"]
#[derive(Debug)]
pub struct Channel<'c, T, const N: usize> {
    inbox: Inbox<'c, T, N, ByChannel>,
    permutation: Permutation<'c>,
}

/// A [`Channel`] with two tiles in flight (`cp.async.bulk`): one that this CTA sends, and one that it receives. It owns the
/// source.
#[must_use = "a tile is in flight to this CTA and has to be received: call `.receive(cta)`"]
#[derive(Debug)]
pub struct ChannelSent<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

/// A [`Channel`] whose incoming tile has arrived in this CTA's DSMEM buffer, where the threads may read it. It lends the tile as
/// [`Shared`] memory, by `Deref`.
#[must_use = "the sender waits until the tile is acknowledged: call `.release().sync(cta).acknowledge(cta)`"]
#[derive(Debug)]
pub struct ChannelReceived<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    /// The elements of the inbox. Only lent: the sender sends the next tile after the acknowledgment, which uses this handle up.
    tile: Shared<'c, T, N, Loaded>,
    src: Src,
}

/// A [`Channel`] whose received tile all threads of this CTA have read, before the sender is told that the buffer is free. This
/// state follows the barrier of [`release`](ChannelReceived::release), or the wait for a copy from the tile, such
/// as a [`bulk::store`](crate::bulk::store()).
#[must_use = "the sender waits until the tile is acknowledged: call `.acknowledge(cta)`"]
#[derive(Debug)]
pub struct ChannelReleased<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

/// A [`Channel`] that has acknowledged its incoming tile and waits for the acknowledgment of the tile that it sent.
#[must_use = "an `ChannelAcknowledged` owns the source and the channel: call `.reclaim(cta)`"]
#[derive(Debug)]
pub struct ChannelAcknowledged<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

impl<'c, T: Element, const N: usize> Inbox<'c, T, N, ByChannel> {
    /// Turns the DSMEM buffer into a [`Channel`], which sends tiles to the CTA that `permutation` names and receives from one
    /// CTA.
    #[inline(always)]
    pub fn into_channel(self, permutation: Permutation<'c>) -> Channel<'c, T, N> {
        hold::<Cluster<'_>>(self.addr);
        hold::<Cluster<'_>>(permutation.by);
        Channel { inbox: self, permutation }
    }

    /// The mbarrier at which the receiver of this CTA's tiles arrives.
    #[inline(always)]
    fn credit(&self) -> u32 {
        self.bar() + 8
    }
}

impl<'c, T: Element, const N: usize> Channel<'c, T, N> {
    /// Starts the copy of the tile `src` into the DSMEM buffer of the CTA that the permutation names (`cp.async.bulk`), and
    /// expects one tile in this CTA's buffer. [`receive`](ChannelSent::receive) waits for that tile. Sources are those of
    /// [`Inbox::send`]. If the source is a tile that another channel has received, acknowledge that tile once
    /// [`reclaim`](ChannelAcknowledged::reclaim) has returned it.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: as [`Inbox::send`]
    #[inline(always)]
    #[track_caller]
    pub fn send<Src: CopySource<T, N, Group = Cta>>(
        self,
        cluster: &Cluster<'c>,
        src: Src,
    ) -> ChannelSent<'c, T, N, Src> {
        meet!(cluster; self.inbox.addr, src.place());
        self.inbox.send_tile(cluster.cta, self.permutation, &src, |dst, src, bytes, mbar| {
            // SAFETY: `send_tile` passes operands that meet the contract.
            unsafe { raw::cp_async_bulk_shared_cluster_shared_cta(dst, src, bytes, mbar) }
        });
        ChannelSent { channel: self, src }
    }

    /// Ends this CTA's channel: a barrier of the cluster returns its DSMEM buffer without a channel ([`Inbox`]), for a channel to
    /// other CTAs, or to be returned from the body of the scope.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn into_inbox(self) -> AfterSync<Inbox<'c, T, N, ByChannel>, Cluster<'c>> {
        hold::<Cluster<'_>>(self.inbox.addr);
        AfterSync::new(self.inbox)
    }

    /// Gives the channel up in the kernel's last scope, without a barrier, and returns the proof that [`Cta::finish_cluster`]
    /// asks for.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Ended<'c, DsmemBuffer<T, N, ByChannel>> {
        self.inbox.end()
    }
}

impl<'c, T: Element, const N: usize, Src> ChannelSent<'c, T, N, Src> {
    /// Waits until the tile that another CTA sends to this CTA has arrived, which the threads may then read
    /// (`mbarrier.try_wait`).
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`Sent::receive`](super::Sent::receive)
    #[inline(always)]
    #[track_caller]
    pub fn receive(self, cta: &Cta) -> ChannelReceived<'c, T, N, Src> {
        meet!(cta; self.channel.inbox.addr);
        self.channel.inbox.wait();
        ChannelReceived { tile: Shared::new(self.channel.inbox.addr), channel: self.channel, src: self.src }
    }
}

impl<'c, T: Element, const N: usize, Src> ChannelReceived<'c, T, N, Src> {
    /// Gives up the tile: after a barrier of the CTA all its threads have read it, and
    /// [`acknowledge`](ChannelReleased::acknowledge) tells the sender. [`reclaim`](ChannelAcknowledged::reclaim) has an example.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn release(self) -> AfterSync<ChannelReleased<'c, T, N, Src>> {
        hold::<Cta>(self.channel.inbox.addr);
        AfterSync::new(ChannelReleased { channel: self.channel, src: self.src })
    }

    /// Gives the channel and its source up in the kernel's last scope ([`Cta::finish_cluster`]), without a barrier and
    /// without an arrival that tells the sender. No tile may follow. All CTAs have to end their channels alike: a CTA that calls
    /// [`reclaim`](ChannelAcknowledged::reclaim) instead waits forever.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{ByChannel, DsmemBuffer}, group::Cta, shared::SharedArray, trap};
    /// # type Ring = DsmemBuffer<f32, 64, ByChannel>;
    /// # fn kernel(cta: Cta, ring: Ring, tile: SharedArray<f32, 64>, out: &mut f32) {
    /// cta.finish_cluster((ring, tile), |cluster, (ring, tile)| {
    ///     let Some(to_the_next) = cluster.rotation(1) else { trap() };
    ///     let tile = tile.write(cluster.cta(), |i| i as f32).to_async().sync(cluster.cta());
    ///     let received = ring.into_channel(to_the_next).send(&cluster, tile).receive(cluster.cta());
    ///     *out = received.get(7).unwrap_or(0.0);
    ///     (cluster, received.end())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn end(self) -> (Ended<'c, DsmemBuffer<T, N, ByChannel>>, Src::Ended)
    where
        Src: End,
    {
        (self.channel.end(), self.src.end())
    }
}

impl<'c, T, const N: usize, Src> Deref for ChannelReceived<'c, T, N, Src> {
    type Target = Shared<'c, T, N, Loaded>;
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.tile
    }
}

// SAFETY: everything that was sent to this CTA has arrived. Another CTA may still copy from this CTA, until it ends what it
// received.
unsafe impl<'c, T: Element, const N: usize, Src: End> End for ChannelReceived<'c, T, N, Src> {
    type Ended = (Ended<'c, DsmemBuffer<T, N, ByChannel>>, Src::Ended);
    #[inline(always)]
    fn end(self) -> Self::Ended {
        ChannelReceived::end(self)
    }
}

impl<'c, T: Element, const N: usize, Src> ChannelReleased<'c, T, N, Src> {
    /// Tells the sender that all threads of this CTA have read the tile, by an arrival at the sender's mbarrier
    /// (`mbarrier.arrive`). This CTA does not wait for the sender.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mapa.shared::cluster.u32 bar, bar, from;`
    /// `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];`
    #[inline(always)]
    #[track_caller]
    pub fn acknowledge(self, cta: &Cta) -> ChannelAcknowledged<'c, T, N, Src> {
        meet!(cta; self.channel.inbox.addr);
        if cta.is_leader() {
            // SAFETY: the mbarrier is valid in all CTAs, with a count of 1. This is its one arrival in the phase (9.7.13.15.4):
            // the sender has waited for the phase before, or this tile would not have been sent. All threads have read the tile
            // before a barrier.
            unsafe {
                let bar =
                    raw::mapa_shared_cluster(self.channel.inbox.credit(), self.channel.permutation.from);
                raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar, arrivals::One);
            }
        }
        ChannelAcknowledged { channel: self.channel, src: self.src }
    }
}

// SAFETY: everything that was sent to this CTA has arrived, because a `ChannelReceived` came before.
unsafe impl<'c, T: Element, const N: usize, Src: End> End for ChannelReleased<'c, T, N, Src> {
    type Ended = (Ended<'c, DsmemBuffer<T, N, ByChannel>>, Src::Ended);
    #[inline(always)]
    fn end(self) -> Self::Ended {
        (self.channel.end(), self.src.end())
    }
}

impl<T, const N: usize, Src> Sealed for ChannelReceived<'_, T, N, Src> {}
impl<'c, T, const N: usize, Src> Source for ChannelReceived<'c, T, N, Src> {
    type Group = Cta;
    // The wait for a copy ends with a barrier of the CTA, so all threads have read the tile.
    type Read = ChannelReleased<'c, T, N, Src>;
    #[inline(always)]
    fn when_read(self, _: Token) -> ChannelReleased<'c, T, N, Src> {
        ChannelReleased { channel: self.channel, src: self.src }
    }
}
// SAFETY: the tile is aligned to 128 bytes. The leader, which starts the copy, has waited for the tile, and only the async proxy
// has written it, as for a `Received` of tiles. The sender sends the next tile only after the acknowledgment.
unsafe impl<T: Element, const N: usize, Src> CopySource<T, N> for ChannelReceived<'_, T, N, Src> {
    #[inline(always)]
    fn tile(&self) -> u32 {
        self.addr()
    }
}

impl<'c, T: Element, const N: usize, Src> ChannelAcknowledged<'c, T, N, Src> {
    /// Waits in the leader until the receiver has acknowledged this CTA's tile. Returns the channel, ready for the next tile, and
    /// the source, which is no longer read, after the CTA's next barrier. The channel comes at once, since the leader both waits
    /// and sends the next tile.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 waitComplete, [bar], parity;` by the leader, repeated while
    /// false
    ///
    /// ```
    /// # use ptx::{cluster::{ByChannel, Cluster, Inbox}, group::Together, shared::{Fenced, Free, Shared}};
    /// # type Tile<'c, State> = Shared<'c, f32, 64, State>;
    /// # type Tiles<'c> = (Tile<'c, Fenced>, Tile<'c, Free>, Tile<'c, Free>);
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 64, ByChannel>, (a, b, c): Tiles<'c>) {
    /// # let (cta, thread) = (cluster.cta(), cluster.cta().thread_rank() as usize);
    /// let Some(to_the_next) = cluster.rotation(1) else { return };
    /// let received = inbox.into_channel(to_the_next).send(cluster, a).receive(cta);
    /// let b = b.write(cta, |i| received.get(i).unwrap_or(0.0) + 1.0);
    /// let (released, b) = (received.release(), b.to_async()).sync(cta);
    /// let (channel, a) = released.acknowledge(cta).reclaim(cta);
    /// let received = channel.send(cluster, b).receive(cta);
    /// let c = c.write(cta, |i| received.get(i).unwrap_or(0.0) + 1.0);
    /// // The barrier of this round returns the source of the round before.
    /// let (released, c, a) = (received.release(), c.to_async(), a).sync(cta);
    /// # let (channel, b) = released.acknowledge(cta).reclaim(cta);
    /// # let _ = (channel.end(), b.sync(cta), c, a);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn reclaim(self, cta: &Cta) -> (Channel<'c, T, N>, AfterSync<Src>) {
        meet!(cta; self.channel.inbox.addr);
        let inbox = self.channel.inbox;
        if cta.is_leader() {
            // SAFETY: the CTA's own valid mbarrier; both mbarriers complete one phase per tile, so they share the parity. Only
            // the leader waits: a slower thread could miss a phase.
            unsafe {
                await_parity(
                    sem::Acquire,
                    scope::Cluster,
                    inbox.credit(),
                    inbox.parity,
                    suspend_time_hint::None,
                )
            };
        }
        // No barrier is needed here: the leader also expects and sends the next tile, and all threads waited for this tile before
        // the barrier of `release`. The other threads learn only at the next barrier that the source has been read, so
        // the source is an `AfterSync`.
        let channel = Channel {
            inbox: Inbox { parity: inbox.parity ^ 1, ..inbox },
            permutation: self.channel.permutation,
        };
        (channel, AfterSync::new(self.src))
    }
}

handles! {
    ChannelSent<u32, 4, ()>, ChannelReceived<u32, 4, ()>, ChannelReleased<u32, 4, ()>,
    ChannelAcknowledged<u32, 4, ()>, Channel<u32, 4>,
}
