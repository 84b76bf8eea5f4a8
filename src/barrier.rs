//! The CTA's barriers 1 to 15 (9.7.13.1) as owned resources. Barrier 0 is [`Cta::sync`], the one of every collective call.
//!
//! The kernel declares them in its [`shared_memory!`](crate::shared_memory), where a number given twice does not compile.
//! A type has one kind of use, so `barrier.cta.red` never meets `.sync` or `.arrive` on one barrier:
//!
//! - [`NamedBarrier`]: as many threads as it names meet (`.sync`);
//! - [`ReductionBarrier`]: they meet and combine a predicate (`.red`), by one operation;
//! - [`Handoff`]: the first warps of the CTA produce tiles, the next ones consume them, over two barriers (`.arrive` on
//!   one side, `.sync` on the other).
//!
//! ```text
//!   Producer<Ready>    ── send: st, arrive FULL ──► Producer<Sent>      Consumer<Waiting> ── receive: sync FULL ──► Consumer<Received>
//!          ▲                                             │                     ▲                                         │ get
//!          └──────────────── wait: sync EMPTY ───────────┘                     └────────── release: arrive EMPTY ────────┘
//! ```
//!
//! The calls take a [`Warp`]: they are collective in the warp, not in the CTA. They are `.aligned`, as CUTLASS's named barriers
//! (`bar.sync`) are: all threads of the warp execute the same instruction.

use core::marker::PhantomData;

use crate::group::Cta;
use crate::qualifier::{Sealed, convergence::Aligned, op, threads};
use crate::raw;
use crate::shared::{Element, Place, SharedArray, fence_async};
use crate::warp::Warp;

/// The bit of barrier `id`, where `threads` meet.
const fn bit(id: u32, threads: u32) -> u16 {
    assert!(
        id != 0,
        "barrier 0 is the one of every collective call (`cta.sync()`): a barrier of your own has a number from 1 to 15"
    );
    assert!(id <= 15, "a CTA has the barriers 0 to 15 (PTX ISA 9.7.13.1)");
    assert!(
        threads > 0 && threads.is_multiple_of(32) && threads <= 1024,
        "a barrier's thread count is a multiple of the warp size, 32, and 1024 at most (PTX ISA 9.7.13.1)"
    );
    1 << id
}

/// [`Kind`]: threads meet (`barrier.cta.sync`).
///
/// ```
/// use ptx::barrier::{Meeting, NamedBarrier};
/// /// The kind that `NamedBarrier<1, 64>` has when none is named.
/// type Half = NamedBarrier<1, 64, Meeting>;
/// # fn kernel(cta: &ptx::launch::Cta, half: &Half) {
/// half.sync(&cta.warp());
/// # }
/// ```
#[derive(Debug)]
pub enum Meeting {}
/// [`Kind`]: threads meet, and count those whose predicate is true (`barrier.cta.red.popc`).
///
/// ```
/// # use ptx::barrier::{Popc, ReductionBarrier};
/// # fn kernel(cta: &ptx::launch::Cta, votes: &ReductionBarrier<1, 128, Popc>, value: f32) {
/// let negative: u32 = votes.red(&cta.warp(), value < 0.0); // of 128 threads
/// # }
/// ```
#[derive(Debug)]
pub enum Popc {}

/// The kind of a barrier: the one instruction that it is for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no kind of barrier",
    label = "neither a meeting nor one of the three reductions",
    note = "threads meet (`barrier::Meeting`), or combine a predicate: `barrier::Popc`, `qualifier::op::And`, `qualifier::op::Or`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Kind: Sealed {}
impl Sealed for Meeting {}
impl Sealed for Popc {}
impl Kind for Meeting {}
impl Kind for Popc {}
impl Kind for op::And {}
impl Kind for op::Or {}

/// Kinds without a reduction.
#[diagnostic::on_unimplemented(
    message = "a barrier of the kind `{Self}` is for reductions: `.sync` must not be mixed with them",
    label = "call `.red(&warp, predicate)`, or declare another barrier",
    note = "one barrier has one kind of instruction (PTX ISA 9.7.13.1); `NamedBarrier<ID, THREADS>` is one for `.sync`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Meets: Kind {}
