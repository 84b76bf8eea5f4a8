//! `clusterlaunchcontrol` (9.7.13.17, 9.7.13.18): a CTA, or a whole cluster, takes over the work of clusters that have not
//! started.
//!
//! ```text
//!   WorkQueueMemory ── scope ──► WorkQueue ── request ──► Request ── wait ──► Response::Cancelled { first_ctaid, queue }
//!                               │                                 └──► Response::NoMore(ClosedQueue)
//!                               └──────────── close ──────────► ClosedQueue
//! ```
//!
//! Who asks is an argument: a [`Cta`] for itself, a [`Cluster`] for all its CTAs, which get one answer.
//!
//! After a refusal there is nothing left to ask with: "If the executing CTA has already observed the completion of a
//! `clusterlaunchcontrol.try_cancel` instruction as failed, then the behavior of issuing a subsequent
//! `clusterlaunchcontrol.try_cancel` instruction is undefined." A kernel has one [`WorkQueueMemory`], and its scope uses it up.

use core::marker::PhantomData;

#[cfg(any(feature = "sm_100f", feature = "sm_110a", feature = "sm_120a"))]
use crate::cluster::Cluster;
use crate::group::Cta;
use crate::mbarrier::{Arrived, Mbarrier, Ready, Uninit};
use crate::qualifier::{Sealed, multicast, space};
use crate::raw;
use crate::shared::{Place, fence_async};

/// Bytes of a response.
const RESPONSE: u32 = 16;

/// What requests need: sixteen bytes of shared memory for the response, and an mbarrier. A field of
/// [`shared_memory!`](crate::shared_memory), where it can stand once.
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// use ptx::clusterlaunchcontrol::{Response, WorkQueueMemory};
/// ptx::shared_memory! { struct Smem { clusters: WorkQueueMemory } }
/// # fn kernel(cta: &mut ptx::launch::Cta, smem: Smem, mut work: impl FnMut(u32)) {
/// smem.clusters.scope(cta, |cta, mut queue| {
///     let mut block = ptx::raw::ctaid_x();
///     loop {
///         let request = queue.request(cta);
///         work(block); // while the request is under way
///         match request.wait(cta) {
///             Response::Cancelled { first_ctaid: [x, _, _], queue: next } => (block, queue) = (x, next),
///             Response::NoMore(closed) => return closed,
///         }
///     }
/// });
/// # }
/// # }
/// ```
#[derive(Debug)]
pub struct WorkQueueMemory {
    addr: u32,
    _thread: PhantomData<*mut ()>,
}

static_assertions::assert_not_impl_any!(WorkQueueMemory: Copy, Clone, Send, Sync);

// SAFETY: the response, aligned to 16, then an mbarrier.
unsafe impl Place for WorkQueueMemory {
    const SIZE: u32 = RESPONSE + <Mbarrier<Uninit> as Place>::SIZE;
    const ALIGN: u32 = 16;
    const CANCELS: bool = true;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        WorkQueueMemory { addr, _thread: PhantomData }
    }
}

