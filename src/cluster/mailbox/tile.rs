//! Mailboxes that bulk copies fill.

use super::{ByTile, Inbox, Received, Sent};
use crate::bulk::CachePolicy;
use crate::cluster::{Cluster, Route};
use crate::global::GlobalTile;
use crate::mask::CtaMask;
use crate::raw;
use crate::shared::{AsyncSource, Element, Shared};

impl<'c, T: Element, const N: usize> Inbox<'c, T, N, ByTile> {
    /// Each CTA sends the tile `src` along `route`, and expects one from the CTA that sends to it.
    ///
    /// PTX, by the elected thread: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;`
    /// `mapa.shared::cluster.u32` of the tile and of its mbarrier,
    /// `cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dst], [src], bytes, [mbar];`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Inbox}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByTile>, src: Shared<'c, f32, 1024, Fenced>) {
    /// if let Some(to_the_next) = cluster.rotation(1) {
    ///     let received = inbox.send(cluster, to_the_next, src).receive(cluster.cta());
    ///     let _first = received.get(0);
    ///     let (_inbox, _src) = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn send<'s, S: AsyncSource>(
        self,
        cluster: &Cluster<'c>,
        route: Route<'c>,
        src: Shared<'s, T, N, S>,
    ) -> Sent<'c, T, N, ByTile, Shared<'s, T, N, S>> {
        self.send_tile(cluster.cta, route, &src);
        Sent { inbox: self, src }
    }

    /// Loads one tile into the mailbox of every CTA of the cluster: the `src` of the CTA of rank 0.
    ///
    /// PTX, by the elected thread: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;`, of rank 0 besides:
    /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [dst], [src], bytes, [bar],
    /// ctaMask;`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Inbox}, global::GlobalTile};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByTile>, src: GlobalTile<f32, 1024>) {
    /// let received = inbox.multicast(cluster, src).receive(cluster.cta());
    /// let _first = received.get(0);
    /// let (_inbox, _src) = received.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn multicast(
        self,
        cluster: &Cluster<'c>,
        src: GlobalTile<T, N>,
    ) -> Sent<'c, T, N, ByTile, GlobalTile<T, N>> {
        self.multicast_with(cluster, src, |dst, src, size, mbar, mask| {
            // SAFETY: see `multicast_with`.
            unsafe { raw::cp_async_bulk_shared_cluster_global_multicast_cluster(dst, src, size, mbar, mask) }
        })
    }

    /// [`multicast`](Inbox::multicast) under an L2 cache policy.
    ///
    /// PTX: as [`multicast`](Inbox::multicast), with
    /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [dst], [src],
    /// bytes, [bar], ctaMask, policy;`
    ///
    /// ```
    /// # use ptx::{bulk::CachePolicy, cluster::{ByTile, Cluster, Inbox}, global::GlobalTile};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByTile>, src: GlobalTile<f32, 1024>) {
    /// let policy = CachePolicy::evict_last(); // other clusters load it too
    /// let received = inbox.multicast_cache_hint(cluster, src, policy).receive(cluster.cta());
    /// let (_inbox, _src) = received.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn multicast_cache_hint(
        self,
        cluster: &Cluster<'c>,
        src: GlobalTile<T, N>,
        policy: CachePolicy,
    ) -> Sent<'c, T, N, ByTile, GlobalTile<T, N>> {
        self.multicast_with(cluster, src, |dst, src, size, mbar, mask| {
            // SAFETY: see `multicast_with`.
            unsafe {
                raw::cp_async_bulk_shared_cluster_global_multicast_cluster_cache_hint(
                    dst,
                    src,
                    size,
                    mbar,
                    mask,
                    policy.bits(),
                )
            }
        })
    }

    /// `copy` starts the copy with the operands that it gets, for which this holds: the mask is of the cluster's CTAs; all
    /// their mailboxes are ready, at the same offset; each expects one tile; the tile's type proves the size and the
    /// alignment; nobody writes the source; a scope that ends has waited for the copy in each CTA.
    #[inline(always)]
    fn multicast_with(
        self,
        cluster: &Cluster<'c>,
        src: GlobalTile<T, N>,
        copy: impl FnOnce(u32, *const u8, u32, u32, CtaMask),
    ) -> Sent<'c, T, N, ByTile, GlobalTile<T, N>> {
        // SAFETY: the one copy below brings that many bytes to each CTA.
        unsafe { self.expect(cluster.cta, Self::BYTES) };
        if cluster.rank() == 0 && cluster.cta.is_elected() {
            // A cluster has 16 CTAs at most.
            let all = CtaMask::from_bits_retain(((1_u32 << cluster.size()) - 1) as u16);
            copy(self.addr, src.base.cast(), Self::BYTES, self.bar(), all);
        }
        Sent { inbox: self, src }
    }
}

impl<'c, T: Element, const N: usize, Src> Received<'c, T, N, ByTile, Src> {
    /// Waits until every CTA has received and read what it wants: the mailbox is ready for more, and the source of what
    /// was sent is no longer read.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Received}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, f32, 64, ByTile, Shared<'c, f32, 64, Fenced>>) {
    /// let (inbox, src) = received.release(cluster);
    /// let src = src.into_free().write(cluster.cta(), |i| i as f32); // nobody reads the source now
    /// # }
    /// ```
    #[inline(always)]
    pub fn release(self, cluster: &Cluster<'c>) -> (Inbox<'c, T, N, ByTile>, Src) {
        cluster.sync();
        (self.inbox, self.src)
    }
}
