//! `mbarrier` objects (9.7.13.15; in CUDA `cuda::barrier`) as a typestate: [`Mbarrier<State>`](Mbarrier).
//!
//! ```text
//!   Mbarrier<Uninit> ── init ──► Mbarrier<Ready> ── arrive, or bulk::load ──► Mbarrier<Arrived>
//!          ▲                      │    ▲   │                                     │        ▲
//!          └──────── inval ───────┘    │   └─ arrive_no_complete ► Mbarrier<PartlyArrived> ─ arrive
//!                                      └──────────────────── wait ───────────────┘
//! ```
//!
//! Every thread of a group, the CTA by default, holds a handle of the mbarrier. In each phase, each thread arrives `ARRIVALS`
//! times (once by default) and then waits. So no phase completes before every thread has seen the previous phase complete. The
//! handle stores the token that `mbarrier.arrive` returned. A thread can use this token once, and on this mbarrier only.
//!
//! Use [`pipeline`](crate::pipeline) where some threads produce and other threads consume.

use core::marker::PhantomData;

use crate::group::{
    AfterSync, Cta, HandOver, Held, Passed, ThreadGroup, Transitions, come_back, nothing_to_end,
};
use crate::mark::hold;
use crate::qualifier::{Sealed, arrivals, scope, sem, space, suspend_time_hint};
use crate::raw::{self, MbarrierScope, MbarrierSuspendTimeHint, WaitSem};
use crate::shared::{Lendable, Place, Scoped, never_lent, publish_inits};

/// State of an [`Mbarrier`]: the memory holds no mbarrier.
#[derive(Debug)]
pub struct Uninit(());

/// State of an [`Mbarrier`]: initialized; this thread has yet to arrive in the current phase.
#[derive(Debug)]
pub struct Ready(());

/// State of an [`Mbarrier`]: this thread has arrived and has not waited yet.
#[derive(Debug)]
pub struct Arrived {
    state: u64,
}

/// State of an [`Mbarrier`]: this thread has made some, but not all, of its arrivals in the current phase.
#[derive(Debug)]
pub struct PartlyArrived {
    left: u32,
}

/// The states of an [`Mbarrier`]: [`Uninit`], [`Ready`], [`PartlyArrived`], [`Arrived`], [`Retired`].
pub trait Phase: Sealed {}

states! {
    uses_of_mbarrier [Sealed, Phase] [
        Initializable "`init`", Arrivable "`arrive`", Waitable "`wait`", Idle "`inval`"
    ]
    Uninit: Initializable;
    Ready: Idle, Arrivable {
        #[inline(always)]
        fn due(&self, arrivals: u32) -> u32 {
            arrivals
        }
    };
    PartlyArrived: Arrivable {
        #[inline(always)]
        fn due(&self, _arrivals: u32) -> u32 {
            self.left
        }
    };
    Arrived: Waitable {
        #[inline(always)]
        fn state(&self) -> u64 {
            self.state
        }
    };
    /// State of a [`PeerBarrier`](crate::cluster::PeerBarrier) after the last wait of all CTAs of the cluster: its mbarriers
    /// can be invalidated ([`inval`](crate::cluster::PeerBarrier::inval)).
    Retired: ;
}

/// States of an [`Mbarrier`] in which this thread can wait for a phase: [`Arrived`].
#[diagnostic::on_unimplemented(
    message = "an mbarrier in the state `{Self}` has no phase to wait for",
    label = "this thread has not arrived yet",
    note = "call `arrive` first: `wait` uses the token that `arrive` stores in the handle"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Waitable: Phase {
    /// Returns the token that `mbarrier.arrive` returned to this thread.
    #[doc(hidden)]
    fn state(&self) -> u64;
}

