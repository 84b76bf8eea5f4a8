//! `mbarrier` objects (9.7.13.15) as a typestate: [`Mbarrier<Phase>`](Mbarrier).
//!
//! ```text
//!   Mbarrier<Uninit> ── init ──► Mbarrier<Ready> ── arrive, or bulk::load ──► Mbarrier<Arrived>
//!          ▲                      │    ▲   │                                     │        ▲
//!          └──────── inval ───────┘    │   └─ arrive_no_complete ► Mbarrier<PartlyArrived> ─ arrive
//!                                      └──────────────────── wait ───────────────┘
//! ```
//!
//! Every thread of the group that holds it arrives in every phase, so a phase cannot pass before each thread has seen the one before
//! complete. The token of the arrive lives in the handle: it cannot be used twice, or on another barrier. A thread arrives
//! `ARRIVALS` times a phase, once unless the type says otherwise; what it does not do at once it can do in two steps.
//!
//! Barriers whose threads have different parts (a producer, consumers) are those of
//! [`pipeline`](crate::pipeline).

use core::marker::PhantomData;

use crate::group::{AfterSync, Cta, HandOver, Passed, ThreadGroup, Transitions, nothing_to_end, sync_with};
use crate::qualifier::{Sealed, arrivals, scope, sem, space, suspend_time_hint};
use crate::raw::{self, MbarrierScope, MbarrierSuspendTimeHint};
use crate::shared::{Place, Scoped};

/// Phase: memory for an mbarrier, which holds none.
///
/// ```
/// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Uninit}};
/// ptx::shared_memory! { struct Smem { bar: Mbarrier<Uninit> } }
/// # fn kernel(cta: &Cta, smem: Smem) {
/// let bar = smem.bar.init(cta);
/// # }
/// ```
#[derive(Debug)]
pub struct Uninit(());

/// Phase: initialised, this thread's arrival is due.
///
/// ```
/// # use ptx::{launch::Cta, mbarrier::{Arrived, Mbarrier, Ready}};
/// fn signal(cta: &Cta, bar: Mbarrier<Ready>) -> Mbarrier<Arrived> {
///     bar.arrive(cta)
/// }
/// ```
#[derive(Debug)]
pub struct Ready(());

/// Phase: this thread has arrived and not yet waited.
///
/// ```
/// # use ptx::{launch::Cta, mbarrier::{Arrived, Mbarrier, Ready}};
/// fn meet(cta: &Cta, bar: Mbarrier<Arrived>) -> Mbarrier<Ready> {
///     bar.wait(cta)
/// }
/// ```
#[derive(Debug)]
pub struct Arrived {
    state: u64,
}

/// Phase: this thread has made some of its arrivals, not all.
///
/// ```
/// # use ptx::{launch::Cta, mbarrier::{Arrived, PartlyArrived, Mbarrier}};
/// // Of the two arrivals of each thread one is made.
/// fn second(cta: &Cta, bar: Mbarrier<PartlyArrived, 2>) -> Mbarrier<Arrived, 2> {
///     bar.arrive(cta)
/// }
/// ```
#[derive(Debug)]
pub struct PartlyArrived {
    state: u64,
    left: u32,
}

/// The phases of an [`Mbarrier`].
///
/// ```
/// # use ptx::mbarrier::{Mbarrier, Phase};
/// // In any phase.
/// fn lies_at<P: Phase>(bar: &Mbarrier<P>) -> u32 {
///     bar.addr()
/// }
/// ```
pub trait Phase: Sealed {}
impl Sealed for Uninit {}
impl Sealed for Arrived {}
impl Sealed for Ready {}
impl Sealed for PartlyArrived {}
impl Phase for Uninit {}
impl Phase for Arrived {}
impl Phase for Ready {}
impl Phase for PartlyArrived {}

/// Phases in which there is something to wait for.
#[diagnostic::on_unimplemented(
    message = "an mbarrier in the phase `{Self}` has nothing to wait for",
    label = "no arrive precedes this wait",
    note = "call `arrive` first: the wait takes the token that it leaves in the handle"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Waitable: Phase {
    /// What the arrive returned.
    #[doc(hidden)]
    fn state(&self) -> u64;
}
impl Waitable for Arrived {
    #[inline(always)]
    fn state(&self) -> u64 {
        self.state
    }
}

