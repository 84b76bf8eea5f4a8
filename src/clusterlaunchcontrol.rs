//! Cluster launch control (`clusterlaunchcontrol`; 9.7.13.17, 9.7.13.18): a running CTA or cluster cancels the launch of a
//! cluster that has not started, and does the work of that cluster. CUDA calls this work stealing.
//!
//! ```text
//!   WorkQueueMemory ── scope ──► WorkQueue ── try_cancel ──► Request ── wait ──► Response::Canceled { first_ctaid, queue }
//!                               │                                    └──► Response::NoMore(ClosedWorkQueue)
//!                               └─────────────── close ──────────► ClosedWorkQueue
//! ```
//!
//! A [`Cta`] makes a request for itself. A [`Cluster`] makes one request for all its CTAs, which get the same response.
//!
//! A failed request is the last one: "If the executing CTA has already observed the completion of a
//! `clusterlaunchcontrol.try_cancel` instruction as failed, then the behavior of issuing a subsequent
//! `clusterlaunchcontrol.try_cancel` instruction is undefined." So [`Response::NoMore`] returns no open queue. A kernel has one
//! [`WorkQueueMemory`], and its scope consumes the handle.

use core::marker::PhantomData;

#[cfg(try_cancel_multicast)]
use crate::cluster::Cluster;
use crate::group::{Brand, Cta};
use crate::mark;
use crate::mbarrier::{Arrived, Mbarrier, Ready, Uninit};
use crate::qualifier::{Sealed, multicast, space};
use crate::raw;
use crate::shared::{Place, fence_async};

/// Bytes of a response.
const RESPONSE: u32 = 16;

/// Shared memory for cluster launch control: sixteen bytes for the response, and an mbarrier. A field of
/// [`shared_memory!`](crate::shared_memory), once per kernel.
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// use ptx::clusterlaunchcontrol::{Response, WorkQueueMemory};
/// ptx::shared_memory! { struct Smem { clusters: WorkQueueMemory } }
/// # fn kernel(cta: &mut ptx::group::Cta, smem: Smem, mut work: impl FnMut(u32)) {
/// smem.clusters.scope(cta, |cta, mut queue| {
///     let mut block = ptx::raw::ctaid_x();
///     loop {
///         let request = queue.try_cancel(cta);
///         work(block); // while the request is in flight
///         match request.wait(cta) {
///             Response::Canceled { first_ctaid: [x, _, _], queue: next } => (block, queue) = (x, next),
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

// SAFETY: the response, aligned to 16, and the mbarrier after it take the `SIZE` bytes. `CANCELS` declares
// `clusterlaunchcontrol`.
unsafe impl Place for WorkQueueMemory {
    const SIZE: u32 = RESPONSE + <Mbarrier<Uninit> as Place>::SIZE;
    const ALIGN: u32 = 16;
    const CANCELS: bool = true;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        WorkQueueMemory { addr, _thread: PhantomData }
    }
}

/// Who requests to cancel the launch of a cluster (`clusterlaunchcontrol.try_cancel`): a [`Cta`], or a [`Cluster`] if the target
/// has `.multicast::cluster::all`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot request the cancellation of a cluster",
    label = "not a requester on the selected target",
    note = "a `Cta` makes a request for itself; a `Cluster` makes one for all its CTAs and needs the feature `sm_100f`, `sm_110f` or `sm_120f` (PTX ISA 9.7.13.17)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Requester: mark::Group + Sealed {
    /// The executing CTA.
    #[doc(hidden)]
    fn cta(&self) -> &Cta;
    /// Runs after [`Mbarrier::init`]: waits until each CTA that gets the response has initialized its mbarrier.
    #[doc(hidden)]
    #[track_caller]
    fn begin(&self);
    /// Starts a request (`clusterlaunchcontrol.try_cancel.async`), whose response comes to `addr` and completes on the mbarrier
    /// `mbar`. The leader of each CTA calls this.
    ///
    /// # Safety
    ///
    /// The contract of [`raw::clusterlaunchcontrol_try_cancel`], in each CTA that gets the response.
    #[doc(hidden)]
    unsafe fn try_cancel(&self, addr: u32, mbar: u32);
    /// Waits on the mbarrier until the response to the request has arrived (`mbarrier.try_wait`).
    #[doc(hidden)]
    #[track_caller]
    fn wait(&self, bar: Mbarrier<Arrived>) -> Mbarrier<Ready>;
    /// Waits until all threads that get the response have read it. Afterwards the async proxy can write the response memory
    /// again.
    #[doc(hidden)]
    #[track_caller]
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
        // SAFETY: the caller keeps the contract of `raw::clusterlaunchcontrol_try_cancel` (`# Safety`).
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
#[cfg(try_cancel_multicast)]
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
            // SAFETY: `# Safety`, for each CTA: the contract of `Cta::enter` puts the response and the mbarrier at the same place
            // in all of them. No CTA has exited inside the cluster's scope.
            unsafe {
                raw::clusterlaunchcontrol_try_cancel(space::SharedCta, multicast::ClusterAll, addr, mbar)
            }
        }
    }
    #[inline(always)]
    fn wait(&self, bar: Mbarrier<Arrived>) -> Mbarrier<Ready> {
        // Another CTA may have made the request, so the acquire needs cluster scope.
        bar.wait_cluster()
    }
    #[inline(always)]
    fn end(&self) {
        raw::fence_proxy_async(space::SharedCta);
        self.sync();
    }
}

