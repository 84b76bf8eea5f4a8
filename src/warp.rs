//! A warp's threads among themselves: votes, matches, reductions, shuffles, elections (9.7.13.2, 9.7.13.9 to 9.7.13.14,
//! 9.7.9.6).
//!
//! [`Cta::warp`](crate::launch::Cta::warp) gives the [`Warp`]. Its calls are collective: the threads of a warp make the same
//! sequence of them. Groups of the warp's threads are [`Lanes`], which carry the `membermask` of their calls; a thread
//! gets only groups that it is in:
//!
//! - [`tiles`](Warp::tiles): neighbours, 2 to 32 at a time;
//! - [`partition_by`](Lanes::partition_by): those with the same value;
//! - [`filter`](Lanes::filter): those where a predicate is true.
//!
//! A set of lanes ([`LaneMask`]), such as [`active_mask`] or a ballot, is a value: it makes no group. What `activemask`
//! says may be different in the next instruction.
//!
//! Lanes of the CTA's last warp that have no thread count as exited: no call waits for them, and what is read from them is
//! unspecified.

use core::marker::PhantomData;
use core::num::NonZero;

use crate::group::{Cta, FirstWarp, Warps};
use crate::mask::LaneMask;
#[cfg(feature = "sm_100f")]
use crate::qualifier::op;
use crate::qualifier::{Sealed, mode, ty};
use crate::raw;
use crate::shared::Element;

mod reduce;

pub use reduce::{BitReducible, Reducible};

/// The threads of a warp. It borrows the CTA or the [`FirstWarp`] that has given it, as the groups of its lanes do: what runs a closure in a
/// part of the threads takes that by `&mut`, so that no `Warp` of theirs is inside.
///
/// ```
/// use ptx::warp::Warp;
/// /// Collective among the threads of the warp.
/// fn mean(warp: &Warp, value: u32) -> u32 {
///     warp.reduce_add(value) / 32
/// }
/// ```
pub type Warp<'w> = Lanes<'w, FullWarp>;

/// Threads of a warp that make calls together: all ([`Warp`]), or those of a group.
///
/// Each call is collective among them: the threads of the group make the same sequence of calls on it.
///
/// ```
/// use ptx::warp::{Lanes, Members};
/// /// In any group: the whole warp, a tile of it, or what a vote has put together.
/// fn span<M: Members>(lanes: &Lanes<'_, M>, value: u32) -> u32 {
///     lanes.reduce_max(value) - lanes.reduce_min(value)
/// }
/// ```
#[derive(Debug)]
pub struct Lanes<'w, M> {
    members: M,
    /// Bound to its thread, and to the borrow of the CTA or the first warp.
    _group: PhantomData<(&'w (), *mut ())>,
}

