//! DSMEM buffers that stream tiles from CTA to CTA.

use super::{ByChannel, DsmemBuffer, Inbox};
use crate::async_group::Token;
use crate::bulk::{CopySource, Source};
use crate::cluster::{Cluster, Permutation};
use crate::group::{AfterSync, Cta, End};
use crate::mbarrier::{Ready, await_parity};
use crate::qualifier::{Sealed, arrivals, scope, sem, suspend_time_hint};
use crate::raw;
use crate::shared::{Element, Ended};
use crate::size;

/// A [`DsmemBuffer`](super::DsmemBuffer) that sends tile after tile along one [`Permutation`], while as many come in. Where an [`Inbox`]
/// waits for the whole cluster between two tiles, this waits for the receiver alone, which arrives on an mbarrier of the
/// sender.
///
/// ```text
///   Inbox<ByChannel> ── along ──► Channel ── send ──► ChannelSent ── receive ──► ChannelReceived
///          ▲                     │   ▲                                              │ acknowledge
///          └──── into_inbox ─────┘   └─────────────── reclaim ─────────────── Acknowledged
/// ```
///
/// A round needs one barrier of the CTA, between its threads' reads and the word to the sender: [`release_at_sync`](
/// ChannelReceived::release_at_sync), which the next tile's [`to_async_at_sync`](crate::shared::Shared::to_async_at_sync) shares. One thread
/// waits for the receiver and sends the next tile, so the channel goes on without a barrier, and the source comes back behind the next
/// one: [`reclaim_at_sync`](Acknowledged::reclaim_at_sync).
///
/// ```
/// # use ptx::{cluster::{ByChannel, Channel, Cluster, Inbox}, shared::{Fenced, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 64, ByChannel>, src: Shared<'c, f32, 64, Fenced>) {
/// # let cta = cluster.cta();
/// if let Some(to_the_next) = cluster.rotation(1) {
///     let channel: Channel<f32, 64> = inbox.along(to_the_next);
///     let (channel, _src) = channel.send(cluster, src).receive(cta).acknowledge(cta).reclaim(cta);
///     let _inbox = channel.into_inbox(cluster);
/// }
/// # }
/// ```
#[must_use = "the scope has to return the DSMEM buffer: call `.into_inbox(&cluster)`"]
#[derive(Debug)]
pub struct Channel<'c, T, const N: usize> {
    inbox: Inbox<'c, T, N, ByChannel>,
    permutation: Permutation<'c>,
}

/// A [`Channel`] whose tile is under way, as is the one that comes in. It owns the source.
///
/// ```
/// # use ptx::{cluster::{Channel, ChannelSent, Cluster}, shared::{Fenced, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, f32, 64>, src: Shared<'c, f32, 64, Fenced>, work: fn()) {
/// let sent: ChannelSent<f32, 64, _> = channel.send(cluster, src);
/// work(); // while both tiles are under way
/// let received = sent.receive(cluster.cta());
/// # let _acknowledged = received.acknowledge(cluster.cta());
/// # }
/// ```
#[must_use = "what is under way has to be received: call `.receive(cta)`"]
#[derive(Debug)]
pub struct ChannelSent<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