/// A handle of the queue of the grid's clusters that have not started: `By`, a [`Cta`] or a [`Cluster`], may request the next one
/// (`clusterlaunchcontrol.try_cancel`).
#[must_use = "the scope needs the queue closed: call `.try_cancel(&cta)` or `.close()`"]
#[derive(Debug)]
pub struct WorkQueue<'s, By = Cta> {
    addr: u32,
    bar: Mbarrier<Ready>,
    _scope: Brand<'s>,
    _by: PhantomData<fn(&By)>,
}

/// A request in flight to cancel the launch of a cluster (`clusterlaunchcontrol.try_cancel`), made by `By`, a [`Cta`] or a
/// [`Cluster`]. Owns the memory of the response and the mbarrier.
#[must_use = "a request is in flight: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct Request<'s, By = Cta> {
    addr: u32,
    bar: Mbarrier<Arrived>,
    _scope: Brand<'s>,
    _by: PhantomData<fn(&By)>,
}

/// A [`WorkQueue`] without a request in flight, closed for further requests: the closure of [`WorkQueueMemory::scope`] returns
/// it.
#[must_use = "the body of the scope must return the closed queue"]
#[derive(Debug)]
pub struct ClosedWorkQueue<'s> {
    _scope: Brand<'s>,
}

static_assertions::assert_not_impl_any!(ClosedWorkQueue<'static>: Copy, Clone);

/// The response to a [`Request`] of `By` (`clusterlaunchcontrol.query_cancel`): a canceled cluster, or no more. All threads of
/// the requesting CTA or cluster get the same response.
#[must_use = "the work of a canceled cluster now belongs to the requester: `match` on the response"]
#[derive(Debug)]
pub enum Response<'s, By = Cta> {
    /// The launch of a cluster is canceled: its work now belongs to the requester alone.
    Canceled {
        /// The index (`blockIdx`) of the cluster's first CTA: x, y and z. In a grid without clusters, a cluster is one CTA.
        first_ctaid: [u32; 3],
        /// The queue, open for the next request.
        queue: WorkQueue<'s, By>,
    },
    /// No cluster is left to cancel.
    NoMore(ClosedWorkQueue<'s>),
}

impl WorkQueueMemory {
    /// Runs `body` with an open [`WorkQueue`], with which `body` takes over clusters of the grid that have not started
    /// (`clusterlaunchcontrol.try_cancel`). `body` returns the queue closed, so no request is in flight afterwards. `body` also
    /// gets `by`, the [`Cta`] or the [`Cluster`] that makes the requests, for example to open async scopes.
    ///
    /// A [`Cta`] makes requests for itself: in a grid with clusters, each CTA of a cluster gets clusters of its own. A
    /// [`Cluster`] makes requests for all its CTAs, inside its scope, and each CTA gets the same response. Then `scope` and every
    /// call that takes the cluster are collective in the cluster.
    ///
    /// Collective in the CTA or the cluster that makes the request.
    ///
    /// PTX: as [`Mbarrier::init`]; of a cluster then `barrier.cluster.arrive.release.aligned;`
    /// `barrier.cluster.wait.acquire.aligned;`
    ///
    /// The CTAs of a cluster can divide the work of each cluster that they take over:
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # mod example {
    /// # use ptx::{clusterlaunchcontrol::{Response, WorkQueueMemory}, group::Cta};
    /// # fn kernel(cta: &mut Cta, clusters: WorkQueueMemory, mut work: impl FnMut(u32)) {
    /// cta.cluster_scope((), |mut cluster, ()| {
    ///     let [mine, ..] = cluster.position();
    ///     clusters.scope(&mut cluster, |cluster, mut queue| {
    ///         let mut block = ptx::raw::ctaid_x();
    ///         loop {
    ///             let request = queue.try_cancel(cluster);
    ///             work(block); // while the request is in flight
    ///             match request.wait(cluster) {
    ///                 Response::Canceled { first_ctaid: [x, ..], queue: next } => (block, queue) = (x + mine, next),
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
    #[track_caller]
    pub fn scope<By: Requester>(
        self,
        by: &mut By,
        body: impl for<'s> FnOnce(&mut By, WorkQueue<'s, By>) -> ClosedWorkQueue<'s>,
    ) {
        // SAFETY: the eight bytes after the response are aligned to 8 and belong to the mbarrier (`Place::SIZE`).
        let bar = unsafe { Mbarrier::<Uninit>::at(self.addr + RESPONSE) }.init(by.cta()).sync(by.cta());
        by.begin();
        let ClosedWorkQueue { .. } =
            body(by, WorkQueue { addr: self.addr, bar, _scope: PhantomData, _by: PhantomData });
    }
}

