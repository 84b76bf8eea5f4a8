//! DSMEM buffers that bulk copies fill: from another CTA's shared memory, or by a multicast from global memory (TMA).

use super::{ByTile, ClusterReduce, Inbox, OTHERS, Origin, Received, Sent, for_each_other, phase_bytes};
use crate::async_group::Token;
use crate::bulk::CopySource;
use crate::cache_policy::MaybeHinted;
use crate::cluster::{Cluster, Peers, Permutation};
use crate::global::GlobalTile;
use crate::group::{AfterSync, Cta};
use crate::mark::hold;
use crate::mask::CtaMask;
use crate::qualifier::multicast;
use crate::raw;
use crate::shared::Element;
use crate::tensor::{self, MulticastShape, TensorTile};

impl<'c, T: Element, const N: usize> Inbox<'c, T, N, ByTile> {
    /// Starts a bulk copy of this CTA's tile `src` into the DSMEM buffer of its target CTA (`cp.async.bulk`), and expects one
    /// tile from another CTA. The target is the CTA to which `permutation` leads.
    ///
    /// `src` is [`Shared`](crate::shared::Shared) memory that was loaded or fenced, or a tile that another DSMEM buffer or a
    /// channel has received, which is forwarded from where it lies.
    ///
    /// Collective in the cluster.
    ///
    /// PTX, by the leader: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;` `mapa.shared::cluster.u32` of
    /// the tile and of its mbarrier,
    /// `cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dst], [src], bytes, [mbar];`. If `src` is a DSMEM
    /// buffer [`ByElement`](super::ByElement), `fence.proxy.async.shared::cta;` before the copy
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Inbox}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByTile>, src: Shared<'c, f32, 1024, Fenced>) {
    /// if let Some(to_the_next) = cluster.rotation(1) {
    ///     let received = inbox.send(cluster, to_the_next, src).receive(cluster.cta());
    ///     let _first = received.get(0);
    ///     let (_inbox, _src) = received.release().sync(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn send<Src: CopySource<T, N, Group = Cta>>(
        self,
        cluster: &Cluster<'c>,
        permutation: Permutation<'c>,
        src: Src,
    ) -> Sent<'c, T, N, ByTile, Src> {
        meet!(cluster; self.addr, src.place(), permutation.by);
        self.send_tile(cluster.cta, permutation, &src, |dst, src, bytes, mbar| {
            // SAFETY: `send_tile` passes operands that meet the contract.
            unsafe { raw::cp_async_bulk_shared_cluster_shared_cta(dst, src, bytes, mbar) }
        });
        Sent { inbox: self, src }
    }

    /// Starts a bulk reduction of this CTA's tile `src` into the DSMEM buffer of its target CTA (`cp.reduce.async.bulk`):
    /// `buffer[i] = op(buffer[i], src[i])`. The target is the CTA to which `permutation` leads. Sources are those of
    /// [`send`](Inbox::send). The elements are those that [`init_with`](super::DsmemBuffer::init_with) stored or that have
    /// arrived since.
    ///
    /// `op` is a tag of [`qualifier::op`](crate::qualifier::op): `Add`, `Min`, `Max`, `And`, `Or` or `Xor`. For `u32` also:
    ///
    /// - `Inc`: adds 1; wraps to 0 if the element is `src[i]` or more.
    /// - `Dec`: subtracts 1; wraps to `src[i]` if the element is 0 or more than `src[i]`.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: as [`send`](Inbox::send), with
    /// `cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dst], [src], bytes, [mbar];`
    #[inline(always)]
    #[track_caller]
    pub fn send_reduce<Op: ClusterReduce<T>, Src: CopySource<T, N, Group = Cta>>(
        self,
        cluster: &Cluster<'c>,
        op: Op,
        permutation: Permutation<'c>,
        src: Src,
    ) -> Sent<'c, T, N, ByTile, Src> {
        meet!(cluster; self.addr, src.place(), permutation.by);
        let _: Op = op;
        self.send_tile(cluster.cta, permutation, &src, |dst, src, bytes, mbar| {
            // SAFETY: `send_tile` passes operands that meet the contract.
            unsafe { Op::bulk_reduce(dst, src, bytes, mbar) }
        });
        Sent { inbox: self, src }
    }

    /// Starts bulk reductions of this CTA's tile `src` into the DSMEM buffers of all other CTAs of the cluster
    /// (`cp.reduce.async.bulk`): an all-reduce. If [`init_with`](super::DsmemBuffer::init_with) stored the CTA's own tile, each
    /// DSMEM buffer receives the sum, the minimum … over the cluster. Sources and operations are those of
    /// [`send_reduce`](Inbox::send_reduce). A tile has 69,904 bytes at most, since 15 CTAs may send to one mbarrier
    /// (9.7.13.15.2).
    ///
    /// Collective in the cluster.
    ///
    /// PTX: as [`send_reduce`](Inbox::send_reduce), for each other CTA
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, DsmemBuffer}, group::Cta, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, buffer: DsmemBuffer<u32, 1024, ByTile>, tile: SharedArray<u32, 1024>, mine: fn(usize) -> u32) {
    /// use ptx::qualifier::op;
    /// let buffer = buffer.init_with(cta, mine);
    /// cta.cluster_scope((tile, buffer), |cluster, (tile, inbox)| {
    ///     let tile = tile.write(cluster.cta(), mine).to_async().sync(cluster.cta());
    ///     let received = inbox.send_reduce_to_others(&cluster, op::Add, tile).receive(cluster.cta());
    ///     let _sum_over_the_cluster = received.get(0);
    ///     let (inbox, tile) = received.release().sync(&cluster);
    ///     (cluster, (tile.into_free(), inbox))
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn send_reduce_to_others<Op: ClusterReduce<T>, Src: CopySource<T, N, Group = Cta>>(
        self,
        cluster: &Cluster<'c>,
        op: Op,
        src: Src,
    ) -> Sent<'c, T, N, ByTile, Src> {
        meet!(cluster; self.addr, src.place());
        let _: Op = op;
        const { phase_bytes::<T, N>(OTHERS) };
        // SAFETY: each other CTA sends one tile; `phase_bytes` asserts that 15 tiles are within `2^20 - 1` bytes.
        unsafe { self.expect(cluster.cta, (cluster.cta_count() - 1) * Self::BYTES) };
        if cluster.cta.is_leader() {
            let tile = src.tile();
            for_each_other(cluster, |to| {
                // SAFETY: `for_each_other` gives ranks of the cluster, never this CTA's own; the other operands are as in
                // `send_tile`. 9.7.9.25.4.2: "Each reduction operation … has individually `.relaxed.gpu` memory ordering
                // semantics", so reductions of several CTAs do not race.
                unsafe {
                    let (dst, mbar) = self.of(to);
                    Op::bulk_reduce(dst, tile, Self::BYTES, mbar);
                }
            });
        }
        Sent { inbox: self, src }
    }

    /// Starts to load one tile of global memory into the DSMEM buffer of every CTA of `peers` (`cp.async.bulk` with
    /// `.multicast::cluster`). The tile is the `src` of the peer of rank 0.
    ///
    /// Collective in the cluster.
    ///
    /// PTX, by the leader: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;`, and in the peer of
    /// rank 0: `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [dst], [src], bytes, [bar],
    /// ctaMask;`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Inbox}, global::GlobalTile};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByTile>, src: GlobalTile<f32, 1024>) {
    /// if let Some(row) = cluster.row::<2>() {
    ///     let received = inbox.multicast(cluster, row, src).receive(cluster.cta());
    ///     let _first = received.get(0);
    ///     let (_inbox, _src) = received.release().sync(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn multicast<const CTAS: u32>(
        self,
        cluster: &Cluster<'c>,
        peers: Peers<'c, CTAS>,
        src: impl MaybeHinted<GlobalTile<T, N>>,
    ) -> Sent<'c, T, N, ByTile, GlobalTile<T, N>> {
        let (src, hint) = src.split();
        self.multicast_with(cluster, peers, src, |src, dst, size, mbar, mask| {
            // SAFETY: the operands meet the conditions of `multicast_with`; the type of the tile proves its size and alignment.
            unsafe {
                raw::cp_async_bulk_shared_cluster_global(
                    dst,
                    src.base.cast(),
                    size,
                    mbar,
                    multicast::Cluster(mask),
                    hint,
                )
            }
        })
    }

    /// Starts to load one box of a tensor into the DSMEM buffer of every CTA of `peers` (TMA: `cp.async.bulk.tensor` with
    /// `.multicast::cluster`). The box is the `src` of the peer of rank 0, and has as many elements as the DSMEM buffer.
    ///
    /// Collective in the cluster.
    ///
    /// PTX of a `Box2`, by the leader: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;`, and in the
    /// peer of rank 0:
    /// `cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [dst], [map, {x, y}],
    /// [bar], ctaMask;`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Inbox}, tensor::{Box2, TensorMap}};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 2048, ByTile>, map: TensorMap<f32, Box2<64, 32>>, k: i32) {
    /// if let Some(column) = cluster.column::<2>() {
    ///     let [x, ..] = cluster.position();
    ///     let sent = inbox.multicast_tensor(cluster, column, map.box_at([x as i32, k]));
    ///     let received = sent.receive(cluster.cta());
    ///     let (_inbox, _src) = received.release().sync(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "SM90_TMA_LOAD_MULTICAST")]
    pub fn multicast_tensor<const CTAS: u32, S: MulticastShape>(
        self,
        cluster: &Cluster<'c>,
        peers: Peers<'c, CTAS>,
        src: impl MaybeHinted<TensorTile<T, S>>,
    ) -> Sent<'c, T, N, ByTile, TensorTile<T, S>> {
        const { tensor::box_bytes::<T, S, N>() };
        let (src, hint) = src.split();
        self.multicast_with(cluster, peers, src, |src, dst, _, mbar, mask| {
            // SAFETY: the operands meet the conditions of `multicast_with`. The shape has the size of the DSMEM buffer
            // (asserted), which is aligned to 128 bytes. The map is valid: contract of `TensorMap::from_raw`.
            unsafe { S::multicast(dst, src.map.object, src.at, mbar, mask, hint) }
        })
    }

    /// Expects one tile in each peer. `copy` starts the copy from the operands that it gets: source, destination,
    /// bytes, mbarrier and mask. For them this holds:
    ///
    /// - The mask names the CTAs of one `Peers`, and each CTA of the cluster is in exactly one of them.
    /// - The DSMEM buffers of these CTAs are ready, at the same offset, and each expects one tile.
    /// - Nothing writes the source.
    /// - A scope that ends has waited for the copy in each CTA.
    #[inline(always)]
    #[track_caller]
    fn multicast_with<const CTAS: u32, Src>(
        self,
        cluster: &Cluster<'c>,
        peers: Peers<'c, CTAS>,
        src: Src,
        copy: impl FnOnce(&Src, u32, u32, u32, CtaMask),
    ) -> Sent<'c, T, N, ByTile, Src> {
        meet!(cluster; self.addr, peers.stride());
        // SAFETY: the one copy to the peers brings `BYTES` bytes to each of them.
        unsafe { self.expect(cluster.cta, Self::BYTES) };
        if peers.cta_rank() == 0 && cluster.cta.is_leader() {
            copy(&src, self.addr, Self::BYTES, self.bar(), peers.mask());
        }
        Sent { inbox: self, src }
    }
}