static_assertions::assert_not_impl_any!(ChannelSent<'static, u32, 4, ()>: Copy, Clone, Send, Sync);

/// A [`Channel`] whose incoming tile is readable.
///
/// ```
/// # use ptx::{cluster::{ChannelReceived, ChannelSent}, launch::Cta, shared::{Fenced, Shared}};
/// # fn body<'c>(cta: &Cta, sent: ChannelSent<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
/// let received: ChannelReceived<f32, 64, _> = sent.receive(cta);
/// let _first = received.get(0);
/// let acknowledged = received.acknowledge(cta);
/// # }
/// ```
#[must_use = "the sender waits for this: call `.acknowledge(cta)`"]
#[derive(Debug)]
pub struct ChannelReceived<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

static_assertions::assert_not_impl_any!(ChannelReceived<'static, u32, 4, ()>: Copy, Clone, Send, Sync);

/// A [`Channel`] whose tile all threads of this CTA have read, and whose sender does not know it yet: behind the barrier of
/// [`release_at_sync`](ChannelReceived::release_at_sync), or that of the wait for a copy that has read the tile, such as a
/// [`bulk::store`](crate::bulk::store()).
///
/// ```
/// # use ptx::{cluster::{ChannelReceived, ChannelReleased}, launch::Cta, shared::{Fenced, Shared}};
/// # fn body<'c>(cta: &Cta, received: ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
/// let _first = received.get(0);
/// let released: ChannelReleased<f32, 64, _> = cta.sync_with(received.release_at_sync());
/// let acknowledged = released.acknowledge(cta);
/// # let _ = acknowledged.reclaim(cta);
/// # }
/// ```
#[must_use = "the sender waits for this: call `.acknowledge(cta)`"]
#[derive(Debug)]
pub struct ChannelReleased<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

static_assertions::assert_not_impl_any!(ChannelReleased<'static, u32, 4, ()>: Copy, Clone, Send, Sync);

/// A [`Channel`] that has told its sender, and waits to be told by its receiver.
///
/// ```
/// # use ptx::{cluster::{Acknowledged, ChannelReceived}, launch::Cta, shared::{Fenced, Shared}};
/// # fn body<'c>(cta: &Cta, received: ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>, work: fn()) {
/// let acknowledged: Acknowledged<f32, 64, _> = received.acknowledge(cta);
/// work(); // the receiver may still be reading
/// let (channel, src) = acknowledged.reclaim(cta);
/// # }
/// ```
#[must_use = "it still owns the source: call `.reclaim(cta)`"]
#[derive(Debug)]
pub struct Acknowledged<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

static_assertions::assert_not_impl_any!(Acknowledged<'static, u32, 4, ()>: Copy, Clone, Send, Sync);

impl<'c, T: Element, const N: usize> Inbox<'c, T, N, ByChannel> {
    /// Makes it a channel along `route`.
    ///
    /// ```
    /// # use ptx::cluster::{ByChannel, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 64, ByChannel>) {
    /// if let Some(to_the_other) = cluster.exchange(1) {
    ///     let channel = inbox.along(to_the_other);
    ///     let _inbox = channel.into_inbox(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn along(self, permutation: Permutation<'c>) -> Channel<'c, T, N> {
        Channel { inbox: self, permutation }
    }

    /// The mbarrier where the receiver of this CTA's tiles arrives.
    #[inline(always)]
    fn credit(&self) -> u32 {
        self.bar() + 8
    }
}

impl<'c, T: Element, const N: usize> Channel<'c, T, N> {
    /// Each CTA sends the tile `src` along the permutation, and expects one from the CTA that sends to it. `src` is as of
    /// [`Inbox::send`]: what another channel has received can go on, and is acknowledged when it is [reclaimed](
    /// Acknowledged::reclaim).
    ///
    /// Collective in the cluster.
    ///
    /// PTX: as [`Inbox::send`]
    ///
    /// ```
    /// # use ptx::{cluster::{ByChannel, Cluster, Inbox}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByChannel>, src: Shared<'c, f32, 1024, Fenced>) {
    /// # let cta = cluster.cta();
    /// if let Some(to_the_next) = cluster.rotation(1) {
    ///     let (mut channel, mut src) = (inbox.along(to_the_next), src);
    ///     for _round in 0..4 {
    ///         let received = channel.send(cluster, src).receive(cta);
    ///         let _first = received.get(0);
    ///         (channel, src) = received.acknowledge(cta).reclaim(cta);
    ///     }
    ///     let _inbox = channel.into_inbox(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn send<Src: CopySource<T, N, Group = Cta>>(
        self,
        cluster: &Cluster<'c>,
        src: Src,
    ) -> ChannelSent<'c, T, N, Src> {
        self.inbox.send_tile(cluster.cta, self.permutation, &src, |dst, src, bytes, mbar| {
            // SAFETY: see `send_tile`.
            unsafe { raw::cp_async_bulk_shared_cluster_shared_cta(dst, src, bytes, mbar) }
        });
        ChannelSent { channel: self, src }
    }

    /// Ends the channel when the channels of all CTAs have come to this point.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::cluster::{Channel, Cluster};
    /// # fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, f32, 64>) {
    /// let inbox = channel.into_inbox(cluster); // for another permutation, or the scope's end
    /// # }
    /// ```
    #[inline(always)]
    pub fn into_inbox(self, cluster: &Cluster<'c>) -> Inbox<'c, T, N, ByChannel> {
        cluster.sync_with(self.into_inbox_at_sync())
    }

    /// [`into_inbox`](Channel::into_inbox), at a barrier that other transitions share ([`Cluster::sync_with`]).
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{Acknowledged, Cluster}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, acknowledged: Acknowledged<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// let (channel, src) = acknowledged.reclaim_at_sync(cluster.cta());
    /// // One barrier: the channel has ended, and all threads know that the source is read.
    /// let (inbox, src) = cluster.sync_with((channel.into_inbox_at_sync(), src));
    /// # let _ = (inbox, src);
    /// # }
    /// ```
    #[inline(always)]
    pub fn into_inbox_at_sync(self) -> AfterSync<Inbox<'c, T, N, ByChannel>, Cluster<'c>> {
        AfterSync::new(self.inbox)
    }

    /// Ends the channel in the last scope of the kernel ([`Cta::cluster_scope_last`]).
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{ByChannel, DsmemBuffer}, launch::{Cta, trap}, mbarrier::Ready, shared::SharedArray};
    /// # type Ring = DsmemBuffer<f32, 64, ByChannel, Ready>;
    /// # fn kernel(cta: Cta, ring: Ring, tile: SharedArray<f32, 64>, out: &mut f32) {
    /// cta.cluster_scope_last((ring, tile), |cluster, (ring, tile)| {
    ///     let Some(to_the_next) = cluster.rotation(1) else { trap() };
    ///     let tile = tile.write(cluster.cta(), |i| i as f32).to_async(cluster.cta());
    ///     let received = ring.along(to_the_next).send(&cluster, tile).receive(cluster.cta());
    ///     *out = received.get(7).unwrap_or(0.0);
    ///     let (ring, tile) = received.acknowledge(cluster.cta()).reclaim(cluster.cta());
    ///     (cluster, (ring.end(), tile.end()))
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn end(self) -> Ended<'c, DsmemBuffer<T, N, ByChannel, Ready>> {
        self.inbox.end()
    }
}