/// Phases in which an arrive is due.
#[diagnostic::on_unimplemented(
    message = "an mbarrier in the phase `{Self}` cannot be arrived on",
    label = "no arrival of this thread is due",
    note = "initialise it with `init`, and wait for one arrive before the next"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Arrivable: Phase {
    /// How many of `arrivals` are still due.
    #[doc(hidden)]
    fn due(&self, arrivals: u32) -> u32;
}
impl Arrivable for Ready {
    #[inline(always)]
    fn due(&self, arrivals: u32) -> u32 {
        arrivals
    }
}
impl Arrivable for PartlyArrived {
    #[inline(always)]
    fn due(&self, _arrivals: u32) -> u32 {
        self.left
    }
}

/// Phases in which the memory holds no mbarrier.
#[diagnostic::on_unimplemented(
    message = "an mbarrier in the phase `{Self}` is already initialised",
    label = "it would be initialised twice",
    note = "end its life with `inval` first"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Initialisable: Phase {}
impl Initialisable for Uninit {}

/// Phases in which the mbarrier is valid, and nothing is outstanding.
#[diagnostic::on_unimplemented(
    message = "an mbarrier in the phase `{Self}` cannot be invalidated",
    label = "not initialised, or still in use",
    note = "it is invalidated after the wait, when nothing is outstanding"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Idle: Phase {}
impl Idle for Ready {}

// What each phase is not for.
static_assertions::assert_not_impl_any!(Uninit: Waitable, Arrivable, Idle);
static_assertions::assert_not_impl_any!(Ready: Waitable, Initialisable);
static_assertions::assert_not_impl_any!(Arrived: Arrivable, Initialisable, Idle);
static_assertions::assert_not_impl_any!(PartlyArrived: Waitable, Initialisable, Idle);

/// An mbarrier object in shared memory of the executing CTA, on which each thread arrives `ARRIVALS` times a phase.
///
/// ```
/// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Uninit}};
/// # fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
/// let bar = bar.init(cta);
/// let bar = bar.arrive(cta); // what this thread did so far
/// // Whatever needs nothing of the other threads.
/// let bar = bar.wait(cta); // what they did before they arrived is visible
/// let bar = bar.inval(cta);
/// # }
/// ```
#[derive(Debug)]
pub struct Mbarrier<P: Phase, const ARRIVALS: u32 = 1, G = Cta> {
    addr: u32,
    phase: P,
    /// The address means something to this CTA only, and the phase to this thread.
    _thread: PhantomData<*mut ()>,
    _group: PhantomData<fn(&G)>,
}

static_assertions::assert_not_impl_any!(Mbarrier<Uninit>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Mbarrier<Ready>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Mbarrier<Arrived>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Mbarrier<PartlyArrived, 2>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Mbarrier<Uninit>: Scoped);
static_assertions::assert_not_impl_any!(Mbarrier<Ready>: Place);
static_assertions::assert_not_impl_any!(Mbarrier<Arrived>: Place, Scoped);
static_assertions::assert_not_impl_any!(Mbarrier<PartlyArrived, 2>: Place, Scoped);

impl<P: Phase, const ARRIVALS: u32, G> Mbarrier<P, ARRIVALS, G> {
    #[inline(always)]
    fn new(addr: u32, phase: P) -> Self {
        Mbarrier { addr, phase, _thread: PhantomData, _group: PhantomData }
    }
}

// SAFETY: an mbarrier object is 8 bytes aligned to 8 (9.7.13.15.1).
unsafe impl<const ARRIVALS: u32> Place for Mbarrier<Uninit, ARRIVALS> {
    const SIZE: u32 = 8;
    const ALIGN: u32 = 8;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        Mbarrier::new(addr, Uninit(()))
    }
}

// SAFETY: what may not end with the scope holds the mbarrier and the memory too, and the memory has to come back.
unsafe impl<const ARRIVALS: u32> Scoped for Mbarrier<Ready, ARRIVALS> {
    type InScope<'s> = Self;
    type Ended<'s> = ();
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        self
    }
    #[inline(always)]
    unsafe fn give_back(lent: Self) -> Self {
        lent
    }
}