impl Meets for Meeting {}

static_assertions::assert_not_impl_any!(Popc: Meets);
static_assertions::assert_not_impl_any!(op::And: Meets);
static_assertions::assert_not_impl_any!(op::Or: Meets);
static_assertions::assert_not_impl_any!(Meeting: Reduction<u32>, Reduction<bool>);

/// Kinds with a reduction, of which every thread gets the `Output`: a count or a `bool`.
///
/// ```
/// use ptx::{barrier::{NamedBarrier, Reduction}, warp::Warp};
/// /// Whether the answer of a reduction by `And` or by `Or`, whichever `K` is, is `true`.
/// fn agreed<K: Reduction<bool>>(warp: &Warp, votes: &NamedBarrier<1, 64, K>, mine: bool) -> bool {
///     votes.red(warp, mine)
/// }
/// ```
///
/// # Safety
///
/// Implemented here only: `red` is the one instruction on a barrier of this kind.
#[diagnostic::on_unimplemented(
    message = "a barrier of the kind `{Self}` does not reduce",
    label = "declared for something else, or `barrier.cta.red` has no such reduction",
    note = "a predicate is counted or combined on a barrier of its own: `ReductionBarrier<ID, THREADS, Op>`, `Op` being \
            `barrier::Popc`, `qualifier::op::And` or `qualifier::op::Or`"
)]
pub unsafe trait Reduction<Output>: Sealed {
    /// # Safety
    ///
    /// That of `barrier.cta.red` with a thread count.
    #[doc(hidden)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> Output;
}

// SAFETY: `.red.popc`.
unsafe impl Reduction<u32> for Popc {
    #[inline(always)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> u32 {
        // SAFETY: the caller's.
        unsafe { raw::barrier_cta_red_popc(Aligned, id, predicate, threads::Count(threads)) }
    }
}

// SAFETY: `.red.and`.
unsafe impl Reduction<bool> for op::And {
    #[inline(always)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> bool {
        // SAFETY: the caller's.
        unsafe { raw::barrier_cta_red(op::And, Aligned, id, predicate, threads::Count(threads)) }
    }
}

// SAFETY: `.red.or`.
unsafe impl Reduction<bool> for op::Or {
    #[inline(always)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> bool {
        // SAFETY: the caller's.
        unsafe { raw::barrier_cta_red(op::Or, Aligned, id, predicate, threads::Count(threads)) }
    }
}

/// Barrier `ID`, where `THREADS` threads meet: whole warps, in the order of their arrival. Its kind says by which
/// instruction.
///
/// ```
/// use ptx::barrier::{NamedBarrier, Popc};
/// ptx::shared_memory! {
///     struct Smem { half: NamedBarrier<1, 64>, votes: NamedBarrier<2, 64, Popc> }
/// }
/// # fn kernel(cta: &ptx::launch::Cta, smem: Smem) {
/// smem.half.sync(&cta.warp()); // of a CTA of 64 threads, or by two of its warps
/// # }
/// ```
#[derive(Debug)]
pub struct NamedBarrier<const ID: u32, const THREADS: u32, K = Meeting> {
    /// Bound to its CTA.
    _thread: PhantomData<(*mut (), K)>,
}

/// A barrier where `THREADS` threads combine a predicate by `Op`: [`Popc`], [`And`](op::And) or [`Or`](op::Or).
///
/// ```
/// use ptx::{barrier::ReductionBarrier, qualifier::op::Or};
/// ptx::shared_memory! { struct Smem { any: ReductionBarrier<1, 64, Or> } }
/// # fn kernel(cta: &ptx::launch::Cta, smem: Smem, found: bool) {
/// let any: bool = smem.any.red(&cta.warp(), found);
/// # }
/// ```
pub type ReductionBarrier<const ID: u32, const THREADS: u32, Op> = NamedBarrier<ID, THREADS, Op>;

static_assertions::const_assert_eq!(size_of::<NamedBarrier<1, 32>>(), 0);
static_assertions::assert_not_impl_any!(NamedBarrier<1, 32>: Copy, Clone, Send, Sync);