impl<'c, T: Element, const N: usize, Src> ChannelSent<'c, T, N, Src> {
    /// What is being sent from here, as of [`Sent::source`](super::Sent::source).
    ///
    /// ```
    /// # use ptx::{cluster::{Channel, Cluster}, shared::{Loaded, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, f32, 64>, mine: Shared<'c, f32, 64, Loaded>) {
    /// let sent = channel.send(cluster, mine);
    /// let _mine = sent.source().get(0); // while it is under way
    /// # let _received = sent.receive(cluster.cta());
    /// # }
    /// ```
    #[inline(always)]
    pub fn source(&self) -> &Src {
        &self.src
    }

    /// Waits for the tile that comes in.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`Sent::receive`](super::Sent::receive)
    ///
    /// ```
    /// # use ptx::{cluster::{Channel, Cluster}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, f32, 64>, src: Shared<'c, f32, 64, Fenced>) {
    /// let received = channel.send(cluster, src).receive(cluster.cta());
    /// let _first = received.get(0);
    /// # let _acknowledged = received.acknowledge(cluster.cta());
    /// # }
    /// ```
    #[inline(always)]
    pub fn receive(self, _cta: &Cta) -> ChannelReceived<'c, T, N, Src> {
        self.channel.inbox.wait();
        ChannelReceived { channel: self.channel, src: self.src }
    }
}

