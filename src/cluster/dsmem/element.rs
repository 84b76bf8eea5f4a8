//! DSMEM buffers that threads of other CTAs fill: `st.async` and `red.async`.

use super::{ByElement, ClusterReduce, Inbox, Received, Sent, for_each_other, vector};
use crate::cluster::{Cluster, Permutation};
use crate::group::{AfterSync, Cta};
use crate::mark::hold;
use crate::qualifier::{space, ty};
use crate::raw;
use crate::shared::{Element, bits, for_each_vector};

impl<'c, T: Element, const N: usize> Inbox<'c, T, N, ByElement> {
    /// Starts stores of `f(i)` to each element `i` of the DSMEM buffer of the CTA to which `permutation` leads (`st.async`); that
    /// CTA waits in [`receive`](Sent::receive). Each thread stores its share, 16 bytes at a time.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;` by the leader; `mapa.shared::cluster.u32` of
    /// the DSMEM buffer and of its mbarrier; per 16 bytes:
    /// `st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [a], b, [mbar];`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 512, ByElement>) {
    /// if let Some(to_the_other) = cluster.exchange(1) {
    ///     let received = inbox.store(cluster, to_the_other, |i| i as u32).receive(cluster.cta());
    ///     let _first = received.get(0);
    ///     let _inbox = received.release().sync(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cuda::ptx::st_async", "st_async"))]
    pub fn store(
        self,
        cluster: &Cluster<'c>,
        permutation: Permutation<'c>,
        mut f: impl FnMut(usize) -> T,
    ) -> Sent<'c, T, N, ByElement, ()> {
        meet!(cluster; self.addr, permutation.by);
        // SAFETY: a permutation is a bijection, so one CTA stores each element once.
        unsafe { self.expect(cluster.cta, Self::BYTES) };
        // SAFETY: a permutation consists of ranks of its cluster.
        let (dst, mbar) = unsafe { self.of(permutation.to) };
        for_each_vector::<T, N>(cluster.cta, |v| {
            // SAFETY: the vector, in bounds, and the mbarrier belong to one DSMEM buffer of another CTA, where it is ready. No
            // thread reads it, and no scope ends, before the receiver's wait. The value is 16 bytes of plain data.
            unsafe {
                let value: [u32; 4] = bits(vector::<T>(v, &mut f));
                raw::st_async_weak_v4(space::SharedCluster, ty::B32, dst + 16 * v, value, mbar)
            }
        });
        Sent { inbox: self, src: () }
    }

    /// Starts reductions of `f(i)` into each element `i` of the DSMEM buffer of the CTA to which `permutation` leads
    /// (`red.async`): `element = op(element, f(i))`. That CTA waits in [`receive`](Sent::receive). Thread `i % threads` handles
    /// element `i`.
    ///
    /// `op` is a tag of [`qualifier::op`](crate::qualifier::op): `Add`, `Min`, `Max`, `And`, `Or` or `Xor`. For `u32` also:
    ///
    /// - `Inc`: adds 1; wraps to 0 if the element is `f(i)` or more.
    /// - `Dec`: subtracts 1; wraps to `f(i)` if the element is 0 or more than `f(i)`.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;` by the leader; `mapa.shared::cluster.u32` of
    /// the DSMEM buffer and of its mbarrier; per element:
    /// `red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.op.type [a], b, [mbar];`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cuda::ptx::red_async", "red_async"))]
    pub fn reduce<Op: ClusterReduce<T>>(
        self,
        cluster: &Cluster<'c>,
        op: Op,
        permutation: Permutation<'c>,
        mut f: impl FnMut(usize) -> T,
    ) -> Sent<'c, T, N, ByElement, ()> {
        meet!(cluster; self.addr, permutation.by);
        let _: Op = op;
        // SAFETY: a permutation is a bijection, so one CTA reduces into each element once.
        unsafe { self.expect(cluster.cta, Self::BYTES) };
        // SAFETY: a permutation consists of ranks of its cluster.
        let (dst, mbar) = unsafe { self.of(permutation.to) };
        for_each_element::<N>(cluster.cta, |i| {
            // SAFETY: 9.7.13.7: `a` and `mbar` "belong to the same CTA", which "is different from the CTA of the executing
            // thread": both are of one DSMEM buffer, and a permutation leads to another CTA. It is ready there, the element is in
            // bounds, and no scope ends before the receiver's wait.
            unsafe { Op::red_async(f(i), dst + (i * size_of::<T>()) as u32, mbar) }
        });
        Sent { inbox: self, src: () }
    }

    /// Starts reductions of `f(i)` into each element `i` of the DSMEM buffers of all other CTAs of the cluster (`red.async`): an
    /// all-reduce. Each CTA waits in [`receive`](Sent::receive). If `init` stored the CTA's own `f(i)`, each DSMEM buffer
    /// receives the sum, the minimum … over the cluster. Operations, and the thread of each element, are those of
    /// [`reduce`](Inbox::reduce). [`DsmemBuffer`](super::DsmemBuffer) has an example.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: as [`reduce`](Inbox::reduce), for each other CTA
    #[inline(always)]
    #[track_caller]
    pub fn reduce_to_others<Op: ClusterReduce<T>>(
        self,
        cluster: &Cluster<'c>,
        op: Op,
        mut f: impl FnMut(usize) -> T,
    ) -> Sent<'c, T, N, ByElement, ()> {
        meet!(cluster; self.addr);
        let _: Op = op;
        // SAFETY: each other CTA reduces into each element once; `buffer_bytes` asserts that the bytes of 15 CTAs are within
        // `2^20 - 1`.
        unsafe { self.expect(cluster.cta, (cluster.cta_count() - 1) * Self::BYTES) };
        for_each_element::<N>(cluster.cta, |i| {
            let value = f(i);
            for_each_other(cluster, |to| {
                // SAFETY: `for_each_other` gives ranks of the cluster, never this CTA's own. Datum and mbarrier are of one DSMEM
                // buffer, ready and in bounds, and no scope ends before the receiver's wait.
                unsafe {
                    let (dst, mbar) = self.of(to);
                    Op::red_async(value, dst + (i * size_of::<T>()) as u32, mbar)
                }
            });
        });
        Sent { inbox: self, src: () }
    }
}

/// Calls `f` with the index of each element of this thread: `rank`, `rank + threads`, …
#[inline(always)]
fn for_each_element<const N: usize>(cta: &Cta, mut f: impl FnMut(usize)) {
    let (mut i, threads) = (cta.thread_rank(), cta.thread_count());
    while i < N as u32 {
        f(i as usize);
        i += threads;
    }
}

impl<'c, T: Element, const N: usize> Received<'c, T, N, ByElement, ()> {
    /// Returns this CTA's DSMEM buffer, ready for the next round, after a barrier of the cluster: all CTAs have read what they
    /// received. Its elements keep their values.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn release(self) -> AfterSync<Inbox<'c, T, N, ByElement>, Cluster<'c>> {
        hold::<Cluster<'_>>(self.inbox.addr);
        AfterSync::new(self.inbox)
    }
}