/// States of an [`Mbarrier`] in which this thread has arrivals to make in the current phase: [`Ready`] and [`PartlyArrived`].
#[diagnostic::on_unimplemented(
    message = "a thread cannot arrive on an mbarrier in the state `{Self}`",
    label = "this thread has no arrival to make",
    note = "initialize the mbarrier with `init`; after an arrive, call `wait` before the next arrive"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Arrivable: Phase {
    /// How many of the thread's `arrivals` in this phase remain.
    #[doc(hidden)]
    fn due(&self, arrivals: u32) -> u32;
}

/// States of an [`Mbarrier`] in which the memory holds no mbarrier: [`Uninit`].
#[diagnostic::on_unimplemented(
    message = "an mbarrier in the state `{Self}` is already initialized",
    label = "this call would initialize the mbarrier twice",
    note = "call `inval` first"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Initializable: Phase {}

/// States of an [`Mbarrier`] in which it is initialized and no arrival of this thread awaits its phase: [`Ready`].
#[diagnostic::on_unimplemented(
    message = "an mbarrier in the state `{Self}` cannot be invalidated",
    label = "the mbarrier is not initialized, or is still in use",
    note = "wait for the last phase first: `inval` takes an `Mbarrier<Ready>`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Idle: Phase {}

/// An mbarrier in shared memory (CUDA's `cuda::barrier`): each thread of the group `G` arrives `ARRIVALS` times a phase.
///
/// ```
/// # use ptx::{group::Cta, mbarrier::{Mbarrier, Uninit}};
/// ptx::shared_memory! { struct Smem { bar: Mbarrier<Uninit> } }
/// # fn kernel(cta: &Cta, smem: Smem) {
/// let bar = smem.bar.init(cta).sync(cta);
/// let bar = bar.arrive(cta); // releases this thread's accesses so far
/// // Work that does not depend on other threads.
/// let bar = bar.wait(cta); // all accesses that other threads made before they arrived are visible
/// let bar = bar.inval(cta);
/// # }
/// ```
///
/// What each state allows:
///
#[doc = uses_of_mbarrier!()]
#[derive(Debug)]
#[doc(alias("__mbarrier_t", "cuda::barrier", "cutlass::arch::ClusterTransactionBarrier"))]
pub struct Mbarrier<P: Phase, const ARRIVALS: u32 = 1, G = Cta> {
    addr: u32,
    phase: P,
    /// The address is valid in this CTA only, and the state is this thread's.
    _thread: PhantomData<*mut ()>,
    _group: PhantomData<fn(&G)>,
}

static_assertions::assert_not_impl_any!(Mbarrier<Ready>: Place, Lendable);
static_assertions::assert_not_impl_any!(Mbarrier<Arrived>: Place, Scoped);
static_assertions::assert_not_impl_any!(Mbarrier<PartlyArrived, 2>: Place, Scoped);

impl<P: Phase, const ARRIVALS: u32, G> Mbarrier<P, ARRIVALS, G> {
    #[inline(always)]
    fn new(addr: u32, phase: P) -> Self {
        Mbarrier { addr, phase, _thread: PhantomData, _group: PhantomData }
    }
}

// SAFETY: an mbarrier object takes 8 bytes, aligned to 8 (9.7.13.15.1).
unsafe impl<const ARRIVALS: u32> Place for Mbarrier<Uninit, ARRIVALS> {
    const SIZE: u32 = 8;
    const ALIGN: u32 = 8;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        Mbarrier::new(addr, Uninit(()))
    }
}

// SAFETY: the scope has the only handle. A copy in flight owns both its mbarrier and its memory, so no copy is in flight once the
// scope has the memory back.
unsafe impl<const ARRIVALS: u32> Scoped for Mbarrier<Uninit, ARRIVALS> {
    type InScope<'s> = Mbarrier<Ready, ARRIVALS>;
    type Ended<'s> = ();
    const USED_BY_PEERS: bool = false;
    const FILLED_BY_COPIES: bool = true;
    const INITIALIZED: bool = true;
    #[inline(always)]
    unsafe fn init_mbarriers(&self, cta: &Cta) {
        // SAFETY: the leader makes this call, and the scope has the only handle of the memory, which holds no mbarrier.
        unsafe { self.init_in(cta) };
    }
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        Mbarrier::new(self.addr, Ready(()))
    }
    #[inline(always)]
    unsafe fn inval_mbarriers(lent: &Self::InScope<'_>) {
        // SAFETY: the mbarrier is valid and idle, as its state says, and no thread waits on it (`# Safety`).
        unsafe { raw::mbarrier_inval(space::SharedCta, lent.addr) };
    }
    #[inline(always)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
        Mbarrier::new(lent.addr, Uninit(()))
    }
}