// SAFETY: memory that holds no mbarrier, which no other thread uses until it is told that one is there.
unsafe impl<const ARRIVALS: u32, Of> HandOver<Of> for Mbarrier<Uninit, ARRIVALS, Of> {
    type HeldBy<G> = Mbarrier<Uninit, ARRIVALS, G>;
    #[inline(always)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {
        Mbarrier::new(self.addr, Uninit(()))
    }
}

// What copies an mbarrier counts is held by the handles of their destinations.
nothing_to_end! { [P: Phase, const ARRIVALS: u32, G] Mbarrier<P, ARRIVALS, G>; }

impl<P: Phase, const ARRIVALS: u32, G: ThreadGroup> Mbarrier<P, ARRIVALS, G> {
    /// The `.shared::cta` address of the object.
    ///
    /// ```
    /// # use ptx::mbarrier::{Mbarrier, Ready};
    /// # fn kernel(bar: &Mbarrier<Ready>) {
    /// let object = bar.addr(); // for an instruction of `ptx::raw`
    /// # }
    /// ```
    #[inline(always)]
    pub fn addr(&self) -> u32 {
        self.addr
    }

    /// Initialises it for the threads of the group: the `ARRIVALS` of each complete a phase.
    ///
    /// Collective in the group.
    ///
    /// PTX: `mbarrier.init.shared::cta.b64 [addr], arrivals;` `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;` by the leader, then `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Uninit}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
    /// let bar = bar.init(cta).arrive(cta).wait(cta);
    /// # }
    /// ```
    #[must_use = "use the mbarrier through the handle that this returns"]
    #[inline(always)]
    pub fn init(self, group: &G) -> Mbarrier<Ready, ARRIVALS, G>
    where
        P: Initialisable,
    {
        sync_with(group, self.init_at_sync(group))
    }

    /// [`init`](Mbarrier::init), at a barrier that other transitions share.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [addr], arrivals;` `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Uninit}};
    /// # fn kernel(cta: &Cta, loaded: Mbarrier<Uninit>, turned: Mbarrier<Uninit, 2>) {
    /// // Two mbarriers, and one barrier of the CTA.
    /// let (loaded, turned) = cta.sync_with((loaded.init_at_sync(cta), turned.init_at_sync(cta)));
    /// # }
    /// ```
    #[inline(always)]
    pub fn init_at_sync(self, group: &G) -> AfterSync<Mbarrier<Ready, ARRIVALS, G>, G>
    where
        P: Initialisable,
    {
        const {
            assert!(
                ARRIVALS >= 1 && ARRIVALS <= 1023,
                "a thread arrives 1 to 1023 times a phase: 1024 threads make 2^20 - 1 arrivals at most (PTX ISA 9.7.13.15.2)"
            )
        };
        if group.is_leader() {
            let arrivals = group.thread_count() * ARRIVALS;
            // SAFETY: the handle is the only one of its memory, which by its phase holds no mbarrier; a CTA has 1 to 1024
            // threads, so the count is in range.
            unsafe { raw::mbarrier_init(space::SharedCta, self.addr, arrivals) };
            // The cluster and the async proxy see the object.
            raw::fence_mbarrier_init();
            raw::fence_proxy_async(space::SharedCta);
        }
        // Every thread sees it initialised behind the barrier.
        AfterSync::new(Mbarrier::new(self.addr, Ready(())))
    }

    /// Ends its life: the memory can become another mbarrier.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;` `mbarrier.inval.shared::cta.b64 [addr];` by the leader, `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Ready}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    /// let memory = bar.inval(cta);
    /// let bar = memory.init(cta); // another mbarrier
    /// # }
    /// ```
    #[inline(always)]
    pub fn inval(self, group: &G) -> Mbarrier<Uninit, ARRIVALS, G>
    where
        P: Idle,
    {
        // No thread still waits on it before, and none initialises it again too early after.
        group.sync();
        if group.is_leader() {
            // SAFETY: by its phase it is valid and nothing is outstanding; all threads have left their waits.
            unsafe { raw::mbarrier_inval(space::SharedCta, self.addr) };
        }
        group.sync();
        Mbarrier::new(self.addr, Uninit(()))
    }

