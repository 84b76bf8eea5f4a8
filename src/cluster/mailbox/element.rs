//! Mailboxes that threads of other CTAs fill.

use super::{ByElement, Inbox, Received, Sent, vector};
use crate::cluster::{Cluster, Route};
use crate::launch::Cta;
use crate::qualifier::{space, ty};
use crate::raw;
use crate::shared::{Element, bits, for_each_vector};

/// Elements that `red.async` adds.
///
/// ```
/// use ptx::cluster::{AddAsync, ByElement, Cluster, Inbox};
/// fn count<'c, T: AddAsync>(cluster: &Cluster<'c>, inbox: Inbox<'c, T, 64, ByElement>, mine: T) {
///     let received = inbox.add_to_others(cluster, |_| mine).receive(cluster.cta());
///     let _inbox = received.release(cluster);
/// }
/// ```
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`red.async` does not add elements of `{Self}`",
    label = "not `u32`, `i32` or `u64`",
    note = "`red.async.add` takes `.u32`, `.s32` and `.u64` (PTX ISA 9.7.13.7)"
)]
pub unsafe trait AddAsync: Element {
    /// # Safety
    ///
    /// As [`raw::red_async_add`].
    #[doc(hidden)]
    unsafe fn red_async(self, addr: u32, mbar: u32);
}

macro_rules! add_async {
    ($( $T:ty: $Tag:ident; )*) => { $(
        // SAFETY: the tag's type is this one.
        unsafe impl AddAsync for $T {
            #[inline(always)]
            unsafe fn red_async(self, addr: u32, mbar: u32) {
                // SAFETY: the caller's contract.
                unsafe { raw::red_async_add(space::SharedCluster, ty::$Tag, addr, self, mbar) }
            }
        }
    )* };
}
add_async! { u32: U32; i32: S32; u64: U64; }