static_assertions::const_assert_eq!(size_of::<Warp>(), 0);
static_assertions::assert_not_impl_any!(Warp: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Lanes<LaneSubset>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Lanes<LaneTile<16>>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(LaneSubset: Neighbours);

/// The threads of a group of [`Lanes`].
#[cfg_attr(doc, doc(hidden))]
pub trait Members: Sealed {
    /// The bits of the segment mask in a shuffle's operand `c`.
    #[doc(hidden)]
    const SEGMENT: u32;
    /// The group's width, if its lanes are neighbours.
    #[doc(hidden)]
    const WIDTH: Option<u32>;
    /// The `membermask`.
    #[doc(hidden)]
    fn mask(&self) -> u32;
}

/// Groups of neighbours: lanes are counted from the group's first.
#[diagnostic::on_unimplemented(
    message = "lanes are not neighbours in a group of the kind `{Self}`",
    label = "no lane above or below",
    note = "shuffle among the whole warp, or among `warp.tiles::<WIDTH>()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Neighbours: Members {}

/// [`Members`]: all threads of the warp.
///
/// ```
/// use ptx::warp::{FullWarp, Lanes};
/// /// The same as a `Warp`.
/// fn count(warp: &Lanes<'_, FullWarp>, mine: bool) -> u32 {
///     warp.ballot(mine).count()
/// }
/// ```
#[derive(Debug)]
pub struct FullWarp(());
/// [`Members`]: `WIDTH` neighbours.
///
/// ```
/// use ptx::warp::{Lanes, LaneTile};
/// /// The sum over eight neighbours.
/// fn sum(tile: &Lanes<'_, LaneTile<8>>, mut value: f32) -> f32 {
///     for lanes in [4, 2, 1] {
///         value += tile.shuffle_xor(value, lanes);
///     }
///     value
/// }
/// ```
#[derive(Debug)]
pub struct LaneTile<const WIDTH: u32>(u32);
/// [`Members`]: threads that a vote or a match has put together.
///
/// ```
/// use ptx::warp::{Lanes, LaneSubset};
/// /// The value of the group's lowest lane, in all of it.
/// fn first(group: &Lanes<'_, LaneSubset>, value: f32) -> f32 {
///     group.broadcast_first(value)
/// }
/// ```
#[derive(Debug)]
pub struct LaneSubset(u32);

impl Sealed for FullWarp {}
impl Members for FullWarp {
    const SEGMENT: u32 = 0;
    const WIDTH: Option<u32> = Some(32);
    #[inline(always)]
    fn mask(&self) -> u32 {
        u32::MAX
    }
}
impl Neighbours for FullWarp {}

impl<const WIDTH: u32> Sealed for LaneTile<WIDTH> {}
impl<const WIDTH: u32> Members for LaneTile<WIDTH> {
    const SEGMENT: u32 = (32 - WIDTH) << 8;
    const WIDTH: Option<u32> = Some(WIDTH);
    #[inline(always)]
    fn mask(&self) -> u32 {
        self.0
    }
}
impl<const WIDTH: u32> Neighbours for LaneTile<WIDTH> {}

impl Sealed for LaneSubset {}
impl Members for LaneSubset {
    const SEGMENT: u32 = 0;
    const WIDTH: Option<u32> = None;
    #[inline(always)]
    fn mask(&self) -> u32 {
        self.0
    }
}

/// 32 or 64 bits.
#[doc(hidden)]
pub trait WordBits: Copy + Sealed {
    /// # Safety
    ///
    /// That of `shfl.sync`.
    unsafe fn shfl<Mode: raw::ShflMode>(self, mode: Mode, b: u32, c: u32, membermask: u32) -> Self;
    /// # Safety
    ///
    /// That of `shfl.sync`.
    unsafe fn shfl_pred<Mode: raw::ShflMode>(
        self,
        mode: Mode,
        b: u32,
        c: u32,
        membermask: u32,
    ) -> (Self, bool);
    /// # Safety
    ///
    /// That of `match.any.sync`.
    unsafe fn match_any(self, membermask: u32) -> u32;
    /// # Safety
    ///
    /// That of `match.all.sync`.
    unsafe fn match_all(self, membermask: u32) -> (u32, bool);
}

impl WordBits for u32 {
    #[inline(always)]
    unsafe fn shfl<Mode: raw::ShflMode>(self, mode: Mode, b: u32, c: u32, membermask: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { raw::shfl_sync(mode, self, b, c, membermask) }
    }
    #[inline(always)]
    unsafe fn shfl_pred<Mode: raw::ShflMode>(
        self,
        mode: Mode,
        b: u32,
        c: u32,
        membermask: u32,
    ) -> (Self, bool) {
        // SAFETY: the caller's.
        unsafe { raw::shfl_sync_pred(mode, self, b, c, membermask) }
    }
    #[inline(always)]
    unsafe fn match_any(self, membermask: u32) -> u32 {
        // SAFETY: the caller's.
        unsafe { raw::match_any_sync(ty::B32, self, membermask) }
    }
    #[inline(always)]
    unsafe fn match_all(self, membermask: u32) -> (u32, bool) {
        // SAFETY: the caller's.
        unsafe { raw::match_all_sync_pred(ty::B32, self, membermask) }
    }
}

impl WordBits for u64 {
    #[inline(always)]
    unsafe fn shfl<Mode: raw::ShflMode>(self, mode: Mode, b: u32, c: u32, membermask: u32) -> Self {
        // SAFETY: the caller's, for each half.
        let (low, high) = unsafe {
            (
                raw::shfl_sync(mode, self as u32, b, c, membermask),
                raw::shfl_sync(mode, (self >> 32) as u32, b, c, membermask),
            )
        };
        u64::from(low) | u64::from(high) << 32
    }
    #[inline(always)]
    unsafe fn shfl_pred<Mode: raw::ShflMode>(
        self,
        mode: Mode,
        b: u32,
        c: u32,
        membermask: u32,
    ) -> (Self, bool) {
        // SAFETY: the caller's, for each half.
        let ((low, inside), high) = unsafe {
            (
                raw::shfl_sync_pred(mode, self as u32, b, c, membermask),
                raw::shfl_sync(mode, (self >> 32) as u32, b, c, membermask),
            )
        };
        (u64::from(low) | u64::from(high) << 32, inside)
    }
    #[inline(always)]
    unsafe fn match_any(self, membermask: u32) -> u32 {
        // SAFETY: the caller's.
        unsafe { raw::match_any_sync(ty::B64, self, membermask) }
    }
    #[inline(always)]
    unsafe fn match_all(self, membermask: u32) -> (u32, bool) {
        // SAFETY: the caller's.
        unsafe { raw::match_all_sync_pred(ty::B64, self, membermask) }
    }
}

/// What goes from lane to lane: a number of 32 or 64 bits, two shuffles then.
///
/// ```
/// use ptx::warp::{Warp, Word};
/// /// The next lane's value, of any such type; the last lane keeps its own.
/// fn next<T: Word>(warp: &Warp, value: T) -> T {
///     warp.shuffle_down(value, 1).unwrap_or(value)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not go from lane to lane",
    label = "not a number of 32 or 64 bits",
    note = "shuffles and matches take `u32`, `i32`, `f32`, `u64`, `i64` and `f64`: convert it, or take it apart"
)]
pub trait Word: Element {
    /// Its bits.
    #[doc(hidden)]
    type Bits: WordBits;
    /// As bits.
    #[doc(hidden)]
    fn into_bits(self) -> Self::Bits;
    /// From bits.
    #[doc(hidden)]
    fn of_bits(bits: Self::Bits) -> Self;
}