// SAFETY: no bytes; barrier `ID` alone.
unsafe impl<const ID: u32, const THREADS: u32, K: Kind> Place for NamedBarrier<ID, THREADS, K> {
    const SIZE: u32 = 0;
    const ALIGN: u32 = 1;
    const BARRIERS: u16 = bit(ID, THREADS);

    #[inline(always)]
    unsafe fn at(_addr: u32) -> Self {
        NamedBarrier { _thread: PhantomData }
    }
}

impl<const ID: u32, const THREADS: u32, K> NamedBarrier<ID, THREADS, K> {
    /// Waits until `THREADS` threads have come, this warp's 32 among them; what each wrote before is visible to all after.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.sync.aligned ID, THREADS;`
    ///
    /// ```
    /// use ptx::barrier::NamedBarrier;
    /// ptx::shared_memory! { struct Smem { half: NamedBarrier<1, 64> } }
    /// # fn kernel(cta: &ptx::launch::Cta, smem: Smem) {
    /// if cta.warp_rank() < 2 {
    ///     smem.half.sync(&cta.warp()); // the first two warps meet
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync(&self, _warp: &Warp)
    where
        K: Meets,
    {
        const { _ = bit(ID, THREADS) };
        // SAFETY: 9.7.13.1: "sixteen barriers numbered 0..15", "the value must be a multiple of the warp size", both
        // asserted by `bit`; the kind has no other instruction on its barrier, which has no other handle; the threads of the warp
        // call it from the same place.
        unsafe { raw::barrier_cta_sync(Aligned, ID, threads::Count(THREADS)) }
    }

    /// Waits until `THREADS` threads have come, and combines their predicates; what each wrote before is visible to all
    /// after.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.red.popc.aligned.u32 d, ID, THREADS, c;` or `barrier.cta.red.op.aligned.pred p, ID, THREADS, c;`
    ///
    /// ```
    /// use ptx::barrier::{Popc, ReductionBarrier};
    /// ptx::shared_memory! { struct Smem { votes: ReductionBarrier<1, 64, Popc> } }
    /// # fn kernel(cta: &ptx::launch::Cta, smem: Smem, value: u32) {
    /// let large: u32 = smem.votes.red(&cta.warp(), value > 100);
    /// # }
    /// ```
    #[inline(always)]
    pub fn red<Output>(&self, _warp: &Warp, predicate: bool) -> Output
    where
        K: Reduction<Output>,
    {
        const { _ = bit(ID, THREADS) };
        // SAFETY: the numbers as in `sync`; "`barrier{.cta}.red` should not be intermixed with `barrier{.cta}.sync` or
        // `barrier{.cta}.arrive` using the same active barrier": the kind has this one instruction, of one `.op`, on its barrier.
        unsafe { K::red(ID, THREADS, predicate) }
    }
}

/// Two barriers over which the first `PRODUCERS` threads of the CTA hand tiles to the next `CONSUMERS`.
///
/// `FULL` says that a tile is there, `EMPTY` that it has been read. [`split`](Handoff::split) gives
/// each thread its part.
///
/// ```
/// use ptx::barrier::Handoff;
/// use ptx::shared::SharedArray;
/// // Over the barriers 1 and 2: one warp produces, three consume.
/// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 512>, handoff: Handoff<1, 2, 32, 96> } }
/// # fn kernel(cta: &mut ptx::launch::Cta, smem: Smem) {
/// let (_handoff, _tile) = smem.handoff.split(
///     cta,
///     smem.tile,
///     |warp, producer| producer.send(warp, |i| i as f32).wait(warp),
///     |warp, consumer| consumer.receive(warp).release(warp),
/// );
/// # }
/// ```
#[derive(Debug)]
pub struct Handoff<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32> {
    _thread: PhantomData<*mut ()>,
}

static_assertions::const_assert_eq!(size_of::<Handoff<1, 2, 32, 32>>(), 0);
static_assertions::assert_not_impl_any!(Handoff<1, 2, 32, 32>: Copy, Clone, Send, Sync);

impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32>
    Handoff<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    const BITS: u16 = {
        assert!(FULL != EMPTY, "a hand-off has two barriers: give `FULL` and `EMPTY` numbers of their own");
        _ = (bit(FULL, PRODUCERS), bit(EMPTY, CONSUMERS));
        bit(FULL, PRODUCERS + CONSUMERS) | bit(EMPTY, PRODUCERS + CONSUMERS)
    };
}