// SAFETY: as the state says, the memory holds no mbarrier.
unsafe impl<const ARRIVALS: u32> Lendable for Mbarrier<Uninit, ARRIVALS> {}
never_lent! { [const ARRIVALS: u32] Mbarrier<Ready, ARRIVALS> as Self; }

// SAFETY: a handle of the mbarrier in the same phase.
unsafe impl<P: Phase, const ARRIVALS: u32, By, Of> Held<Of> for Mbarrier<P, ARRIVALS, By> {
    type HeldBy<G> = Mbarrier<P, ARRIVALS, G>;
    type EndedBy<G> = ();
    type Back = AfterSync<Self, Of>;
    // The part may have left the mbarrier initialized.
    type Joined = ();
}
// SAFETY: the memory holds no mbarrier, and no other thread uses the memory before the part has initialized one and met a
// barrier.
unsafe impl<const ARRIVALS: u32, Of> HandOver<Of> for Mbarrier<Uninit, ARRIVALS, Of> {
    come_back! { Of }
    #[inline(always)]
    fn joined(self, _: Passed) {}
    #[inline(always)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {
        Mbarrier::new(self.addr, Uninit(()))
    }
}

// The copies that complete on an mbarrier are tracked by the handles of their destinations.
nothing_to_end! { [P: Phase, const ARRIVALS: u32, G] Mbarrier<P, ARRIVALS, G>; }

impl<P: Phase, const ARRIVALS: u32, G: ThreadGroup> Mbarrier<P, ARRIVALS, G> {
    /// The `.shared::cta` address of the mbarrier, for an instruction of [`raw`].
    #[inline(always)]
    #[doc(alias = "__cvta_generic_to_shared")]
    pub fn addr(&self) -> u32 {
        self.addr
    }

    /// Initializes the mbarrier: a phase completes after each thread of the group has arrived `ARRIVALS` times. The mbarrier is
    /// ready after the group's barrier. A scope initializes the mbarriers that are lent to it by itself.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [addr], arrivals;` `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`
    #[inline(always)]
    #[track_caller]
    pub fn init(self, group: &G) -> AfterSync<Mbarrier<Ready, ARRIVALS, G>, G>
    where
        P: Initializable,
    {
        meet!(group; self.addr);
        if group.is_leader() {
            // SAFETY: the leader makes this call. The group holds the only handle of this memory, whose state `Uninit` says that
            // it holds no mbarrier.
            unsafe { self.init_in(group) };
            publish_inits(true);
        }
        // The barrier shows the initialized mbarrier to the other threads.
        AfterSync::new(Mbarrier::new(self.addr, Ready(())))
    }

    /// Initializes the mbarrier for the threads of the group. [`publish_inits`] and a barrier have to follow.
    ///
    /// # Safety
    ///
    /// One thread makes this call. The group has the only handle of the memory, which holds no mbarrier.
    #[inline(always)]
    pub(crate) unsafe fn init_in(&self, group: &G) {
        const {
            assert!(
                ARRIVALS >= 1 && ARRIVALS <= 1023,
                "`ARRIVALS` is 1 to 1023: an mbarrier counts at most 2^20 - 1 arrivals, for up to 1024 threads (PTX ISA 9.7.13.15.2)"
            )
        };
        let arrivals = group.thread_count() * ARRIVALS;
        // SAFETY: the memory holds no mbarrier (`# Safety`). A CTA has at most 1024 threads, so the count is at most 2^20 - 1
        // (asserted above).
        unsafe { raw::mbarrier_init(space::SharedCta, self.addr, arrivals) };
    }