impl<'c, T: Element, const N: usize, Src> ChannelReceived<'c, T, N, Src> {
    /// What was sent from here, as of [`Sent::source`](super::Sent::source).
    ///
    /// ```
    /// # use ptx::{cluster::{Channel, Cluster}, shared::{Loaded, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, f32, 64>, mine: Shared<'c, f32, 64, Loaded>) {
    /// let received = channel.send(cluster, mine).receive(cluster.cta());
    /// let _both = (received.get(0), received.source().get(0));
    /// # let _acknowledged = received.acknowledge(cluster.cta());
    /// # }
    /// ```
    #[inline(always)]
    pub fn source(&self) -> &Src {
        &self.src
    }

    /// The `.shared::cta` address of the first element.
    ///
    /// ```
    /// # use ptx::{cluster::ChannelReceived, shared::{Fenced, Shared}};
    /// # fn body<'c>(received: &ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// let operand = received.addr(); // for an instruction of your own that reads shared memory
    /// # }
    /// ```
    #[inline(always)]
    pub fn addr(&self) -> u32 {
        self.channel.inbox.addr
    }

    /// Element `i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{cluster::ChannelReceived, launch::Cta, shared::{Fenced, Shared}};
    /// # fn body<'c>(cta: &Cta, received: &ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// let mine = received.get(cta.thread_rank() as usize); // `None` for the threads from 64 on
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: in bounds; the tile has arrived, and its sender sends the next when it has been told to.
        (i < N).then(|| unsafe { T::load(self.channel.inbox.addr + (i * size_of::<T>()) as u32) })
    }

    /// The sixteen bytes that start at byte `16 * i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{cluster::ChannelReceived, shared::{Fenced, Shared}};
    /// # fn body<'c>(received: &ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// if let Some([a, b, c, d]) = received.get_vector(1) {
    ///     let _of_elements_4_to_7 = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        // SAFETY: in bounds, and aligned since the DSMEM buffer is to 128; otherwise as in `get`.
        (i < const { size::vectors::<T, N>() })
            .then(|| unsafe { T::load_vector(self.channel.inbox.addr + 16 * i as u32) })
    }

    /// Gives up the contents: tells the sender when all threads of this CTA have read what they want. An arrival on the
    /// mbarrier of another CTA gives no state, and nobody here waits for it.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, by the leader: `mapa.shared::cluster.u32 bar, bar, from;`
    /// `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];`
    ///
    /// ```
    /// # use ptx::{cluster::ChannelReceived, launch::Cta, shared::{Fenced, Shared}};
    /// # fn body<'c>(cta: &Cta, received: ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// let _first = received.get(0);
    /// let acknowledged = received.acknowledge(cta); // it cannot be read from here on
    /// # let _channel = acknowledged.reclaim(cta);
    /// # }
    /// ```
    #[inline(always)]
    pub fn acknowledge(self, cta: &Cta) -> Acknowledged<'c, T, N, Src> {
        cta.sync_with(self.release_at_sync()).acknowledge(cta)
    }

    /// The barrier of [`acknowledge`](ChannelReceived::acknowledge), which other transitions share: behind it all threads of this CTA
    /// have read what they want, and [`ChannelReleased::acknowledge`] tells the sender.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::ChannelReceived, launch::Cta, shared::{Fenced, Shared, Written}};
    /// # type Tile<'c, State> = Shared<'c, f32, 64, State>;
    /// # fn body<'c>(cta: &Cta, received: ChannelReceived<'c, f32, 64, Tile<'c, Fenced>>, next: Tile<'c, Written>) {
    /// // One barrier: the tile that came is read, and the next can be sent.
    /// let (released, next) = cta.sync_with((received.release_at_sync(), next.to_async_at_sync()));
    /// # let _ = (released.acknowledge(cta).reclaim(cta), next);
    /// # }
    /// ```
    #[inline(always)]
    pub fn release_at_sync(self) -> AfterSync<ChannelReleased<'c, T, N, Src>> {
        AfterSync::new(ChannelReleased { channel: self.channel, src: self.src })
    }

    /// Ends the channel in the last scope of the kernel ([`Cta::cluster_scope_last`]), and the use of what was sent from here: nothing more
    /// comes, and the sender is not told: all CTAs end their channels alike, since one that reclaims waits for ever.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{ByChannel, DsmemBuffer}, launch::{Cta, trap}, mbarrier::Ready, shared::SharedArray};
    /// # type Ring = DsmemBuffer<f32, 64, ByChannel, Ready>;
    /// # fn kernel(cta: Cta, ring: Ring, tile: SharedArray<f32, 64>, out: &mut f32) {
    /// cta.cluster_scope_last((ring, tile), |cluster, (ring, tile)| {
    ///     let Some(to_the_next) = cluster.rotation(1) else { trap() };
    ///     let tile = tile.write(cluster.cta(), |i| i as f32).to_async(cluster.cta());
    ///     let received = ring.along(to_the_next).send(&cluster, tile).receive(cluster.cta());
    ///     *out = received.get(7).unwrap_or(0.0);
    ///     (cluster, received.end())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn end(self) -> (Ended<'c, DsmemBuffer<T, N, ByChannel, Ready>>, Src::Ended)
    where
        Src: End,
    {
        (self.channel.end(), self.src.end())
    }
}