// SAFETY: no bytes; the barriers `FULL` and `EMPTY` alone.
unsafe impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32> Place
    for Handoff<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    const SIZE: u32 = 0;
    const ALIGN: u32 = 1;
    const BARRIERS: u16 = Self::BITS;

    #[inline(always)]
    unsafe fn at(_addr: u32) -> Self {
        Handoff { _thread: PhantomData }
    }
}

/// The numbers of a [`Handoff`].
#[cfg_attr(doc, doc(hidden))]
pub trait Parties: Sealed {
    /// The barrier where a tile is handed over.
    const FULL: u32;
    /// The barrier where it is given back.
    const EMPTY: u32;
    /// The threads that produce.
    const PRODUCERS: u32;
    /// The threads that meet on either barrier.
    const THREADS: u32;
}

impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32> Sealed
    for Handoff<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
}
impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32> Parties
    for Handoff<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    const FULL: u32 = FULL;
    const EMPTY: u32 = EMPTY;
    const PRODUCERS: u32 = PRODUCERS;
    const THREADS: u32 = PRODUCERS + CONSUMERS;
}

impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32>
    Handoff<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    /// Splits the CTA by rank: the first `PRODUCERS` threads call `produce`, the next `CONSUMERS` call `consume`, the others
    /// none. Each gets its warp. Each part ends as it begins, so a tile that was sent has been read; then all threads meet, and the tile is at
    /// rest again: the next copy can have it.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `fence.proxy.async.shared::cta;` `barrier.cta.sync.aligned 0;` after the parts.
    ///
    /// ```
    /// use ptx::barrier::Handoff;
    /// use ptx::shared::SharedArray;
    /// ptx::shared_memory! { struct Smem { tile: SharedArray<u32, 256>, handoff: Handoff<1, 2, 64, 64> } }
    /// # fn kernel(cta: &mut ptx::launch::Cta, smem: Smem, rounds: u32) {
    /// smem.handoff.split(
    ///     cta,
    ///     smem.tile,
    ///     |warp, mut producer| {
    ///         for round in 0..rounds {
    ///             producer = producer.send(warp, |i| round + i as u32).wait(warp);
    ///         }
    ///         producer
    ///     },
    ///     |warp, mut consumer| {
    ///         for _ in 0..rounds {
    ///             let tile = consumer.receive(warp);
    ///             let _mine = tile.get(tile.rank() as usize);
    ///             consumer = tile.release(warp);
    ///         }
    ///         consumer
    ///     },
    /// );
    /// # }
    /// ```
    #[inline(always)]
    pub fn split<T: Element, const N: usize>(
        self,
        cta: &mut Cta,
        tile: SharedArray<T, N>,
        produce: impl FnOnce(&Warp, Producer<T, N, Self, Ready>) -> Producer<T, N, Self, Ready>,
        consume: impl FnOnce(&Warp, Consumer<T, N, Self, Waiting>) -> Consumer<T, N, Self, Waiting>,
    ) -> (Self, SharedArray<T, N>) {
        const { _ = Self::BITS };
        let (addr, rank) = (tile.addr(), cta.thread_rank());
        if rank < PRODUCERS {
            let Producer { .. } = produce(&cta.warp(), Producer { addr, rank, _state: PhantomData });
        } else if rank < PRODUCERS + CONSUMERS {
            let Consumer { .. } =
                consume(&cta.warp(), Consumer { addr, rank: rank - PRODUCERS, _state: PhantomData });
        }
        // A loan gives the tile to asynchronous copies, which overwrite what the producers stored.
        fence_async(cta);
        (self, tile)
    }
}