impl<'s, By: Requester> WorkQueue<'s, By> {
    /// Starts a request to cancel the launch of a cluster that has not started (`clusterlaunchcontrol.try_cancel`).
    /// [`Request::wait`] returns the response.
    ///
    /// Collective in the CTA or the cluster that makes the request.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [bar], 16;`
    /// `clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [addr], [bar];` by the leader,
    /// `mbarrier.arrive.release.cta.shared::cta.b64 state, [bar];` by the others. In a cluster, only the leader of the CTA of
    /// rank 0 makes the request, by
    /// `clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [addr],
    /// [bar];`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("clusterlaunchcontrol_try_cancel", "cuda::ptx::clusterlaunchcontrol_try_cancel"))]
    pub fn try_cancel(self, by: &By) -> Request<'s, By> {
        meet!(by, by.cta(); self.addr);
        let mbar = self.bar.addr();
        let bar = if by.cta().is_leader() {
            // SAFETY: the request below, of this CTA or of another, writes `RESPONSE` bytes here. A response that comes before
            // this arrival takes the tx-count below zero, and the arrival that is due keeps the phase open.
            let bar = unsafe { self.bar.arrive_expect_tx(RESPONSE) };
            // SAFETY: the response and the mbarrier are valid and aligned in each CTA that gets the response. No thread accesses
            // the response before `Request::wait`, which the scope cannot end without. No earlier request failed: a failed
            // request returns no `WorkQueue`.
            unsafe { by.try_cancel(self.addr, mbar) };
            bar
        } else {
            self.bar.arrive_alone()
        };
        Request { addr: self.addr, bar, _scope: PhantomData, _by: PhantomData }
    }

    /// Closes the queue: the clusters that have not started will start.
    #[inline(always)]
    pub fn close(self) -> ClosedWorkQueue<'s> {
        mark::hold::<By>(self.addr);
        ClosedWorkQueue { _scope: PhantomData }
    }
}

impl<'s, By: Requester> Request<'s, By> {
    /// Waits for the response: the canceled cluster and the open queue, or [`Response::NoMore`].
    ///
    /// Collective in the CTA or the cluster that makes the request.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`, then
    /// `ld.weak.shared::cta.b128` `clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, response;`, and after a success
    /// `clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {x, y, z, _}, response;` `fence.proxy.async.shared::cta;`
    /// `barrier.cta.sync.aligned 0;`. For a cluster, the wait is `.acquire.cluster`, and the last barrier is
    /// `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias(
        "clusterlaunchcontrol_query_cancel_is_canceled",
        "cuda::ptx::clusterlaunchcontrol_query_cancel_is_canceled"
    ))]
    pub fn wait(self, by: &By) -> Response<'s, By> {
        meet!(by, by.cta(); self.addr);
        let bar = by.wait(self.bar);
        // SAFETY: the wait is over, so the response is in memory, aligned to 16, and no copy writes it.
        let response = unsafe { raw::ld_weak_b128(space::SharedCta, self.addr) };
        if !mark::condition::<By>(raw::clusterlaunchcontrol_query_cancel_is_canceled(response)) {
            return Response::NoMore(ClosedWorkQueue { _scope: PhantomData });
        }
        // SAFETY: `is_canceled` says that the request has succeeded (9.7.13.18).
        let first_ctaid = unsafe { raw::clusterlaunchcontrol_query_cancel_get_first_ctaid_v4(response) };
        // All threads read the response before the next request writes it.
        by.end();
        let queue = WorkQueue { addr: self.addr, bar, _scope: PhantomData, _by: PhantomData };
        Response::Canceled { first_ctaid: first_ctaid.map(mark::uniform::<By, u32>), queue }
    }
}

handles! { WorkQueueMemory, WorkQueue, Request, ClosedWorkQueue }
