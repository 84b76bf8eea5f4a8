//! `clusterlaunchcontrol` (9.7.13.17, 9.7.13.18): a CTA takes over the work of clusters that have not started.
//!
//! ```text
//!   ClusterQueue ── scope ──► Queue ── request ──► Request ── wait ──► Answer::Cancelled { first_ctaid, queue }
//!                               │                                 └──► Answer::NoMore(Closed)
//!                               └──────────── close ──────────► Closed
//! ```
//!
//! After a refusal there is nothing left to ask with: "If the executing CTA has already observed the completion of a
//! `clusterlaunchcontrol.try_cancel` instruction as failed, then the behavior of issuing a subsequent
//! `clusterlaunchcontrol.try_cancel` instruction is undefined." A kernel has one [`ClusterQueue`], and its scope uses it up.

use core::marker::PhantomData;

use crate::launch::Cta;
use crate::mbarrier::{Arrived, Mbarrier, Ready, Uninit};
use crate::qualifier::space;
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
/// use ptx::clusterlaunchcontrol::{Answer, ClusterQueue};
/// ptx::shared_memory! { struct Smem { clusters: ClusterQueue } }
/// # fn kernel(cta: &ptx::launch::Cta, smem: Smem, mut work: impl FnMut(u32)) {
/// smem.clusters.scope(cta, |cta, mut queue| {
///     let mut block = ptx::raw::ctaid_x();
///     loop {
///         let request = queue.request(cta);
///         work(block); // while the request is under way
///         match request.wait(cta) {
///             Answer::Cancelled { first_ctaid: [x, _, _], queue: next } => (block, queue) = (x, next),
///             Answer::NoMore(closed) => return closed,
///         }
///     }
/// });
/// # }
/// # }
/// ```
///
/// Two of them do not compile:
///
/// ```compile_fail,E0080
/// use ptx::clusterlaunchcontrol::ClusterQueue;
/// ptx::shared_memory! { struct Smem { one: ClusterQueue, two: ClusterQueue } }
/// ```
#[derive(Debug)]
pub struct ClusterQueue {
    addr: u32,
    _thread: PhantomData<*mut ()>,
}

static_assertions::assert_not_impl_any!(ClusterQueue: Copy, Clone, Send, Sync);

// SAFETY: the response, aligned to 16, then an mbarrier.
unsafe impl Place for ClusterQueue {
    const SIZE: u32 = RESPONSE + <Mbarrier<Uninit> as Place>::SIZE;
    const ALIGN: u32 = 16;
    const CANCELS: bool = true;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        ClusterQueue { addr, _thread: PhantomData }
    }
}

type Invariant<'s> = PhantomData<fn(&'s ()) -> &'s ()>;

/// Ready for a request.
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// use ptx::{clusterlaunchcontrol::{Answer, Closed, Queue}, launch::Cta};
/// /// Takes one cluster over, if there is one.
/// fn take_one<'s>(cta: &'s Cta, queue: Queue<'s>, work: impl FnOnce([u32; 3])) -> Closed<'s> {
///     match queue.request(cta).wait(cta) {
///         Answer::Cancelled { first_ctaid, queue } => {
///             work(first_ctaid);
///             queue.close()
///         }
///         Answer::NoMore(closed) => closed,
///     }
/// }
/// # }
/// ```
#[must_use = "go on with `.request(&cta)` or end with `.close()`"]
#[derive(Debug)]
pub struct Queue<'s> {
    addr: u32,
    bar: Mbarrier<Ready>,
    _scope: Invariant<'s>,
}

/// A request under way. It owns the response's memory and the mbarrier.
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// use ptx::{clusterlaunchcontrol::{Answer, Queue, Request}, launch::Cta};
/// /// Works while the answer is on its way.
/// fn overlapped<'s>(cta: &'s Cta, queue: Queue<'s>, work: impl FnOnce()) -> Answer<'s> {
///     let request: Request<'s> = queue.request(cta);
///     work();
///     request.wait(cta)
/// }
/// # }
/// ```
#[must_use = "a request under way has to be waited for: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct Request<'s> {
    addr: u32,
    bar: Mbarrier<Arrived>,
    _scope: Invariant<'s>,
}

/// Nothing is under way, and nothing more is asked.
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// # use ptx::{clusterlaunchcontrol::{Answer, Closed}, launch::Cta};
/// fn close<'s>(answer: Answer<'s>, last: impl FnOnce([u32; 3])) -> Closed<'s> {
///     match answer {
///         Answer::Cancelled { first_ctaid, queue } => {
///             last(first_ctaid);
///             queue.close()
///         }
///         Answer::NoMore(closed) => closed,
///     }
/// }
/// # }
/// ```
#[must_use = "the scope has to return it"]
#[derive(Debug)]
pub struct Closed<'s> {
    _scope: Invariant<'s>,
}

/// What a request came to: the same in all threads of the CTA.
///
/// ```
/// # #[cfg(feature = "sm_100a")]
/// # mod example {
/// # use ptx::clusterlaunchcontrol::Answer;
/// # fn kernel(answer: &Answer) {
/// let next: Option<u32> = match answer {
///     Answer::Cancelled { first_ctaid: [x, _, _], .. } => Some(*x),
///     Answer::NoMore(_) => None,
/// };
/// # }
/// # }
/// ```
#[must_use = "a cancelled cluster's work is now this CTA's: `match` on it"]
#[derive(Debug)]
pub enum Answer<'s> {
    /// A cluster will not start: its work is this CTA's, and no other's.
    Cancelled {
        /// The index of the cluster's first CTA: x, y and z. (Of its only one, in a grid without clusters.)
        first_ctaid: [u32; 3],
        /// Ready for the next request.
        queue: Queue<'s>,
    },
    /// There is no cluster left to cancel.
    NoMore(Closed<'s>),
}