/// State of a [`Producer`]: the tile is its to fill.
///
/// ```
/// # use ptx::{barrier::{Handoff, Producer, Ready, Sent}, warp::Warp};
/// # type Pair = Handoff<1, 2, 64, 64>;
/// fn round(warp: &Warp, producer: Producer<u32, 256, Pair, Ready>) -> Producer<u32, 256, Pair, Ready> {
///     producer.send(warp, |i| i as u32).wait(warp)
/// }
/// ```
#[derive(Debug)]
pub enum Ready {}
/// State of a [`Producer`]: the tile is the consumers'.
///
/// ```
/// # use ptx::{barrier::{Handoff, Producer, Ready, Sent}, warp::Warp};
/// # type Pair = Handoff<1, 2, 64, 64>;
/// fn fill(warp: &Warp, producer: Producer<u32, 256, Pair, Ready>) -> Producer<u32, 256, Pair, Sent> {
///     producer.send(warp, |_| 0) // it has to wait before it sends again
/// }
/// ```
#[derive(Debug)]
pub enum Sent {}
/// State of a [`Consumer`]: the tile is the producers'.
///
/// ```
/// # use ptx::{barrier::{Consumer, Handoff, Received, Waiting}, warp::Warp};
/// # type Pair = Handoff<1, 2, 64, 64>;
/// fn skip(warp: &Warp, consumer: Consumer<u32, 256, Pair, Waiting>) -> Consumer<u32, 256, Pair, Waiting> {
///     consumer.receive(warp).release(warp)
/// }
/// ```
#[derive(Debug)]
pub enum Waiting {}
/// State of a [`Consumer`]: the tile is there to read.
///
/// ```
/// # use ptx::{barrier::{Consumer, Handoff, Received, Waiting}, warp::Warp};
/// # type Pair = Handoff<1, 2, 64, 64>;
/// fn first_and_last(consumer: &Consumer<u32, 256, Pair, Received>) -> Option<(u32, u32)> {
///     Some((consumer.get(0)?, consumer.get(255)?))
/// }
/// ```
#[derive(Debug)]
pub enum Received {}

/// States in which a producer has the tile.
#[diagnostic::on_unimplemented(
    message = "a producer in the state `{Self}` cannot send",
    label = "the consumers have not given the tile back",
    note = "wait for them to read what was sent before: call `.wait(&warp)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Sendable: Sealed {}
/// States in which a producer has something to wait for.
#[diagnostic::on_unimplemented(
    message = "a producer in the state `{Self}` has nothing to wait for",
    label = "nothing was sent since the last wait",
    note = "the consumers give back what they got: call `.send(&warp, …)` first"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Outstanding: Sealed {}
/// States in which a consumer does not have the tile.
#[diagnostic::on_unimplemented(
    message = "a consumer in the state `{Self}` cannot receive",
    label = "it still has the tile",
    note = "the producers fill the tile when it is given back: call `.release(&warp)` first"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Receivable: Sealed {}
/// States in which a consumer has the tile.
#[diagnostic::on_unimplemented(
    message = "a consumer in the state `{Self}` does not have the tile",
    label = "nothing to read or give back",
    note = "the tile is there after `.receive(&warp)`, until `.release(&warp)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Holding: Sealed {}
impl Sealed for Ready {}
impl Sealed for Sent {}
impl Sealed for Waiting {}
impl Sealed for Received {}
impl Sendable for Ready {}
impl Outstanding for Sent {}
impl Receivable for Waiting {}
impl Holding for Received {}

// What each state is not for.
static_assertions::assert_not_impl_any!(Ready: Outstanding);
static_assertions::assert_not_impl_any!(Sent: Sendable);
static_assertions::assert_not_impl_any!(Waiting: Holding);
static_assertions::assert_not_impl_any!(Received: Receivable);

/// A thread that fills the tile of a [`Handoff`].
///
/// ```
/// # use ptx::{barrier::{Handoff, Producer, Ready, Sent}, warp::Warp};
/// # type Pair = Handoff<1, 2, 64, 64>;
/// type Idle = Producer<u32, 256, Pair, Ready>;
/// fn produce(warp: &Warp, mut producer: Idle) -> Idle {
///     for round in 0..8 {
///         let sent = producer.send(warp, |i| round + i as u32);
///         // … what needs no tile …
///         producer = sent.wait(warp);
///     }
///     producer
/// }
/// ```
#[must_use = "the consumers wait for what it sends"]
#[derive(Debug)]
pub struct Producer<T, const N: usize, H, State> {
    addr: u32,
    rank: u32,
    _state: PhantomData<(*mut [T; N], H, State)>,
}