    /// Invalidates the mbarrier: its memory can become another mbarrier.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;` `mbarrier.inval.shared::cta.b64 [addr];` by the leader, `barrier.cta.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    pub fn inval(self, group: &G) -> Mbarrier<Uninit, ARRIVALS, G>
    where
        P: Idle,
    {
        hold::<G>(self.addr);
        // At the first barrier every thread has left its last wait. The second barrier keeps a new `init` after the `inval`.
        group.sync();
        if group.is_leader() {
            // SAFETY: the state says that the mbarrier is valid and idle; the barrier above says that no thread waits on it.
            unsafe { raw::mbarrier_inval(space::SharedCta, self.addr) };
        }
        group.sync();
        Mbarrier::new(self.addr, Uninit(()))
    }

    /// Arrives with release semantics: this thread's accesses so far are visible to every thread that has waited for the phase.
    /// From [`PartlyArrived`], makes the arrivals that remain.
    ///
    /// Collective in the group.
    ///
    /// PTX: `mbarrier.arrive.release.cta.shared::cta.b64 state, [addr]{, count};`, with a count if it is not one.
    #[must_use = "only the returned handle can wait for the phase: call `.wait(&cta)`"]
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cuda::barrier::arrive")]
    pub fn arrive(self, group: &G) -> Mbarrier<Arrived, ARRIVALS, G>
    where
        P: Arrivable,
    {
        meet!(group; self.addr);
        self.arrive_alone()
    }

    /// [`arrive`](Mbarrier::arrive) of a thread while others arrive in another way.
    #[inline(always)]
    pub(crate) fn arrive_alone(self) -> Mbarrier<Arrived, ARRIVALS, G>
    where
        P: Arrivable,
    {
        let due = self.phase.due(ARRIVALS);
        // SAFETY: the state says that the mbarrier is valid, that this thread has waited for the previous phase, and that `due`
        // arrivals remain.
        unsafe { self.arrive_times(due) }
    }

    /// Arrives as [`arrive`](Mbarrier::arrive) does, and lets the phase serve as the barrier of `transitions` ([`AfterSync`]
    /// or a tuple). A thread that has waited for the phase knows that every thread has done its part of the transitions.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`arrive`](Mbarrier::arrive).
    ///
    /// ```
    /// # use ptx::{group::Cta, mbarrier::{Mbarrier, Ready}, shared::{Fenced, Free, Loaded, Shared, Written}};
    /// # type Tile<'s, S> = Shared<'s, u32, 1024, S>;
    /// # fn kernel<'s>(cta: &Cta, bar: Mbarrier<Ready>, read: Tile<'s, Loaded>, written: Tile<'s, Written>)
    /// # -> (Mbarrier<Ready>, Tile<'s, Free>, Tile<'s, Fenced>) {
    /// let arrived = bar.arrive_with(cta, (read.release(), written.to_async()));
    /// // Work that needs neither tile.
    /// let (bar, (read, written)) = arrived.wait(cta);
    /// # (bar, read, written) }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cuda::barrier::arrive_and_wait")]
    pub fn arrive_with<T: Transitions<G>>(self, group: &G, transitions: T) -> ArrivedWith<T, ARRIVALS, G>
    where
        P: Arrivable,
    {
        ArrivedWith { bar: self.arrive(group), transitions }
    }