impl Word for u32 {
    type Bits = u32;
    #[inline(always)]
    fn into_bits(self) -> u32 {
        self
    }
    #[inline(always)]
    fn of_bits(bits: u32) -> Self {
        bits
    }
}
impl Word for i32 {
    type Bits = u32;
    #[inline(always)]
    fn into_bits(self) -> u32 {
        self.cast_unsigned()
    }
    #[inline(always)]
    fn of_bits(bits: u32) -> Self {
        bits.cast_signed()
    }
}
impl Word for f32 {
    type Bits = u32;
    #[inline(always)]
    fn into_bits(self) -> u32 {
        self.to_bits()
    }
    #[inline(always)]
    fn of_bits(bits: u32) -> Self {
        f32::from_bits(bits)
    }
}
impl Word for u64 {
    type Bits = u64;
    #[inline(always)]
    fn into_bits(self) -> u64 {
        self
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        bits
    }
}
impl Word for i64 {
    type Bits = u64;
    #[inline(always)]
    fn into_bits(self) -> u64 {
        self.cast_unsigned()
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        bits.cast_signed()
    }
}
impl Word for f64 {
    type Bits = u64;
    #[inline(always)]
    fn into_bits(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }
}

/// The threads of the warp that execute this together. They may be others in the next instruction, so it makes no group.
///
/// PTX: `activemask.b32 d;`
///
/// ```
/// # fn kernel() {
/// let how_many = ptx::warp::active_mask().count();
/// # }
/// ```
#[inline(always)]
pub fn active_mask() -> LaneMask {
    LaneMask::from_bits_retain(raw::activemask())
}