/// Who asks: [`Cta`], or [`Cluster`] where the target has `.multicast::cluster::all`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot ask for a cluster",
    label = "not one who asks on the target of the crate's features",
    note = "a `Cta` asks for itself; a `Cluster` asks for all its CTAs, with the feature `sm_100f`, `sm_110a` or `sm_120a` (PTX ISA 9.7.13.17)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Requester: Sealed {
    /// The executing CTA.
    #[doc(hidden)]
    fn cta(&self) -> &Cta;
    /// Behind [`Mbarrier::init`]: the mbarrier of each CTA that gets the answer is there.
    #[doc(hidden)]
    fn begin(&self);
    /// Starts a request, in the leader of each CTA.
    ///
    /// # Safety
    ///
    /// That of [`raw::clusterlaunchcontrol_try_cancel`], in each CTA that gets the answer.
    #[doc(hidden)]
    unsafe fn try_cancel(&self, addr: u32, mbar: u32);
    /// Waits for the response.
    #[doc(hidden)]
    fn wait(&self, bar: Mbarrier<Arrived>) -> Mbarrier<Ready>;
    /// All threads that get the answer have read the response, which the async proxy can write again.
    #[doc(hidden)]
    fn end(&self);
}
impl Requester for Cta {
    #[inline(always)]
    fn cta(&self) -> &Cta {
        self
    }
    #[inline(always)]
    fn begin(&self) {}
    #[inline(always)]
    unsafe fn try_cancel(&self, addr: u32, mbar: u32) {
        // SAFETY: the caller's contract.
        unsafe { raw::clusterlaunchcontrol_try_cancel(space::SharedCta, multicast::None, addr, mbar) }
    }
    #[inline(always)]
    fn wait(&self, bar: Mbarrier<Arrived>) -> Mbarrier<Ready> {
        bar.wait(self)
    }
    #[inline(always)]
    fn end(&self) {
        fence_async(self);
    }
}
#[cfg(any(feature = "sm_100f", feature = "sm_110a", feature = "sm_120a"))]
#[diagnostic::do_not_recommend]
impl Requester for Cluster<'_> {
    #[inline(always)]
    fn cta(&self) -> &Cta {
        Cluster::cta(self)
    }
    #[inline(always)]
    fn begin(&self) {
        self.sync();
    }
    #[inline(always)]
    unsafe fn try_cancel(&self, addr: u32, mbar: u32) {
        if self.cta_rank() == 0 {
            // SAFETY: the caller's contract; inside a cluster's scope no CTA has exited. By the contract of `enter` the
            // response and the mbarrier lie at the same place in each.
            unsafe {
                raw::clusterlaunchcontrol_try_cancel(space::SharedCta, multicast::ClusterAll, addr, mbar)
            }
        }
    }
    #[inline(always)]
    fn wait(&self, bar: Mbarrier<Arrived>) -> Mbarrier<Ready> {
        // The request may have been another CTA's.
        bar.wait_cluster()
    }
    #[inline(always)]
    fn end(&self) {
        raw::fence_proxy_async(space::SharedCta);
        self.sync();
    }
}

type Invariant<'s> = PhantomData<fn(&'s ()) -> &'s ()>;

/// Ready for a request of `By`: a [`Cta`] or a [`Cluster`].
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// use ptx::{clusterlaunchcontrol::{Response, ClosedQueue, WorkQueue}, launch::Cta};
/// /// Takes one cluster over, if there is one.
/// fn take_one<'s>(cta: &'s Cta, queue: WorkQueue<'s>, work: impl FnOnce([u32; 3])) -> ClosedQueue<'s> {
///     match queue.request(cta).wait(cta) {
///         Response::Cancelled { first_ctaid, queue } => {
///             work(first_ctaid);
///             queue.close()
///         }
///         Response::NoMore(closed) => closed,
///     }
/// }
/// # }
/// ```
#[must_use = "go on with `.request(&cta)` or end with `.close()`"]
#[derive(Debug)]
pub struct WorkQueue<'s, By = Cta> {
    addr: u32,
    bar: Mbarrier<Ready>,
    _scope: Invariant<'s>,
    _by: PhantomData<fn(&By)>,
}

static_assertions::assert_not_impl_any!(WorkQueue<'static>: Copy, Clone, Send, Sync);

/// A request of `By` under way. It owns the response's memory and the mbarrier.
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// use ptx::{clusterlaunchcontrol::{Response, WorkQueue, Request}, launch::Cta};
/// /// Works while the answer is on its way.
/// fn overlapped<'s>(cta: &'s Cta, queue: WorkQueue<'s>, work: impl FnOnce()) -> Response<'s> {
///     let request: Request<'s> = queue.request(cta);
///     work();
///     request.wait(cta)
/// }
/// # }
/// ```
#[must_use = "a request under way has to be waited for: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct Request<'s, By = Cta> {
    addr: u32,
    bar: Mbarrier<Arrived>,
    _scope: Invariant<'s>,
    _by: PhantomData<fn(&By)>,
}