impl<'c, T: Element, const N: usize, Src: Origin> Received<'c, T, N, ByTile, Src> {
    /// Returns the DSMEM buffer, ready for the next tile, and the tile that this CTA sent, after a barrier of the cluster: every
    /// CTA has received its tile. The elements of the DSMEM buffer keep their values.
    ///
    /// A source that was a forwarded tile comes back as a pair: the [`Inbox`] in which the tile had arrived, also ready, and that
    /// handle's own [`source`](Received::source).
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn release(self) -> AfterSync<(Inbox<'c, T, N, ByTile>, Src::Back), Cluster<'c>> {
        hold::<Cluster<'_>>(self.inbox.addr);
        // The `AfterSync` gives out the source only after the barrier.
        AfterSync::new(self.back(Token::NEW))
    }

    /// Returns the tile that this CTA sent, as [`release`](Received::release) does, after a barrier of the cluster. The received
    /// tile stays readable and can be forwarded.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Inbox}, shared::{Fenced, Shared}};
    /// # type Tiles<'c> = Inbox<'c, f32, 1024, ByTile>;
    /// # fn body<'c>(cluster: &Cluster<'c>, a: Tiles<'c>, b: Tiles<'c>, mine: Shared<'c, f32, 1024, Fenced>) {
    /// # let cta = cluster.cta();
    /// let Some(to_the_next) = cluster.rotation(1) else { return };
    /// // The tiles of all CTAs go round a ring of CTAs; one of the two DSMEM buffers is always free.
    /// let mut free = b;
    /// let (mut received, _mine) = a.send(cluster, to_the_next, mine).receive(cta).reclaim().sync(cluster);
    /// for _ in 2..cluster.cta_count() {
    ///     let _of_the_next_cta_back = received.get(0);
    ///     let forwarded = free.send(cluster, to_the_next, received).receive(cta);
    ///     (received, (free, _)) = forwarded.reclaim().sync(cluster);
    /// }
    /// let (_a_or_b, ()) = received.release().sync(cluster);
    /// # }
    /// ```
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "the returned handles, each in its state")]
    pub fn reclaim(self) -> AfterSync<(Received<'c, T, N, ByTile, ()>, Src::Back), Cluster<'c>> {
        hold::<Cluster<'_>>(self.inbox.addr);
        // The `AfterSync` gives out the source only after the barrier.
        AfterSync::new((Received { inbox: self.inbox, tile: self.tile, src: () }, self.src.back(Token::NEW)))
    }
}