impl<'c, T: Element, const N: usize> Inbox<'c, T, N, ByElement> {
    /// Each CTA stores `f(i)` to element `i` of the mailbox that `route` leads to. Each thread does its share, sixteen bytes
    /// at a time.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;` by the elected thread; `mapa.shared::cluster.u32`
    /// of the mailbox and of its mbarrier; per sixteen bytes:
    /// `st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [a], b, [mbar];`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 512, ByElement>) {
    /// if let Some(to_the_other) = cluster.exchange(1) {
    ///     let received = inbox.store(cluster, to_the_other, |i| i as u32).receive(cluster.cta());
    ///     let _first = received.get(0);
    ///     let _inbox = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn store(
        self,
        cluster: &Cluster<'c>,
        route: Route<'c>,
        mut f: impl FnMut(usize) -> T,
    ) -> Sent<'c, T, N, ByElement, ()> {
        // SAFETY: by the route, one CTA stores each element once.
        unsafe { self.expect(cluster.cta, Self::BYTES) };
        // SAFETY: the cluster has the ranks of its routes.
        let (dst, mbar) = unsafe { self.of(route.to) };
        for_each_vector::<T, N>(cluster.cta, |v| {
            // SAFETY: the vector, in bounds, and the mbarrier are of one mailbox, in another CTA, where it is ready; nobody
            // reads it, and no scope ends, before the receiver's wait. Sixteen bytes of plain data.
            unsafe {
                let value: [u32; 4] = bits(vector::<T>(v, &mut f));
                raw::st_async_weak_v4(space::SharedCluster, ty::B32, dst + 16 * v, value, mbar)
            }
        });
        Sent { inbox: self, src: () }
    }

    /// Each CTA adds `f(i)` to element `i` of the mailbox that `route` leads to. Element `i` is the work of thread
    /// `i % threads`.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;` by the elected thread; `mapa.shared::cluster.u32`
    /// of the mailbox and of its mbarrier; per element:
    /// `red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add [a], b, [mbar];`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) {
    /// if let Some(to_the_next) = cluster.rotation(1) {
    ///     let received = inbox.add(cluster, to_the_next, |i| i as u32).receive(cluster.cta());
    ///     let _of_3 = received.get(3); // 3 more than before
    ///     let _inbox = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn add(
        self,
        cluster: &Cluster<'c>,
        route: Route<'c>,
        mut f: impl FnMut(usize) -> T,
    ) -> Sent<'c, T, N, ByElement, ()>
    where
        T: AddAsync,
    {
        // SAFETY: by the route, one CTA adds to each element once.
        unsafe { self.expect(cluster.cta, Self::BYTES) };
        // SAFETY: the cluster has the ranks of its routes.
        let (dst, mbar) = unsafe { self.of(route.to) };
        for_each_element::<N>(cluster.cta, |i| {
            // SAFETY: 9.7.13.7: `a` and `mbar` "belong to the same CTA", which "is different from the CTA of the executing
            // thread": they are of one mailbox, and a route leads to another CTA. It is ready there, the element
            // in bounds; no scope ends before the receiver's wait.
            unsafe { f(i).red_async(dst + (i * size_of::<T>()) as u32, mbar) }
        });
        Sent { inbox: self, src: () }
    }

    /// Each CTA adds `f(i)` to element `i` of the mailboxes of all others. Element `i` is the work of thread `i % threads`.
    /// With one's own `f(i)` as the first contents, each mailbox receives the sum over the cluster.
    ///
    /// PTX: as [`add`](Inbox::add), for each other CTA
    ///
    /// ```
    /// # use ptx::{cluster::{ByElement, Mailbox}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, mailbox: Mailbox<u32, 128, ByElement>, mine: u32) {
    /// let mailbox = mailbox.init(cta, |_| 0);
    /// cta.cluster(mailbox, |cluster, inbox| {
    ///     let received = inbox.add_to_others(&cluster, |_| mine).receive(cluster.cta());
    ///     let _sum = received.get(0).map(|others| others + mine);
    ///     let inbox = received.release(&cluster);
    ///     (cluster, inbox)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn add_to_others(
        self,
        cluster: &Cluster<'c>,
        mut f: impl FnMut(usize) -> T,
    ) -> Sent<'c, T, N, ByElement, ()>
    where
        T: AddAsync,
    {
        let (rank, size) = (cluster.rank(), cluster.size());
        // SAFETY: each of the others adds to each element once; there are 15 at most, see `mailbox_bytes`.
        unsafe { self.expect(cluster.cta, (size - 1) * Self::BYTES) };
        for_each_element::<N>(cluster.cta, |i| {
            let value = f(i);
            // The next one first, so that not all begin with the same.
            let mut to = rank;
            loop {
                to += 1;
                if to == size {
                    to = 0;
                }
                if to == rank {
                    break;
                }
                // SAFETY: the cluster has the rank, and it is not this CTA's; otherwise as in `add`.
                unsafe {
                    let (dst, mbar) = self.of(to);
                    value.red_async(dst + (i * size_of::<T>()) as u32, mbar)
                }
            }
        });
        Sent { inbox: self, src: () }
    }
}

/// Calls `f` with each element that is this thread's: `rank`, `rank + threads`, …
#[inline(always)]
fn for_each_element<const N: usize>(cta: &Cta, mut f: impl FnMut(usize)) {
    let (mut i, threads) = (cta.thread_rank(), cta.thread_count());
    while i < N as u32 {
        f(i as usize);
        i += threads;
    }
}

impl<'c, T: Element, const N: usize> Received<'c, T, N, ByElement, ()> {
    /// Waits until every CTA has received and read what it wants: the mailbox is ready for more, and keeps what it holds.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Received};
    /// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, u32, 64, ByElement, ()>) {
    /// let inbox = received.release(cluster);
    /// let sent = inbox.add_to_others(cluster, |_| 1); // on top of what it holds
    /// # let _inbox = sent.receive(cluster.cta()).release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn release(self, cluster: &Cluster<'c>) -> Inbox<'c, T, N, ByElement> {
        cluster.sync();
        self.inbox
    }
}