    /// Arrives: what this thread did before is visible to every thread after its wait.
    ///
    /// Collective in the group.
    ///
    /// PTX: `mbarrier.arrive.release.cta.shared::cta.b64 state, [addr]{, count};`, with a count if it is not one.
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Ready}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    /// let bar = bar.arrive(cta);
    /// let bar = bar.wait(cta);
    /// # }
    /// ```
    #[must_use = "only the returned handle can wait for the phase: call `.wait(&cta)`"]
    #[inline(always)]
    pub fn arrive(self, _group: &G) -> Mbarrier<Arrived, ARRIVALS, G>
    where
        P: Arrivable,
    {
        let due = self.phase.due(ARRIVALS);
        // SAFETY: valid by its phase, in which this thread has so many arrivals left.
        unsafe { self.arrive_times(due) }
    }

    /// [`arrive`](Mbarrier::arrive), with transitions that end when the phase does: who waits for the phase knows that every thread has
    /// done its part of them. So the phase is their barrier.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`arrive`](Mbarrier::arrive).
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Ready}, shared::{Fenced, Free, Loaded, Shared, Written}};
    /// # type Tile<'s, S> = Shared<'s, u32, 1024, S>;
    /// # fn kernel<'s>(cta: &Cta, bar: Mbarrier<Ready>, read: Tile<'s, Loaded>, written: Tile<'s, Written>)
    /// # -> (Mbarrier<Ready>, Tile<'s, Free>, Tile<'s, Fenced>) {
    /// let arrived = bar.arrive_with(cta, (read.release_at_sync(), written.to_async_at_sync()));
    /// // Whatever needs neither tile.
    /// let (bar, (read, written)) = arrived.wait(cta);
    /// # (bar, read, written) }
    /// ```
    #[inline(always)]
    pub fn arrive_with<T: Transitions<G>>(self, group: &G, transitions: T) -> ArrivedWith<T, ARRIVALS, G>
    where
        P: Arrivable,
    {
        ArrivedWith { bar: self.arrive(group), transitions }
    }

    /// The last `due` arrivals of this thread in the phase. `THEN` is how many it makes in the next.
    ///
    /// # Safety
    ///
    /// The mbarrier is valid, and this thread has waited for the previous phase. Its other arrivals in this one have been made,
    /// or will be by its copies; those it drops, too.
    #[inline(always)]
    pub(crate) unsafe fn arrive_times<const THEN: u32>(self, due: u32) -> Mbarrier<Arrived, THEN, G> {
        // SAFETY: the caller's.
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

    /// Makes `COUNT` of this thread's arrivals, fewer than `ARRIVALS`, so that this completes no phase.
    ///
    /// Collective in the group.
    ///
    /// PTX: `mbarrier.arrive.noComplete.release.cta.shared::cta.b64 state, [addr], count;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Ready}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Ready, 3>) {
    /// let bar = bar.arrive_no_complete::<1>(cta);
    /// let bar = bar.arrive(cta).wait(cta); // the other two
    /// # }
    /// ```
    #[must_use = "the other arrivals are due: call `.arrive(&cta)`"]
    #[inline(always)]
    pub fn arrive_no_complete<const COUNT: u32>(self, _group: &G) -> Mbarrier<PartlyArrived, ARRIVALS, G>
    where
        P: Idle,
    {
        const {
            assert!(
                COUNT >= 1 && COUNT < ARRIVALS,
                "an arrival that completes no phase is of fewer than the thread's `ARRIVALS` (PTX ISA 9.7.13.15.13)"
            )
        };
        // SAFETY: as in `arrive`; an arrival of this thread is left, so the phase does not complete.
        let state = unsafe { raw::mbarrier_arrive_no_complete(space::SharedCta, self.addr, COUNT) };
        Mbarrier::new(self.addr, PartlyArrived { state, left: const { ARRIVALS.saturating_sub(COUNT) } })
    }

    /// Arrives for this phase, and from the next on `FEWER` times a phase.
    ///
    /// Collective in the group.
    ///
    /// PTX: `mbarrier.arrive_drop.noComplete.release.cta.shared::cta.b64 state, [addr], count;` for those that it drops,
    /// `mbarrier.arrive.release.cta.shared::cta.b64 state, [addr]{, count};` for the others.
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Ready}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Ready, 3>) {
    /// let bar: Mbarrier<Ready, 1> = bar.arrive_drop::<1>(cta).wait(cta);
    /// let bar = bar.arrive(cta).wait(cta); // one arrival a thread now
    /// # }
    /// ```
    #[must_use = "only the returned handle can wait for the phase: call `.wait(&cta)`"]
    #[inline(always)]
    pub fn arrive_drop<const FEWER: u32>(self, _group: &G) -> Mbarrier<Arrived, FEWER, G>
    where
        P: Idle,
    {
        const {
            assert!(
                FEWER >= 1 && FEWER < ARRIVALS,
                "a thread drops some of its `ARRIVALS` and keeps one at least: an mbarrier expects 1 arrival or more (PTX ISA 9.7.13.15.2)"
            )
        };
        // SAFETY: as in `arrive_no_complete`, then as in `arrive`. What is expected in the next phase is at least one
        // arrival a thread.
        unsafe {
            raw::mbarrier_arrive_drop_no_complete(
                space::SharedCta,
                self.addr,
                const { ARRIVALS.saturating_sub(FEWER) },
            );
            self.arrive_times(FEWER)
        }
    }

    /// Waits until all threads have arrived, and the copies of the phase are complete.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [addr], state;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Arrived, Mbarrier}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Arrived>) {
    /// let bar = bar.wait(cta);
    /// let bar = bar.arrive(cta); // for the next phase
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, _group: &G) -> Mbarrier<Ready, ARRIVALS, G>
    where
        P: Waitable,
    {
        // SAFETY: the state came from this handle's arrive, in the phase that is current or just complete: the next
        // cannot complete before this thread arrives again.
        unsafe { await_state(scope::Cta, self.addr, self.phase.state(), suspend_time_hint::None) };
        Mbarrier::new(self.addr, Ready(()))
    }

    /// [`wait`](Mbarrier::wait) whose tries may each last `nanoseconds`, for waits known to be long.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [addr], state,
    /// suspendTimeHint;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Arrived, Mbarrier}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Arrived>) {
    /// let bar = bar.wait_suspended(cta, 10_000); // 10 µs a try at most
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait_suspended(self, _group: &G, nanoseconds: u32) -> Mbarrier<Ready, ARRIVALS, G>
    where
        P: Waitable,
    {
        let hint = suspend_time_hint::Nanoseconds(nanoseconds);
        // SAFETY: as in `wait`.
        unsafe { await_state(scope::Cta, self.addr, self.phase.state(), hint) };
        Mbarrier::new(self.addr, Ready(()))
    }

    /// Whether a [`wait`](Mbarrier::wait) would return at once. Threads can get different answers.
    ///
    /// PTX: `mbarrier.test_wait.relaxed.cta.shared::cta.b64 waitComplete, [addr], state;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Arrived, Mbarrier}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Arrived>, mut work: impl FnMut()) {
    /// while !bar.is_complete() {
    ///     work(); // this thread's own: no collective calls
    /// }
    /// let bar = bar.wait(cta); // only this makes anything visible
    /// # }
    /// ```
    #[inline(always)]
    pub fn is_complete(&self) -> bool
    where
        P: Waitable,
    {
        // SAFETY: as in `wait`. Relaxed: only the wait makes anything visible.
        unsafe {
            raw::mbarrier_test_wait(sem::Relaxed, scope::Cta, space::SharedCta, self.addr, self.phase.state())
        }
    }
}