static_assertions::assert_not_impl_any!(Request<'static>: Copy, Clone, Send, Sync);

/// Nothing is under way, and nothing more is asked.
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// # use ptx::{clusterlaunchcontrol::{Response, ClosedQueue}, launch::Cta};
/// fn close<'s>(answer: Response<'s>, last: impl FnOnce([u32; 3])) -> ClosedQueue<'s> {
///     match answer {
///         Response::Cancelled { first_ctaid, queue } => {
///             last(first_ctaid);
///             queue.close()
///         }
///         Response::NoMore(closed) => closed,
///     }
/// }
/// # }
/// ```
#[must_use = "the scope has to return it"]
#[derive(Debug)]
pub struct ClosedQueue<'s> {
    _scope: Invariant<'s>,
}

static_assertions::assert_not_impl_any!(ClosedQueue<'static>: Copy, Clone);

/// What a request of `By` came to: the same in all threads of the CTA, or of the cluster.
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// # use ptx::clusterlaunchcontrol::Response;
/// # fn kernel(answer: &Response) {
/// let next: Option<u32> = match answer {
///     Response::Cancelled { first_ctaid: [x, _, _], .. } => Some(*x),
///     Response::NoMore(_) => None,
/// };
/// # }
/// # }
/// ```
#[must_use = "a cancelled cluster's work is now this CTA's: `match` on it"]
#[derive(Debug)]
pub enum Response<'s, By = Cta> {
    /// A cluster will not start: its work is who asked's, and no other's.
    Cancelled {
        /// The index of the cluster's first CTA: x, y and z. (Of its only one, in a grid without clusters.)
        first_ctaid: [u32; 3],
        /// Ready for the next request.
        queue: WorkQueue<'s, By>,
    },
    /// There is no cluster left to cancel.
    NoMore(ClosedQueue<'s>),
}

impl WorkQueueMemory {
    /// Opens the queue for the time of `body`, which has to return it closed: with a request under way it cannot. `body` gets who asks as
    /// `&mut`, for async scopes and the like inside.
    ///
    /// A [`Cta`] asks for itself: in a grid with clusters each CTA of a cluster gets clusters of its own. A [`Cluster`] asks for
    /// all its CTAs, inside its scope, and each of them gets the same answer; this and all calls that take it are cluster calls.
    ///
    /// Collective in the CTA or the cluster that asks.
    ///
    /// PTX: as [`Mbarrier::init`]; of a cluster then `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # mod example {
    /// # use ptx::{clusterlaunchcontrol::{Response, WorkQueueMemory}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, clusters: WorkQueueMemory, mut work: impl FnMut(u32)) {
    /// clusters.scope(cta, |cta, mut queue| {
    ///     loop {
    ///         match queue.request(cta).wait(cta) {
    ///             Response::Cancelled { first_ctaid: [x, _, _], queue: next } => {
    ///                 work(x);
    ///                 queue = next;
    ///             }
    ///             Response::NoMore(closed) => return closed,
    ///         }
    ///     }
    /// });
    /// # }
    /// # }
    /// ```
    ///
    /// The same of a cluster, whose CTAs divide the work of each that they take over:
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # mod example {
    /// # use ptx::{clusterlaunchcontrol::{Response, WorkQueueMemory}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, clusters: WorkQueueMemory, mut work: impl FnMut(u32)) {
    /// cta.cluster_scope((), |mut cluster, ()| {
    ///     let [mine, ..] = cluster.position();
    ///     clusters.scope(&mut cluster, |cluster, mut queue| {
    ///         let mut block = ptx::raw::ctaid_x();
    ///         loop {
    ///             let request = queue.request(cluster);
    ///             work(block); // while the request is under way
    ///             match request.wait(cluster) {
    ///                 Response::Cancelled { first_ctaid: [x, ..], queue: next } => (block, queue) = (x + mine, next),
    ///                 Response::NoMore(closed) => return closed,
    ///             }
    ///         }
    ///     });
    ///     (cluster, ())
    /// });
    /// # }
    /// # }
    /// ```
    #[inline(always)]
    pub fn scope<By: Requester>(
        self,
        by: &mut By,
        body: impl for<'s> FnOnce(&mut By, WorkQueue<'s, By>) -> ClosedQueue<'s>,
    ) {
        // SAFETY: the eight bytes after the response, aligned, are the mbarrier's.
        let bar = unsafe { Mbarrier::<Uninit>::at(self.addr + RESPONSE) }.init(by.cta());
        by.begin();
        let ClosedQueue { .. } =
            body(by, WorkQueue { addr: self.addr, bar, _scope: PhantomData, _by: PhantomData });
    }
}