// SAFETY: what came has come. Another CTA still copies what was sent from here until it ends what it received.
unsafe impl<'c, T: Element, const N: usize, Src: End> End for ChannelReceived<'c, T, N, Src> {
    type Ended = (Ended<'c, DsmemBuffer<T, N, ByChannel, Ready>>, Src::Ended);
    #[inline(always)]
    fn end(self) -> Self::Ended {
        ChannelReceived::end(self)
    }
}

impl<'c, T: Element, const N: usize, Src> ChannelReleased<'c, T, N, Src> {
    /// Tells the sender that all threads of this CTA have read. As [`ChannelReceived::acknowledge`], behind its barrier.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mapa.shared::cluster.u32 bar, bar, from;`
    /// `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];`
    ///
    /// ```
    /// # use ptx::{cluster::ChannelReleased, launch::Cta, shared::{Fenced, Shared}};
    /// # fn body<'c>(cta: &Cta, released: ChannelReleased<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// let (channel, src) = released.acknowledge(cta).reclaim(cta);
    /// # }
    /// ```
    #[inline(always)]
    pub fn acknowledge(self, cta: &Cta) -> Acknowledged<'c, T, N, Src> {
        if cta.is_leader() {
            // SAFETY: the mbarrier is valid in all CTAs. Its count is 1, and this its one arrival in the phase: the sender
            // has waited for the phase before, or its tile would not be here (9.7.13.15.4). All threads have read, behind a barrier.
            unsafe {
                let bar =
                    raw::mapa_shared_cluster(self.channel.inbox.credit(), self.channel.permutation.from);
                raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar, arrivals::One);
            }
        }
        Acknowledged { channel: self.channel, src: self.src }
    }

    /// The tile once more, to be read or sent on: the sender has not been told.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, cluster::ChannelReceived, global::GlobalTileMut, launch::Cta};
    /// # fn body<'c>(cta: &Cta, received: ChannelReceived<'c, f32, 64, ()>, dst: GlobalTileMut<f32, 64>) {
    /// let (released, _writing) = bulk::store(cta, received, dst).commit(cta).wait_read(cta);
    /// let received = released.into_received();
    /// let _first = received.get(0);
    /// # let _ = received.acknowledge(cta);
    /// # }
    /// ```
    #[inline(always)]
    pub fn into_received(self) -> ChannelReceived<'c, T, N, Src> {
        ChannelReceived { channel: self.channel, src: self.src }
    }
}