    /// Makes the last `due` arrivals of this thread in the phase. In the next phase this thread makes `THEN` arrivals.
    ///
    /// # Safety
    ///
    /// 1. The mbarrier is valid, and this thread has waited for the previous phase.
    /// 2. This thread or its copies make the thread's other arrivals of this phase, dropped arrivals included.
    #[inline(always)]
    pub(crate) unsafe fn arrive_times<const THEN: u32>(self, due: u32) -> Mbarrier<Arrived, THEN, G> {
        // SAFETY: clauses 1 and 2 of `# Safety`: the mbarrier is valid and expects these `due` arrivals.
        let state = unsafe {
            match due {
                1 => {
                    raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, self.addr, arrivals::One)
                }
                _ => raw::mbarrier_arrive(
                    sem::Release,
                    scope::Cta,
                    space::SharedCta,
                    self.addr,
                    arrivals::Count(due),
                ),
            }
        };
        Mbarrier::new(self.addr, Arrived { state })
    }

    /// Makes `COUNT` of this thread's `ARRIVALS` arrivals and cannot complete the phase; [`arrive`](Mbarrier::arrive) makes the
    /// rest. Does not compile unless `COUNT` is less than `ARRIVALS`.
    ///
    /// Collective in the group.
    ///
    /// PTX: `mbarrier.arrive.noComplete.release.cta.shared::cta.b64 state, [addr], count;`
    ///
    /// ```
    /// # use ptx::{group::Cta, mbarrier::{Mbarrier, Ready}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Ready, 3>) {
    /// let bar = bar.arrive_no_complete::<1>(cta);
    /// let bar = bar.arrive(cta).wait(cta); // the other two arrivals
    /// # }
    /// ```
    #[must_use = "this thread has more arrivals to make: call `.arrive(&cta)`"]
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cuda::ptx::mbarrier_arrive_no_complete", "mbarrier_arrive_no_complete"))]
    pub fn arrive_no_complete<const COUNT: u32>(self, group: &G) -> Mbarrier<PartlyArrived, ARRIVALS, G>
    where
        P: Idle,
    {
        meet!(group; self.addr);
        const {
            assert!(
                COUNT >= 1 && COUNT < ARRIVALS,
                "`COUNT` is 1 to `ARRIVALS - 1`: an arrive with `.noComplete` must not complete the phase (PTX ISA 9.7.13.15.13)"
            )
        };
        // SAFETY: as the state says, the mbarrier is valid and this thread has waited for the previous phase. One arrival of this
        // thread remains (asserted above), so the phase does not complete.
        unsafe { raw::mbarrier_arrive_no_complete(space::SharedCta, self.addr, COUNT) };
        Mbarrier::new(self.addr, PartlyArrived { left: const { ARRIVALS.saturating_sub(COUNT) } })
    }

    /// Makes all arrivals of this thread for this phase, and lowers its arrivals to `FEWER` for every later phase. Does not
    /// compile unless `FEWER` is less than `ARRIVALS` and at least 1.
    ///
    /// Collective in the group.
    ///
    /// PTX: `mbarrier.arrive_drop.noComplete.release.cta.shared::cta.b64 state, [addr], count;` for the dropped arrivals,
    /// `mbarrier.arrive.release.cta.shared::cta.b64 state, [addr]{, count};` for the others.
    ///
    /// ```
    /// # use ptx::{group::Cta, mbarrier::{Mbarrier, Ready}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Ready, 3>) {
    /// let bar: Mbarrier<Ready, 1> = bar.arrive_drop::<1>(cta).wait(cta);
    /// let bar = bar.arrive(cta).wait(cta); // now one arrival per thread
    /// # }
    /// ```
    #[must_use = "only the returned handle can wait for the phase: call `.wait(&cta)`"]
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cuda::barrier::arrive_and_drop")]
    pub fn arrive_drop<const FEWER: u32>(self, group: &G) -> Mbarrier<Arrived, FEWER, G>
    where
        P: Idle,
    {
        meet!(group; self.addr);
        const {
            assert!(
                FEWER >= 1 && FEWER < ARRIVALS,
                "`FEWER` is 1 to `ARRIVALS - 1`: each thread keeps at least one arrival, because an mbarrier expects at least 1 (PTX ISA 9.7.13.15.2)"
            )
        };
        // SAFETY: as the state says, the mbarrier is valid and this thread has waited for the previous phase. The `FEWER`
        // arrivals that remain (asserted above: at least one) keep the phase open until `arrive_times` makes them.
        unsafe {
            raw::mbarrier_arrive_drop_no_complete(
                space::SharedCta,
                self.addr,
                const { ARRIVALS.saturating_sub(FEWER) },
            );
            self.arrive_times(FEWER)
        }
    }

    /// Waits until every thread of the group has arrived and all copies of the phase are complete, with acquire semantics.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [addr], state;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cuda::barrier::wait")]
    pub fn wait(self, group: &G) -> Mbarrier<Ready, ARRIVALS, G>
    where
        P: Waitable,
    {
        meet!(group; self.addr);
        // SAFETY: this handle's arrive returned the token, in the current phase or in the one before: the next phase cannot
        // complete before this thread arrives again.
        unsafe { await_state(scope::Cta, self.addr, self.phase.state(), suspend_time_hint::None) };
        Mbarrier::new(self.addr, Ready(()))
    }

    /// Waits as [`wait`](Mbarrier::wait) does, and suspends the thread for up to `nanoseconds` per try (`suspendTimeHint`), for
    /// long waits. The time limit is a hint.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [addr], state, suspendTimeHint;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cuda::ptx::mbarrier_try_wait", "mbarrier_try_wait"))]
    pub fn wait_with_hint(self, group: &G, nanoseconds: u32) -> Mbarrier<Ready, ARRIVALS, G>
    where
        P: Waitable,
    {
        meet!(group; self.addr);
        let hint = suspend_time_hint::Nanoseconds(nanoseconds);
        // SAFETY: this handle's arrive returned the token, in the current phase or in the one before (see `wait`).
        unsafe { await_state(scope::Cta, self.addr, self.phase.state(), hint) };
        Mbarrier::new(self.addr, Ready(()))
    }

    /// Tests without blocking whether the phase is complete: `true` if a [`wait`](Mbarrier::wait) would return at once. Threads
    /// can get different answers. Only `wait` makes the accesses of other threads visible.
    ///
    /// PTX: `mbarrier.test_wait.relaxed.cta.shared::cta.b64 waitComplete, [addr], state;`
    ///
    /// ```
    /// # use ptx::{group::Cta, mbarrier::{Arrived, Mbarrier}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Arrived>, mut work: impl FnMut()) {
    /// while !bar.is_complete() {
    ///     work(); // of this thread alone: no collective calls
    /// }
    /// let bar = bar.wait(cta);
    /// # }
    /// ```
    #[inline(always)]
    #[doc(alias("cuda::ptx::mbarrier_test_wait", "mbarrier_test_wait"))]
    pub fn is_complete(&self) -> bool
    where
        P: Waitable,
    {
        // SAFETY: this handle's arrive returned the token, in the current phase or in the one before (see `wait`).
        unsafe {
            raw::mbarrier_test_wait(sem::Relaxed, scope::Cta, space::SharedCta, self.addr, self.phase.state())
        }
    }
}