impl ClusterQueue {
    /// Opens the queue for the time of `body`, which has to return it closed: with a request under way it cannot.
    ///
    /// Each CTA asks for itself: in a grid with clusters each CTA of a cluster gets clusters of its own.
    ///
    /// PTX: as [`Mbarrier::init`].
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # mod example {
    /// # use ptx::{clusterlaunchcontrol::{Answer, ClusterQueue}, launch::Cta};
    /// # fn kernel(cta: &Cta, clusters: ClusterQueue, mut work: impl FnMut(u32)) {
    /// clusters.scope(cta, |cta, mut queue| {
    ///     loop {
    ///         match queue.request(cta).wait(cta) {
    ///             Answer::Cancelled { first_ctaid: [x, _, _], queue: next } => {
    ///                 work(x);
    ///                 queue = next;
    ///             }
    ///             Answer::NoMore(closed) => return closed,
    ///         }
    ///     }
    /// });
    /// # }
    /// # }
    /// ```
    #[inline(always)]
    pub fn scope(self, cta: &Cta, body: impl for<'s> FnOnce(&'s Cta, Queue<'s>) -> Closed<'s>) {
        // SAFETY: the eight bytes after the response, aligned, are the mbarrier's.
        let bar = unsafe { Mbarrier::<Uninit>::at(self.addr + RESPONSE) }.init(cta);
        let Closed { .. } = body(cta, Queue { addr: self.addr, bar, _scope: PhantomData });
    }
}

impl<'s> Queue<'s> {
    /// Asks for a cluster that has not started.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [bar], 16;`
    /// `clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [addr], [bar];` by the elected
    /// thread, `mbarrier.arrive.release.cta.shared::cta.b64 state, [bar];` by the others.
    ///
    /// A queue asks once at a time:
    ///
    /// ```compile_fail,E0382
    /// use ptx::{clusterlaunchcontrol::{Closed, Queue}, launch::Cta};
    /// fn body<'s>(cta: &'s Cta, queue: Queue<'s>) -> Closed<'s> {
    ///     let _request = queue.request(cta);
    ///     queue.close()
    /// }
    /// ```
    #[inline(always)]
    pub fn request(self, cta: &Cta) -> Request<'s> {
        let mbar = self.bar.addr();
        let bar = if cta.is_elected() {
            // SAFETY: the request that follows writes that many bytes.
            let bar = unsafe { self.bar.arrive_expect_tx(RESPONSE) };
            // SAFETY: both are this CTA's, valid and aligned; nobody touches the response until `Request::wait`, which the
            // scope cannot end without; no response has been a refusal, after which there is no `Queue`, of which the
            // CTA has one.
            unsafe { raw::clusterlaunchcontrol_try_cancel(space::SharedCta, self.addr, mbar) };
            bar
        } else {
            self.bar.arrive(cta)
        };
        Request { addr: self.addr, bar, _scope: PhantomData }
    }

    /// Ends the asking: clusters that have not started will.
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # mod example {
    /// # use ptx::{clusterlaunchcontrol::ClusterQueue, launch::Cta};
    /// # fn kernel(cta: &Cta, clusters: ClusterQueue) {
    /// clusters.scope(cta, |_cta, queue| queue.close()); // takes nothing over
    /// # }
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self) -> Closed<'s> {
        Closed { _scope: PhantomData }
    }
}

impl<'s> Request<'s> {
    /// Waits for the response.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`, then
    /// `ld.weak.shared::cta.b128` `clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, response;`, and of a success
    /// `clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {x, y, z, _}, response;`
    /// `fence.proxy.async.shared::cta;` `barrier.cta.sync 0;`
    ///
    /// A refusal leaves nothing to ask with:
    ///
    /// ```compile_fail,E0599
    /// use ptx::{clusterlaunchcontrol::{Answer, Closed, Queue}, launch::Cta};
    /// fn body<'s>(cta: &'s Cta, queue: Queue<'s>) -> Closed<'s> {
    ///     match queue.request(cta).wait(cta) {
    ///         Answer::NoMore(closed) => closed.request(cta),
    ///         Answer::Cancelled { queue, .. } => queue.close(),
    ///     }
    /// }
    /// ```
    #[inline(always)]
    pub fn wait(self, cta: &Cta) -> Answer<'s> {
        let bar = self.bar.wait(cta);
        // SAFETY: the response is there, aligned to 16, and nothing writes it.
        let response = unsafe { raw::ld_weak_b128(space::SharedCta, self.addr) };
        if !raw::clusterlaunchcontrol_query_cancel_is_canceled(response) {
            return Answer::NoMore(Closed { _scope: PhantomData });
        }
        // SAFETY: the request has succeeded.
        let first_ctaid = unsafe { raw::clusterlaunchcontrol_query_cancel_get_first_ctaid_v4(response) };
        // All threads have read the response before the next one is written.
        fence_async(cta);
        Answer::Cancelled { first_ctaid, queue: Queue { addr: self.addr, bar, _scope: PhantomData } }
    }
}