/// An [`Mbarrier`] on which this thread has arrived, and the transitions that its phase ends: what [`Mbarrier::arrive_with`] gives.
#[must_use = "the handles come out behind the phase: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct ArrivedWith<T, const ARRIVALS: u32 = 1, G = Cta> {
    bar: Mbarrier<Arrived, ARRIVALS, G>,
    transitions: T,
}

static_assertions::assert_not_impl_any!(ArrivedWith<()>: Copy, Clone, Send, Sync);

impl<T: Transitions<G>, const ARRIVALS: u32, G: ThreadGroup> ArrivedWith<T, ARRIVALS, G> {
    /// Waits until all threads have arrived: gives the mbarrier, and the handles of the transitions in their next states.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`Mbarrier::wait`].
    #[inline(always)]
    pub fn wait(self, group: &G) -> (Mbarrier<Ready, ARRIVALS, G>, T::Handles) {
        // The mbarrier counts every thread's arrivals, the last of which each made after its part of the transitions.
        (self.bar.wait(group), self.transitions.handles(Passed::NEW))
    }
}

#[cfg(any(feature = "sm_100f", feature = "sm_110a", feature = "sm_120a"))]
impl<const ARRIVALS: u32> Mbarrier<Arrived, ARRIVALS> {
    /// [`wait`](Mbarrier::wait) for what another CTA of the cluster has made complete here: its complete-tx releases in the
    /// cluster's scope.
    #[inline(always)]
    pub(crate) fn wait_cluster(self) -> Mbarrier<Ready, ARRIVALS> {
        // SAFETY: as in `wait`.
        unsafe { await_state(scope::Cluster, self.addr, self.phase.state, suspend_time_hint::None) };
        Mbarrier::new(self.addr, Ready(()))
    }
}