impl Cta {
    /// The thread's warp, whose threads make calls among themselves.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let sum: u32 = cta.warp().reduce_add(value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn warp(&self) -> Warp<'_> {
        Warp::new()
    }
}

impl FirstWarp<'_> {
    /// The warp, for votes, shuffles and reductions among its threads.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Fenced, Shared}};
    /// # fn kernel<'s>(cta: &mut Cta, bounds: Shared<'s, u32, 4, Fenced>, value: u32) -> Shared<'s, u32, 4, Fenced> {
    /// cta.invoke_warp(bounds, |warp, bounds| {
    ///     let lanes = warp.warp();
    ///     let (least, most) = (lanes.reduce_min(value), lanes.reduce_max(value));
    ///     bounds.into_free().write(warp, |i| if i == 0 { least } else { most }).to_async(warp)
    /// })
    /// # }
    /// ```
    #[inline(always)]
    pub fn warp(&self) -> Warp<'_> {
        Warp::new()
    }
}

impl<B> Warps<'_, B> {
    /// The thread's warp, for votes, shuffles and reductions among its threads.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Warps, pipeline::FullStage};
    /// # fn consume(warps: &Warps, tile: &FullStage<'_, [u32; 512], 4>) {
    /// let own = tile.get(warps.thread_rank() as usize).unwrap_or(0);
    /// let sum: u32 = warps.warp().reduce_add(own);
    /// # }
    /// ```
    #[inline(always)]
    pub fn warp(&self) -> Warp<'_> {
        Warp::new()
    }
}

impl<'w> Warp<'w> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Lanes { members: FullWarp(()), _group: PhantomData }
    }

    /// The group of `WIDTH` neighbours, 1, 2, 4, 8, 16 or 32, that this thread is in.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `mov.u32 lane, %laneid;` and the mask's arithmetic.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let quad = cta.warp().tiles::<4>();
    /// let (lane, sum) = (quad.rank(), quad.reduce_add(value));
    /// # }
    /// ```
    #[inline(always)]
    pub fn tiles<const WIDTH: u32>(&self) -> Lanes<'w, LaneTile<WIDTH>> {
        const {
            assert!(
                WIDTH.is_power_of_two() && WIDTH <= 32,
                "a tile of a warp is of 1, 2, 4, 8, 16 or 32 threads: a shuffle's segments are powers of two (PTX ISA 9.7.9.6)"
            )
        };
        let first = raw::laneid() & !(WIDTH - 1);
        Lanes { members: LaneTile((u32::MAX >> (32 - WIDTH)) << first), _group: PhantomData }
    }
}

/// Every instruction of this layer is given this mask. Its SAFETY, for all calls below: "The behavior … is undefined if the
/// executing thread is not in the membermask" (9.7.13.2, 9.7.13.9 to 9.7.13.14): a thread gets only groups with itself in
/// them. All threads of the mask that have not exited execute the same instruction with it: by the contract of `Cta::enter`.
impl<'w, M: Members> Lanes<'w, M> {
    /// The group's lanes.
    ///
    /// Not collective.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let lanes = cta.warp().partition_by(value).mask();
    /// # }
    /// ```
    #[inline(always)]
    pub fn mask(&self) -> LaneMask {
        LaneMask::from_bits_retain(self.members.mask())
    }

    /// The thread's lane in the warp, 0 to 31.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %laneid;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let even = cta.warp().lane() % 2 == 0;
    /// # }
    /// ```
    #[inline(always)]
    pub fn lane(&self) -> u32 {
        raw::laneid()
    }