/// A thread that reads the tile of a [`Handoff`].
///
/// ```
/// # use ptx::{barrier::{Consumer, Handoff, Received, Waiting}, warp::Warp};
/// # type Pair = Handoff<1, 2, 64, 64>;
/// type Idle = Consumer<u32, 256, Pair, Waiting>;
/// fn sum(warp: &Warp, mut consumer: Idle) -> (u32, Idle) {
///     let mut sum = 0;
///     for _ in 0..8 {
///         let tile = consumer.receive(warp);
///         sum += tile.get(tile.rank() as usize).unwrap_or(0);
///         consumer = tile.release(warp);
///     }
///     (sum, consumer)
/// }
/// ```
#[must_use = "the producers wait for its release"]
#[derive(Debug)]
pub struct Consumer<T, const N: usize, H, State> {
    addr: u32,
    rank: u32,
    _state: PhantomData<(*mut [T; N], H, State)>,
}

static_assertions::assert_not_impl_any!(Producer<u32, 4, Handoff<1, 2, 32, 32>, Ready>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Consumer<u32, 4, Handoff<1, 2, 32, 32>, Waiting>: Copy, Clone, Send, Sync);

impl<T, const N: usize, H, State> Producer<T, N, H, State> {
    /// The thread's rank among the producers.
    ///
    /// ```
    /// # use ptx::{barrier::{Handoff, Producer, Ready, Sent}, warp::Warp};
    /// # type Pair = Handoff<1, 2, 64, 64>;
    /// # fn kernel(producer: &Producer<u32, 256, Pair, Ready>) {
    /// let rank = producer.rank(); // 0 to 63
    /// # }
    /// ```
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        self.rank
    }
}

impl<T, const N: usize, H, State> Consumer<T, N, H, State> {
    /// The thread's rank among the consumers.
    ///
    /// ```
    /// # use ptx::{barrier::{Consumer, Handoff, Received, Waiting}, warp::Warp};
    /// # type Pair = Handoff<1, 2, 64, 64>;
    /// # fn kernel(consumer: &Consumer<u32, 256, Pair, Waiting>) {
    /// let rank = consumer.rank(); // 0 to 63, though the CTA's threads 64 to 127
    /// # }
    /// ```
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        self.rank
    }
}

impl<T: Element, const N: usize, H: Parties, State> Producer<T, N, H, State> {
    /// Fills element `i` with `f(i)`, each producer its share, and hands the tile over without waiting.
    ///
    /// Collective in the warp.
    ///
    /// PTX: an element: `st.weak.shared::cta`; `barrier.cta.arrive.aligned FULL, THREADS;`
    ///
    /// ```
    /// # use ptx::{barrier::{Handoff, Producer, Ready, Sent}, warp::Warp};
    /// # type Pair = Handoff<1, 2, 64, 64>;
    /// # fn kernel(warp: &Warp, producer: Producer<f32, 256, Pair, Ready>) -> Producer<f32, 256, Pair, Sent> {
    /// let sent = producer.send(warp, |i| i as f32 / 256.0);
    /// # sent
    /// # }
    /// ```
    #[must_use = "before it sends again, it waits for the tile to be read: call `.wait(&warp)`"]
    #[inline(always)]
    pub fn send(self, _warp: &Warp, mut f: impl FnMut(usize) -> T) -> Producer<T, N, H, Sent>
    where
        State: Sendable,
    {
        let (rank, step) = (self.rank as usize, H::PRODUCERS as usize);
        // SAFETY: in bounds; each element has one producer, and by the state no consumer reads.
        let store = |i: usize, value| unsafe { T::store(self.addr + (i * size_of::<T>()) as u32, value) };
        let mut first = 0;
        // Four values at a time, so that what `f` loads is under way together.
        while first + 4 * step <= N {
            let at = [0, 1, 2, 3].map(|round| first + round * step + rank);
            let values = at.map(&mut f);
            at.into_iter().zip(values).for_each(|(i, value)| store(i, value));
            first += 4 * step;
        }
        while first + rank < N {
            store(first + rank, f(first + rank));
            first += step;
        }
        // SAFETY: the numbers are asserted by `Place`. The barrier is not mid-way with this warp's arrival in it: since
        // that the warp has passed `wait`, for which the consumers had to pass `receive`, which completes this barrier.
        unsafe { raw::barrier_cta_arrive(Aligned, H::FULL, H::THREADS) };
        Producer { addr: self.addr, rank: self.rank, _state: PhantomData }
    }