/// An [`Mbarrier`] on which this thread has arrived by [`Mbarrier::arrive_with`]: the wait for its phase also completes the
/// transitions that the arrival took ([`AfterSync`]), and returns their handles.
#[must_use = "`.wait(&cta)` returns the handles of the transitions: call it"]
#[derive(Debug)]
pub struct ArrivedWith<T, const ARRIVALS: u32 = 1, G = Cta> {
    bar: Mbarrier<Arrived, ARRIVALS, G>,
    transitions: T,
}

impl<T: Transitions<G>, const ARRIVALS: u32, G: ThreadGroup> ArrivedWith<T, ARRIVALS, G> {
    /// Waits until the phase completes: every thread of the group has arrived, and all copies of the phase are complete. Returns
    /// the mbarrier, and the handles that were passed to [`arrive_with`](Mbarrier::arrive_with), each in the state that its
    /// transition ends in.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`Mbarrier::wait`].
    #[inline(always)]
    #[track_caller]
    pub fn wait(self, group: &G) -> (Mbarrier<Ready, ARRIVALS, G>, T::Handles) {
        // Each thread made its last arrival after its part of the transitions, and the phase counts all arrivals.
        (self.bar.wait(group), self.transitions.handles(Passed::NEW))
    }
}

#[cfg(try_cancel_multicast)]
impl<const ARRIVALS: u32> Mbarrier<Arrived, ARRIVALS> {
    /// [`wait`](Mbarrier::wait) in cluster scope, for a copy that another CTA of the cluster has started: its complete-tx
    /// releases in cluster scope.
    #[inline(always)]
    pub(crate) fn wait_cluster(self) -> Mbarrier<Ready, ARRIVALS> {
        // SAFETY: this handle's arrive returned the token, in the current phase or in the one before (see `wait`).
        unsafe { await_state(scope::Cluster, self.addr, self.phase.state, suspend_time_hint::None) };
        Mbarrier::new(self.addr, Ready(()))
    }
}