// SAFETY: as of a `ChannelReceived`.
unsafe impl<'c, T: Element, const N: usize, Src: End> End for ChannelReleased<'c, T, N, Src> {
    type Ended = (Ended<'c, DsmemBuffer<T, N, ByChannel, Ready>>, Src::Ended);
    #[inline(always)]
    fn end(self) -> Self::Ended {
        self.into_received().end()
    }
}

impl<T, const N: usize, Src> Sealed for ChannelReceived<'_, T, N, Src> {}
impl<'c, T, const N: usize, Src> Source for ChannelReceived<'c, T, N, Src> {
    type Group = Cta;
    // Behind the barrier of the wait, so all threads have read.
    type Read = ChannelReleased<'c, T, N, Src>;
    #[inline(always)]
    fn when_read(self, _: Token) -> ChannelReleased<'c, T, N, Src> {
        ChannelReleased { channel: self.channel, src: self.src }
    }
}
// SAFETY: as of a `Received` of tiles; the sender sends the next when it has been told to.
unsafe impl<T: Element, const N: usize, Src> CopySource<T, N> for ChannelReceived<'_, T, N, Src> {
    #[inline(always)]
    fn tile(&self) -> u32 {
        self.channel.inbox.addr
    }
}

impl<'c, T: Element, const N: usize, Src> Acknowledged<'c, T, N, Src> {
    /// Waits until the receiver has read: its DSMEM buffer is ready for more, and the source is no longer read.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 waitComplete, [bar], parity;` by the leader,
    /// repeated while false, then `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{cluster::{Acknowledged, Cluster}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, acknowledged: Acknowledged<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// let (channel, src) = acknowledged.reclaim(cluster.cta());
    /// let sent = channel.send(cluster, src); // the next round
    /// # let _received = sent.receive(cluster.cta());
    /// # }
    /// ```
    #[inline(always)]
    pub fn reclaim(self, cta: &Cta) -> (Channel<'c, T, N>, Src) {
        let (channel, src) = self.reclaim_at_sync(cta);
        (channel, cta.sync_with(src))
    }

    /// [`reclaim`](Acknowledged::reclaim), at a barrier that other transitions share: gives the source behind it, and at once the
    /// channel, since the thread that sends the next tile is the one that has waited.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 waitComplete, [bar], parity;` by the leader,
    /// repeated while false
    ///
    /// ```
    /// # use ptx::{cluster::{ByChannel, Cluster, Inbox}, shared::{Fenced, Free, Shared}};
    /// # type Tile<'c, State> = Shared<'c, f32, 64, State>;
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 64, ByChannel>, (a, b, c): (Tile<'c, Fenced>, Tile<'c, Free>, Tile<'c, Free>)) {
    /// # let (cta, thread) = (cluster.cta(), cluster.cta().thread_rank() as usize);
    /// let Some(to_the_next) = cluster.rotation(1) else { return };
    /// let received = inbox.along(to_the_next).send(cluster, a).receive(cta);
    /// let b = b.write(cta, |i| received.get(i).unwrap_or(0.0) + 1.0);
    /// let (released, b) = cta.sync_with((received.release_at_sync(), b.to_async_at_sync()));
    /// let (channel, a) = released.acknowledge(cta).reclaim_at_sync(cta);
    /// let received = channel.send(cluster, b).receive(cta);
    /// let c = c.write(cta, |i| received.get(i).unwrap_or(0.0) + 1.0);
    /// // The barrier of this round gives back the source of the one before.
    /// let (released, c, a) = cta.sync_with((received.release_at_sync(), c.to_async_at_sync(), a));
    /// # let _ = (released.acknowledge(cta).reclaim(cta), c, a);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reclaim_at_sync(self, cta: &Cta) -> (Channel<'c, T, N>, AfterSync<Src>) {
        let inbox = self.channel.inbox;
        if cta.is_leader() {
            // SAFETY: the CTA's own mbarrier, valid; it is as many phases on as the other, so of the same parity. One thread
            // waits: another could come so late that the phase after is over too.
            unsafe { await_parity(scope::Cluster, inbox.credit(), inbox.parity, suspend_time_hint::None) };
        }
        // The next tile's expect-tx and copy are this thread's, and all threads have waited for this one's, before `release_at_sync`'s
        // barrier: what a barrier here would tell is that the source is read.
        let channel = Channel {
            inbox: Inbox { parity: inbox.parity ^ 1, ..inbox },
            permutation: self.channel.permutation,
        };
        (channel, AfterSync::new(self.src))
    }
}

static_assertions::assert_not_impl_any!(Channel<'static, u32, 4>: Copy, Clone, Send, Sync);