    /// The thread's rank in the group, by lane.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %lanemask_lt;` `popc.b32`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let tile = cta.warp().tiles::<8>();
    /// let first = tile.rank() == 0;
    /// # }
    /// ```
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        (self.members.mask() & raw::lanemask_lt()).count_ones()
    }

    /// Waits for the threads of the group; what each wrote before is visible to them after.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `bar.warp.sync membermask;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// // … each thread writes …
    /// cta.warp().sync();
    /// // … and reads what the others wrote.
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync(&self) {
        // SAFETY: see the impl.
        unsafe { raw::bar_warp_sync(self.members.mask()) }
    }

    /// The lanes of the group where the predicate is true.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `vote.sync.ballot.b32 d, predicate, membermask;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let odd = cta.warp().ballot(value % 2 == 1);
    /// let how_many = odd.count();
    /// # }
    /// ```
    #[inline(always)]
    pub fn ballot(&self, predicate: bool) -> LaneMask {
        // SAFETY: see the impl.
        LaneMask::from_bits_retain(unsafe { raw::vote_sync_ballot(predicate, self.members.mask()) })
    }

    /// Whether the predicate is true in all threads of the group.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `vote.sync.all.pred d, predicate, membermask;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let done: bool = cta.warp().all(value == 0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn all(&self, predicate: bool) -> bool {
        // SAFETY: see the impl.
        unsafe { raw::vote_sync(mode::All, predicate, self.members.mask()) }
    }

    /// Whether the predicate is true in any thread of the group.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `vote.sync.any.pred d, predicate, membermask;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, mut step: impl FnMut() -> bool) {
    /// let warp = cta.warp();
    /// while warp.any(step()) {} // the answer is the same in all threads, so all leave together
    /// # }
    /// ```
    #[inline(always)]
    pub fn any(&self, predicate: bool) -> bool {
        // SAFETY: see the impl.
        unsafe { raw::vote_sync(mode::Any, predicate, self.members.mask()) }
    }

    /// Whether the predicate is the same in all threads of the group.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `vote.sync.uni.pred d, predicate, membermask;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let together: bool = cta.warp().uniform(value == 0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn uniform(&self, predicate: bool) -> bool {
        // SAFETY: see the impl.
        unsafe { raw::vote_sync(mode::Uni, predicate, self.members.mask()) }
    }

    /// The lanes of the group whose value has the same bits as this thread's.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `match.any.sync.b32 d, value, membermask;` (or `.b64`)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let how_many_like_me = cta.warp().match_any(value).count();
    /// # }
    /// ```
    #[inline(always)]
    pub fn match_any<T: Word>(&self, value: T) -> LaneMask {
        // SAFETY: see the impl.
        LaneMask::from_bits_retain(unsafe { value.into_bits().match_any(self.members.mask()) })
    }

    /// The lanes of the group, if the value has the same bits in all its threads, else `None`.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `match.all.sync.b32 d|p, value, membermask;` (or `.b64`)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let one_value = cta.warp().match_all(value).is_some();
    /// # }
    /// ```
    #[inline(always)]
    pub fn match_all<T: Word>(&self, value: T) -> Option<LaneMask> {
        // SAFETY: see the impl.
        let (mask, all) = unsafe { value.into_bits().match_all(self.members.mask()) };
        all.then_some(LaneMask::from_bits_retain(mask))
    }

    /// The group of the threads whose value has the same bits as this thread's.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `match.any.sync.b32 d, value, membermask;` (or `.b64`)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, key: u32, value: u32) {
    /// let same_key = cta.warp().partition_by(key);
    /// let sum = same_key.reduce_add(value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn partition_by<T: Word>(&self, value: T) -> Lanes<'w, LaneSubset> {
        // Its own value equals its own, so the thread is in the mask, and all in the mask get the same mask.
        Lanes { members: LaneSubset(self.match_any(value).bits()), _group: PhantomData }
    }

    /// The group of the threads where the predicate is true, for these; `None` for the others.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `vote.sync.ballot.b32 d, predicate, membermask;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// if let Some(large) = cta.warp().filter(value > 100) {
    ///     let (slot, greatest) = (large.rank(), large.reduce_max(value));
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn filter(&self, predicate: bool) -> Option<Lanes<'w, LaneSubset>> {
        // Of the threads in the mask each has a true predicate, and so gets the group.
        let mask = self.ballot(predicate).bits();
        predicate.then_some(Lanes { members: LaneSubset(mask), _group: PhantomData })
    }

    /// Calls `f` in one thread of the group, always the same, which alone gets what it returns.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `elect.sync d|p, membermask;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, mut count: impl FnMut(u32)) {
    /// let warp = cta.warp();
    /// let waiting = warp.ballot(true).count();
    /// warp.elect(|| count(waiting));
    /// # }
    /// ```
    #[inline(always)]
    pub fn elect<R>(&self, f: impl FnOnce() -> R) -> Option<R> {
        // SAFETY: see the impl.
        let (_, elected) = unsafe { raw::elect_sync(self.members.mask()) };
        if elected { Some(f()) } else { None }
    }

    /// Calls `f` in one thread of the group, always the same, and gives every thread what it returned.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `elect.sync d|p, membermask;` `shfl.sync.idx.b32 value, value, d, 0x1f, membermask;` (twice for 64 bits)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, mut take: impl FnMut() -> u32) {
    /// let ticket = cta.warp().elect_broadcast(|| take()); // one thread takes it, all have it
    /// # }
    /// ```
    #[inline(always)]
    pub fn elect_broadcast<T: Word + Default>(&self, f: impl FnOnce() -> T) -> T {
        // SAFETY: see the impl.
        let (leader, elected) = unsafe { raw::elect_sync(self.members.mask()) };
        let value = if elected { f() } else { T::default() };
        // SAFETY: see the impl; the leader is in the group.
        T::of_bits(unsafe { value.into_bits().shfl(mode::Idx, leader, 0x1f, self.members.mask()) })
    }

    /// The value of the thread of that lane, 0 to 31 (modulo 32), in a tile counted from the tile's first (modulo its
    /// width). It is unspecified if that thread is not in the group, or has exited.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `shfl.sync.idx.b32 d, value, lane, c, membermask;` (twice for 64 bits)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: f64) {
    /// let first: f64 = cta.warp().shuffle(value, 0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn shuffle<T: Word>(&self, value: T, lane: u32) -> T {
        let (c, mask) = (M::SEGMENT | 0x1f, self.members.mask());
        // SAFETY: see the impl; an unspecified value is one of `T`.
        T::of_bits(unsafe { value.into_bits().shfl(mode::Idx, lane, c, mask) })
    }

    /// The least value of the group, or of the absolute values ([`Abs`](crate::qualifier::abs::Abs)); -0.0 is below +0.0.
    /// NaN counts as nothing, or makes the result NaN ([`Propagate`](crate::qualifier::nan::Propagate)).
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `redux.sync.min{.abs}{.NaN}.f32 dst, value, membermask;`
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # fn kernel(cta: &ptx::launch::Cta, value: f32) {
    /// use ptx::qualifier::{abs, nan};
    /// let least = cta.warp().reduce_min_f32(abs::Signed, nan::Ignore, value);
    /// # }
    /// ```
    #[cfg(feature = "sm_100f")]
    #[inline(always)]
    pub fn reduce_min_f32(&self, abs: impl raw::ReduxAbs, nan: impl raw::ReduxNan, value: f32) -> f32 {
        // SAFETY: see the impl.
        unsafe { raw::redux_sync_f32(op::Min, abs, nan, value, self.members.mask()) }
    }

    /// The greatest value of the group; as [`reduce_min_f32`](Lanes::reduce_min_f32).
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `redux.sync.max{.abs}{.NaN}.f32 dst, value, membermask;`
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # fn kernel(cta: &ptx::launch::Cta, value: f32) {
    /// use ptx::qualifier::{abs, nan};
    /// let largest = cta.warp().reduce_max_f32(abs::Abs, nan::Propagate, value);
    /// # }
    /// ```
    #[cfg(feature = "sm_100f")]
    #[inline(always)]
    pub fn reduce_max_f32(&self, abs: impl raw::ReduxAbs, nan: impl raw::ReduxNan, value: f32) -> f32 {
        // SAFETY: see the impl.
        unsafe { raw::redux_sync_f32(op::Max, abs, nan, value, self.members.mask()) }
    }
}