impl<P: Arrivable, G> Mbarrier<P, 1, G> {
    /// Arrives and raises the tx-count by `bytes`, in the thread that starts the copies.
    ///
    /// # Safety
    ///
    /// This thread starts copies of `bytes` bytes in total, at most 2^20 - 1, that complete on this mbarrier, before any thread
    /// waits for the phase.
    #[inline(always)]
    pub(crate) unsafe fn arrive_expect_tx(self, bytes: u32) -> Mbarrier<Arrived, 1, G> {
        // SAFETY: the state says that the mbarrier is valid and that one arrival remains; the tx-count is in range (`# Safety`).
        let state = unsafe {
            raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, self.addr, bytes)
        };
        Mbarrier::new(self.addr, Arrived { state })
    }
}

/// Waits for the phase of the token `state`. Accesses that were released to the phase in `scope` are visible afterwards.
///
/// # Safety
///
/// 1. `bar` is a valid mbarrier of this CTA.
/// 2. Until this function returns, `state` is of the current phase or of the one before (9.7.13.15.16).
#[inline(always)]
unsafe fn await_state(
    scope: impl MbarrierScope,
    bar: u32,
    state: u64,
    hint: impl MbarrierSuspendTimeHint + Copy,
) {
    // SAFETY: clauses 1 and 2 of `# Safety`.
    while !unsafe { raw::mbarrier_try_wait(sem::Acquire, scope, space::SharedCta, bar, state, hint) } {}
}

/// [`await_state`] with the parity of the phase in place of a token. With `sem::Relaxed`, an acquire fence has to follow.
///
/// # Safety
///
/// 1. `bar` is a valid mbarrier of this CTA.
/// 2. Until this function returns, `parity` is of the current phase or of the one before (9.7.13.15.16).
#[inline(always)]
pub(crate) unsafe fn await_parity(
    sem: impl WaitSem,
    scope: impl MbarrierScope,
    bar: u32,
    parity: u32,
    hint: impl MbarrierSuspendTimeHint + Copy,
) {
    // SAFETY: clauses 1 and 2 of `# Safety`.
    while !unsafe { raw::mbarrier_try_wait_parity(sem, scope, space::SharedCta, bar, parity, hint) } {}
}

/// Waits for the phase of that parity, in which copies of any CTA of the cluster complete, and acquires what they have written.
///
/// The fence restricts the acquire to the cluster's shared memory, which is all that copies on this mbarrier write. A wait with
/// `.acquire.cluster` orders accesses of global memory too, and so drops the whole L1 cache (`CCTL.IVALL`).
///
/// # Safety
///
/// As [`await_parity`].
#[inline(always)]
pub(crate) unsafe fn await_copies(bar: u32, parity: u32, hint: impl MbarrierSuspendTimeHint + Copy) {
    // SAFETY: the caller keeps the contract of `await_parity` (`# Safety`).
    unsafe { await_parity(sem::Relaxed, scope::Cluster, bar, parity, hint) };
    raw::fence_acquire_sync_restrict();
}

handles! { Mbarrier<Uninit>, Mbarrier<Ready>, Mbarrier<Arrived>, Mbarrier<PartlyArrived, 2>, ArrivedWith<()> }