impl<'s, By: Requester> WorkQueue<'s, By> {
    /// Asks for a cluster that has not started.
    ///
    /// Collective in the CTA or the cluster that asks.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [bar], 16;`
    /// `clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [addr], [bar];` by the elected
    /// thread, `mbarrier.arrive.release.cta.shared::cta.b64 state, [bar];` by the others. Of a cluster, the leader of
    /// the CTA of rank 0 alone asks, by
    /// `clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [addr], [bar];`
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # mod example {
    /// # use ptx::{clusterlaunchcontrol::{Response, WorkQueue}, cluster::Cluster};
    /// # fn body<'s, 'c>(cluster: &'s Cluster<'c>, queue: WorkQueue<'s, Cluster<'c>>, work: fn()) -> Response<'s, Cluster<'c>> {
    /// let request = queue.request(cluster); // a queue asks once at a time
    /// work();
    /// let answer = request.wait(cluster);
    /// # answer
    /// # }
    /// # }
    /// ```
    #[inline(always)]
    pub fn request(self, by: &By) -> Request<'s, By> {
        let mbar = self.bar.addr();
        let bar = if by.cta().is_leader() {
            // SAFETY: the request that follows writes that many bytes, here too if it is another CTA's. That may come first:
            // the tx-count is then below zero for a while, and the phase waits for this arrival.
            let bar = unsafe { self.bar.arrive_expect_tx(RESPONSE) };
            // SAFETY: both are this CTA's, valid and aligned, as those of the others that get the answer; nobody touches the
            // response until `Request::wait`, which the scope cannot end without; no response has been a refusal, after
            // which there is no `WorkQueue`, of which the CTA has one.
            unsafe { by.try_cancel(self.addr, mbar) };
            bar
        } else {
            self.bar.arrive(by.cta())
        };
        Request { addr: self.addr, bar, _scope: PhantomData, _by: PhantomData }
    }

    /// Ends the asking: clusters that have not started will.
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # mod example {
    /// # use ptx::{clusterlaunchcontrol::WorkQueueMemory, launch::Cta};
    /// # fn kernel(cta: &mut Cta, clusters: WorkQueueMemory) {
    /// clusters.scope(cta, |_cta, queue| queue.close()); // takes nothing over
    /// # }
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self) -> ClosedQueue<'s> {
        ClosedQueue { _scope: PhantomData }
    }
}

impl<'s, By: Requester> Request<'s, By> {
    /// Waits for the response.
    ///
    /// Collective in the CTA or the cluster that asks.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`, then
    /// `ld.weak.shared::cta.b128` `clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, response;`, and of a success
    /// `clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {x, y, z, _}, response;`
    /// `fence.proxy.async.shared::cta;` `barrier.cta.sync.aligned 0;`, of a cluster with `.acquire.cluster` and, for the last,
    /// `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # mod example {
    /// # use ptx::{clusterlaunchcontrol::{Response, ClosedQueue, Request}, launch::Cta};
    /// # fn body<'s>(cta: &'s Cta, request: Request<'s>) -> ClosedQueue<'s> {
    /// match request.wait(cta) {
    ///     Response::Cancelled { queue, .. } => queue.close(),
    ///     Response::NoMore(closed) => closed, // nothing to ask with any more
    /// }
    /// # }
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, by: &By) -> Response<'s, By> {
        let bar = by.wait(self.bar);
        // SAFETY: the response is there, aligned to 16, and nothing writes it.
        let response = unsafe { raw::ld_weak_b128(space::SharedCta, self.addr) };
        if !raw::clusterlaunchcontrol_query_cancel_is_canceled(response) {
            return Response::NoMore(ClosedQueue { _scope: PhantomData });
        }
        // SAFETY: the request has succeeded.
        let first_ctaid = unsafe { raw::clusterlaunchcontrol_query_cancel_get_first_ctaid_v4(response) };
        // All threads have read the response before the next one is written.
        by.end();
        let queue = WorkQueue { addr: self.addr, bar, _scope: PhantomData, _by: PhantomData };
        Response::Cancelled { first_ctaid, queue }
    }
}