    /// Waits until all consumers have released the tile.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.sync.aligned EMPTY, THREADS;`
    ///
    /// ```
    /// # use ptx::{barrier::{Handoff, Producer, Ready, Sent}, warp::Warp};
    /// # type Pair = Handoff<1, 2, 64, 64>;
    /// # fn kernel(warp: &Warp, sent: Producer<f32, 256, Pair, Sent>) -> Producer<f32, 256, Pair, Sent> {
    /// let producer = sent.wait(warp); // the tile has been read
    /// # producer.send(warp, |_| 0.0)
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, _warp: &Warp) -> Producer<T, N, H, Ready>
    where
        State: Outstanding,
    {
        // SAFETY: the numbers are asserted by `Place`; producers only wait on this barrier, so the warp has no arrival in it.
        unsafe { raw::barrier_cta_sync(Aligned, H::EMPTY, threads::Count(H::THREADS)) };
        Producer { addr: self.addr, rank: self.rank, _state: PhantomData }
    }
}

impl<T: Element, const N: usize, H: Parties, State> Consumer<T, N, H, State> {
    /// Waits for the tile.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.sync.aligned FULL, THREADS;`
    ///
    /// ```
    /// # use ptx::{barrier::{Consumer, Handoff, Received, Waiting}, warp::Warp};
    /// # type Pair = Handoff<1, 2, 64, 64>;
    /// # fn kernel(warp: &Warp, consumer: Consumer<f32, 256, Pair, Waiting>) -> Consumer<f32, 256, Pair, Received> {
    /// let tile = consumer.receive(warp);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn receive(self, _warp: &Warp) -> Consumer<T, N, H, Received>
    where
        State: Receivable,
    {
        // SAFETY: the numbers are asserted by `Place`; consumers only wait on this barrier, so the warp has no arrival in it.
        unsafe { raw::barrier_cta_sync(Aligned, H::FULL, threads::Count(H::THREADS)) };
        Consumer { addr: self.addr, rank: self.rank, _state: PhantomData }
    }

    /// Element `i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{barrier::{Consumer, Handoff, Received, Waiting}, warp::Warp};
    /// # type Pair = Handoff<1, 2, 64, 64>;
    /// # fn kernel(tile: &Consumer<f32, 256, Pair, Received>) {
    /// let mine = tile.get(tile.rank() as usize);
    /// let none = tile.get(256);
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T>
    where
        State: Holding,
    {
        if i >= N {
            return None;
        }
        // SAFETY: in bounds; by the state no producer writes.
        Some(unsafe { T::load(self.addr + (i * size_of::<T>()) as u32) })
    }

    /// Gives the tile back to the producers without waiting.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.arrive.aligned EMPTY, THREADS;`
    ///
    /// ```
    /// # use ptx::{barrier::{Consumer, Handoff, Received, Waiting}, warp::Warp};
    /// # type Pair = Handoff<1, 2, 64, 64>;
    /// # fn kernel(warp: &Warp, tile: Consumer<f32, 256, Pair, Received>) -> Consumer<f32, 256, Pair, Waiting> {
    /// let first = tile.get(0); // before: after the release the tile is the producers'
    /// let consumer = tile.release(warp);
    /// # consumer
    /// # }
    /// ```
    #[must_use = "to read the next tile, it waits for it: call `.receive(&warp)`"]
    #[inline(always)]
    pub fn release(self, _warp: &Warp) -> Consumer<T, N, H, Waiting>
    where
        State: Holding,
    {
        // SAFETY: the numbers are asserted by `Place`. The barrier is not mid-way with this warp's arrival in it: since
        // that the warp has passed `receive`, for which the producers had to pass `wait`, which completes this barrier.
        unsafe { raw::barrier_cta_arrive(Aligned, H::EMPTY, H::THREADS) };
        Consumer { addr: self.addr, rank: self.rank, _state: PhantomData }
    }
}