impl<const ARRIVALS: u32, G> Mbarrier<PartlyArrived, ARRIVALS, G> {
    /// How many arrivals the phase lacked before those of this thread.
    ///
    /// PTX: `mbarrier.pending_count.b64 count, state;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Ready}};
    /// # fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>) {
    /// let bar = bar.arrive_no_complete::<1>(cta);
    /// let nobody_came_before = bar.pending_count() == 2 * cta.thread_count();
    /// let bar = bar.arrive(cta).wait(cta);
    /// # }
    /// ```
    #[inline(always)]
    pub fn pending_count(&self) -> u32 {
        // SAFETY: the state came from this handle's `arrive.noComplete`.
        unsafe { raw::mbarrier_pending_count(self.phase.state) }
    }
}

impl<P: Arrivable, G> Mbarrier<P, 1, G> {
    /// Arrives with `bytes` more to expect, in the thread that is about to start the copies of `bytes`.
    ///
    /// # Safety
    ///
    /// This thread starts copies of `bytes` in all, at most 2^20 - 1, that complete on this mbarrier, before anything waits
    /// for the phase.
    #[inline(always)]
    pub(crate) unsafe fn arrive_expect_tx(self, bytes: u32) -> Mbarrier<Arrived, 1, G> {
        // SAFETY: as in `arrive`, and the caller's.
        let state = unsafe {
            raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, self.addr, bytes)
        };
        Mbarrier::new(self.addr, Arrived { state })
    }
}

/// Waits for the phase that `state` is of; what was released to it in `scope` is visible after.
///
/// # Safety
///
/// - `bar` is a valid mbarrier of this CTA.
/// - `state` is of its current phase or of the one before (9.7.13.15.16), until this returns.
#[inline(always)]
unsafe fn await_state(
    scope: impl MbarrierScope,
    bar: u32,
    state: u64,
    hint: impl MbarrierSuspendTimeHint + Copy,
) {
    // SAFETY: the caller's.
    while !unsafe { raw::mbarrier_try_wait(sem::Acquire, scope, space::SharedCta, bar, state, hint) } {}
}

/// [`await_state`] by the parity of the phase.
///
/// # Safety
///
/// As [`await_state`].
#[inline(always)]
pub(crate) unsafe fn await_parity(
    scope: impl MbarrierScope,
    bar: u32,
    parity: u32,
    hint: impl MbarrierSuspendTimeHint + Copy,
) {
    // SAFETY: the caller's.
    while !unsafe { raw::mbarrier_try_wait_parity(sem::Acquire, scope, space::SharedCta, bar, parity, hint) }
    {
    }
}