impl<M: Members> Lanes<'_, M> {
    /// The value of the thread `delta` lanes below (0 to 31), or `None` where the group has none.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `shfl.sync.up.b32 d|p, value, delta, c, membermask;` (and once more for 64 bits)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let (warp, mut sum) = (cta.warp(), value); // becomes the sum of the values up to this lane
    /// for delta in [1, 2, 4, 8, 16] {
    ///     sum += warp.shuffle_up(sum, delta).unwrap_or(0);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn shuffle_up<T: Word>(&self, value: T, delta: u32) -> Option<T>
    where
        M: Neighbours,
    {
        let (c, mask) = (M::SEGMENT, self.members.mask());
        // SAFETY: see the impl above; inside the segment is inside the group.
        let (bits, inside) = unsafe { value.into_bits().shfl_pred(mode::Up, delta, c, mask) };
        if inside { Some(T::of_bits(bits)) } else { None }
    }

    /// The value of the thread `delta` lanes above (0 to 31), or `None` where the group has none. It is unspecified if that
    /// thread has exited.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `shfl.sync.down.b32 d|p, value, delta, c, membermask;` (and once more for 64 bits)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let next = cta.warp().shuffle_down(value, 1).unwrap_or(value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn shuffle_down<T: Word>(&self, value: T, delta: u32) -> Option<T>
    where
        M: Neighbours,
    {
        let (c, mask) = (M::SEGMENT | 0x1f, self.members.mask());
        // SAFETY: see the impl above; inside the segment is inside the group.
        let (bits, inside) = unsafe { value.into_bits().shfl_pred(mode::Down, delta, c, mask) };
        if inside { Some(T::of_bits(bits)) } else { None }
    }

    /// The value of the thread whose lane is this one's exclusive or `lanes`, or the thread's own where that is outside of
    /// the group. It is unspecified if that thread has exited.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `shfl.sync.bfly.b32 d, value, lanes, c, membermask;` (twice for 64 bits)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: f32) {
    /// let (warp, mut sum) = (cta.warp(), value); // becomes the sum over the warp
    /// for lanes in [16, 8, 4, 2, 1] {
    ///     sum += warp.shuffle_xor(sum, lanes);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn shuffle_xor<T: Word>(&self, value: T, lanes: u32) -> T
    where
        M: Neighbours,
    {
        let (c, mask) = (M::SEGMENT | 0x1f, self.members.mask());
        // SAFETY: see the impl above.
        T::of_bits(unsafe { value.into_bits().shfl(mode::Bfly, lanes, c, mask) })
    }
}

impl Lanes<'_, LaneSubset> {
    /// The value of the group's lowest lane.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `shfl.sync.idx.b32 d, value, lane, 0x1f, membermask;` (twice for 64 bits), `lane` being that of the mask's lowest
    /// bit.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let same = cta.warp().partition_by(value % 4);
    /// let first: u32 = same.broadcast_first(value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn broadcast_first<T: Word>(&self, value: T) -> T {
        // SAFETY: the thread is in its group.
        let mask = unsafe { NonZero::new_unchecked(self.members.0) };
        self.shuffle(value, mask.trailing_zeros())
    }
}
