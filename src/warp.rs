//! Warp-level primitives: votes, matches, reductions, scans, shuffles and elections among the lanes of a warp (`__ballot_sync`,
//! `__match_any_sync`, `__reduce_add_sync`, `__shfl_sync`; PTX ISA 9.7.13.2, 9.7.13.9 to 9.7.13.14, 9.7.9.6).
//!
//! [`Cta::warp`](crate::group::Cta::warp) returns the [`Warp`]. Its calls are collective: all threads of a warp make the same
//! sequence of calls. A part of the warp is [`Lanes`], which carry the `membermask` of their calls. A thread only gets
//! lanes that contain the thread itself:
//!
//! - [`tile`](Warp::tile): 1 to 32 neighboring lanes (`cg::tiled_partition`);
//! - [`tiles`](Warp::tiles): all such tiles of the warp, whose shuffles, reductions and scans the whole warp calls together;
//! - [`partition_by`](Lanes::partition_by): the lanes with the same value (`cg::labeled_partition`);
//! - [`filter`](Lanes::filter): the lanes where a predicate is true (`cg::binary_partition`).
//!
//! ```
//! # fn kernel(cta: &ptx::group::Cta, value: u32) {
//! let warp = cta.warp();
//! let mean = warp.reduce_add(value) / 32; // the same in all lanes
//! let largest_of_8 = warp.tile::<8>().reduce_max(value); // the same in all lanes of a tile
//! if let Some(odd) = warp.filter(value % 2 == 1) {
//!     let slot = odd.thread_rank(); // 0, 1, 2, … in the lanes whose value is odd
//! }
//! # }
//! ```
//!
//! A set of lanes ([`LaneMask`]), such as a ballot or [`active_mask`], is a value and cannot become `Lanes`. The result of
//! `activemask` can differ at the next instruction.
//!
//! If the number of threads of a CTA is not a multiple of 32, its last warp has lanes without a thread. Such a lane counts as
//! exited: no call waits for it, and a value read from it is unspecified.

use core::marker::PhantomData;

#[cfg(any(wgmma, tcgen05))]
use crate::group::Warpgroup;
use crate::group::{Cta, FirstWarp, Warps};
use crate::mark::{self, Split};
use crate::mask::LaneMask;
#[cfg(redux_f32)]
use crate::qualifier::op;
use crate::qualifier::{Sealed, mode, ty};
use crate::raw;
use crate::registers::unroll;
use crate::special_register;
pub use crate::words::ShuffleValue;
use crate::words::{pass_words, word, words};

mod reduce;

pub use reduce::{BitReducible, Reducible};

/// All threads of a warp (`cg::thread_block_tile<32>`). A `Warp` borrows the CTA, the [`FirstWarp`] or the [`Warps`]
/// that it comes from. A call that runs a closure in a part of those threads takes them by `&mut`, so the closure cannot use
/// their `Warp`.
#[doc(alias = "cg::thread_block_tile")]
pub type Warp<'w> = Lanes<'w, FullWarp>;

/// Lanes of one warp that call together: the whole warp ([`Warp`]), a tile, or the lanes that a vote or a match selected (`cg::thread_block_tile`, `cg::coalesced_group`).
///
/// Calls are collective among the lanes, unless they say otherwise: all of them make the same sequence of calls.
///
/// ```
/// use ptx::warp::{Lanes, Members};
/// /// Among any lanes: the whole warp, a tile, or the lanes that a vote selected.
/// fn span<M: Members>(lanes: &Lanes<'_, M>, value: u32) -> u32 {
///     lanes.reduce_max(value) - lanes.reduce_min(value)
/// }
/// ```
#[derive(Debug)]
pub struct Lanes<'w, M> {
    // Invariant: the mask contains the executing thread, and every thread of the mask holds `Lanes` with an equal mask. Threads whose
    // `Lanes` come from the same split hold masks of one division.
    members: M,
    // Ties the lanes to their thread (not `Send`), and to the borrow of the CTA, the first warp or the warps.
    _scope: PhantomData<(&'w (), *mut ())>,
}

// SAFETY: all lanes of the warp hold the handle.
unsafe impl mark::Group for Warp<'_> {
    const NUMBER: u32 = 1;
}

static_assertions::const_assert_eq!(size_of::<Warp>(), 0);
static_assertions::assert_not_impl_any!(LaneSubset: Neighbors);

/// The result of an instruction that all members execute, which is equal in them. The mark says so for whole warps. These functions
/// are none of the trait: safe code must not state what is equal.
#[inline(always)]
fn uniform<M: Segments, T: ShuffleValue>(result: T) -> T {
    match M::WIDTH {
        Some(32) => mark::uniform::<Warp<'_>, T>(result),
        _ => result,
    }
}

/// [`uniform`] for a condition.
#[inline(always)]
fn uniform_condition<M: Segments>(result: bool) -> bool {
    match M::WIDTH {
        Some(32) => mark::condition::<Warp<'_>>(result),
        _ => result,
    }
}

/// What all members read from one lane. The mark says so for whole warps, if the lane is equal in them and has a thread.
#[inline(always)]
fn of_lane<M: Segments>(result: u32, lane: u32) -> u32 {
    match M::WIDTH {
        Some(32) => mark::of_lane(result, lane, thread_count()),
        _ => result,
    }
}

/// Returns the number of threads of the CTA.
#[inline(always)]
fn thread_count() -> u32 {
    special_register::ntid_x() * special_register::ntid_y() * special_register::ntid_z()
}

/// How the lanes of a warp are divided for shuffles, reductions and scans: the [`Members`] of one group, or every tile of the warp.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of lanes",
    label = "not a type argument of `Lanes`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Segments: Sealed {
    /// The segment mask, bits 8 to 12 of operand `c` of a shuffle.
    #[doc(hidden)]
    const SEGMENT: u32;
    /// The number of lanes if they are neighbors.
    #[doc(hidden)]
    const WIDTH: Option<u32>;
    /// Whether `redux.sync` of `mask` combines the values of these lanes, and of no others.
    #[doc(hidden)]
    const REDUX: bool;
    /// The lanes that make the calls together, as the `membermask` of warp instructions.
    #[doc(hidden)]
    fn mask(&self) -> u32;
    /// [`mask`](Segments::mask), and the split that selected the lanes, if it takes more than the type and the thread's own lane to
    /// know them.
    #[doc(hidden)]
    #[inline(always)]
    fn selected(&self) -> (u32, Split) {
        (self.mask(), Split::NONE)
    }
    /// Of the lanes of `mask`, those whose values the calls combine: all, or the executing thread's tile.
    #[doc(hidden)]
    #[inline(always)]
    fn combined(&self) -> u32 {
        u32::MAX
    }
}

/// Which lanes [`Lanes`] contain: all that make their calls together.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is all tiles of a warp, which have no call of this kind",
    label = "not the lanes of one group",
    note = "`warp.tiles::<WIDTH>()` has shuffles, reductions and scans: vote, match and synchronize in the `warp`, or in the `warp.tile::<WIDTH>()` of the thread"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Members: Segments {}

/// Neighboring lanes, which have `shuffle_up`, `shuffle_down` and `shuffle_xor`. They are counted from the first of them.
#[diagnostic::on_unimplemented(
    message = "the lanes of a `{Self}` are not neighbors",
    label = "no lane above or below among these",
    note = "call `shuffle_up`, `shuffle_down`, `shuffle_xor` and the segmented calls on the whole warp or on `warp.tile::<WIDTH>()`; `shuffle` reads any lane of `Lanes` of any kind"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Neighbors: Segments {}

/// The type argument of [`Lanes`] for all lanes of the warp. [`Warp`] is `Lanes` of `FullWarp`.
#[derive(Debug)]
pub struct FullWarp(());
/// The type argument of [`Lanes`] for `WIDTH` neighboring lanes (`cg::thread_block_tile<WIDTH>`), from
/// [`tile`](Warp::tile).
#[derive(Debug)]
#[doc(alias = "cg::thread_block_tile")]
pub struct LaneTile<const WIDTH: u32>(u32);
/// The type argument of [`Lanes`] for all tiles of `WIDTH` neighboring lanes of a warp (CUB: `LOGICAL_WARP_THREADS`), from
/// [`tiles`](Warp::tiles).
#[derive(Debug)]
pub struct LaneTiles<const WIDTH: u32>(());
/// The type argument of [`Lanes`] for the lanes that a vote or a match selected (`cg::coalesced_group`), from
/// [`filter`](Lanes::filter) or [`partition_by`](Lanes::partition_by).
#[derive(Debug)]
#[doc(alias = "cg::coalesced_group")]
pub struct LaneSubset(u32, Split);

impl Sealed for FullWarp {}
impl Segments for FullWarp {
    const SEGMENT: u32 = 0;
    const WIDTH: Option<u32> = Some(32);
    const REDUX: bool = true;
    #[inline(always)]
    fn mask(&self) -> u32 {
        u32::MAX
    }
}
impl Members for FullWarp {}
impl Neighbors for FullWarp {}

impl<const WIDTH: u32> Sealed for LaneTile<WIDTH> {}
impl<const WIDTH: u32> Segments for LaneTile<WIDTH> {
    const SEGMENT: u32 = (32 - WIDTH) << 8;
    const WIDTH: Option<u32> = Some(WIDTH);
    const REDUX: bool = true;
    #[inline(always)]
    fn mask(&self) -> u32 {
        self.0
    }
}
impl<const WIDTH: u32> Members for LaneTile<WIDTH> {}
impl<const WIDTH: u32> Neighbors for LaneTile<WIDTH> {}

impl<const WIDTH: u32> Sealed for LaneTiles<WIDTH> {}
impl<const WIDTH: u32> Segments for LaneTiles<WIDTH> {
    const SEGMENT: u32 = (32 - WIDTH) << 8;
    const WIDTH: Option<u32> = Some(WIDTH);
    const REDUX: bool = WIDTH == 32;
    #[inline(always)]
    fn mask(&self) -> u32 {
        u32::MAX
    }
    #[inline(always)]
    fn combined(&self) -> u32 {
        tile_mask::<WIDTH>()
    }
}
impl<const WIDTH: u32> Neighbors for LaneTiles<WIDTH> {}

impl Sealed for LaneSubset {}
impl Segments for LaneSubset {
    const SEGMENT: u32 = 0;
    const WIDTH: Option<u32> = None;
    const REDUX: bool = true;
    #[inline(always)]
    fn mask(&self) -> u32 {
        self.0
    }
    #[inline(always)]
    fn selected(&self) -> (u32, Split) {
        (self.0, self.1)
    }
}
impl Members for LaneSubset {}

/// Asserts the width of a tile; public callers call this, so that the error names their line.
const fn check_width(width: u32) {
    assert!(
        width.is_power_of_two() && width <= 32,
        "a tile has 1, 2, 4, 8, 16 or 32 lanes, as a shuffle's segments do (PTX ISA 9.7.9.6): choose such a WIDTH"
    );
}

/// Returns the lanes of the executing thread's tile.
#[inline(always)]
fn tile_mask<const WIDTH: u32>() -> u32 {
    let all = u32::MAX >> (32 - WIDTH);
    if const { WIDTH == 32 } { all } else { all << (raw::laneid() & !(WIDTH - 1)) }
}

/// Passes a value between lanes (`shfl.sync`).
///
/// # Safety
///
/// The clauses of `raw::shfl_sync`.
#[inline(always)]
unsafe fn shfl<T: ShuffleValue>(value: T, mode: impl raw::ShflMode, b: u32, c: u32, membermask: u32) -> T {
    // SAFETY: the caller keeps the clauses of `shfl_sync` (`# Safety`), and all words have the same source lane.
    pass_words(value, |_, word| unsafe { raw::shfl_sync(mode, word, b, c, membermask) })
}

/// Passes a value between lanes, and returns whether the source lane is in range (`shfl.sync` with a predicate).
///
/// # Safety
///
/// The clauses of `raw::shfl_sync_pred`.
#[inline(always)]
unsafe fn shfl_pred<T: ShuffleValue>(
    value: T,
    mode: impl raw::ShflMode,
    b: u32,
    c: u32,
    membermask: u32,
) -> (T, bool) {
    let mut inside = false;
    // SAFETY: the caller keeps the clauses of `shfl_sync_pred` (`# Safety`), and all words have the same source lane.
    let passed = pass_words(value, |i, word| unsafe {
        if i > 0 {
            return raw::shfl_sync(mode, word, b, c, membermask);
        }
        let (word, is_inside) = raw::shfl_sync_pred(mode, word, b, c, membermask);
        inside = is_inside;
        word
    });
    (passed, inside)
}

/// Bits that one `match` compares.
enum MatchBits {
    Of32(u32),
    Of64(u64),
}

/// Calls `f` with each 64 bits of a value, and with what is left: at most 32 bits.
#[inline(always)]
fn each_bits<T: ShuffleValue>(value: T, mut f: impl FnMut(MatchBits)) {
    let mut both = |i: usize| {
        f(if 2 * i + 1 < const { words::<T>() } {
            MatchBits::Of64(u64::from(word(&value, 2 * i)) | u64::from(word(&value, 2 * i + 1)) << 32)
        } else {
            MatchBits::Of32(word(&value, 2 * i))
        });
    };
    both(0);
    if const { words::<T>() > 2 } {
        unroll::<7>(|i| {
            if 2 * (i + 1) < const { words::<T>() } {
                both(i + 1);
            }
        });
    }
}

/// Returns the lanes of the warp that are active at this instruction (`__activemask()`). The active lanes can differ at the next
/// instruction, so the mask makes no `Lanes`.
///
/// PTX: `activemask.b32 d;`
#[inline(always)]
#[doc(alias = "__activemask")]
pub fn active_mask() -> LaneMask {
    LaneMask::from_bits_retain(raw::activemask())
}

impl Cta {
    /// Returns the warp of the executing thread, for votes, shuffles and reductions among its threads.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    #[doc(alias = "cg::tiled_partition")]
    pub fn warp(&self) -> Warp<'_> {
        Warp::new()
    }
}

impl FirstWarp<'_> {
    /// Returns the CTA's first warp as lanes, for votes, shuffles and reductions among its threads.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{group::Cta, shared::{Fenced, Shared}};
    /// # fn kernel<'s>(cta: &mut Cta, bounds: Shared<'s, u32, 4, Fenced>, value: u32) -> Shared<'s, u32, 4, Fenced> {
    /// let bounds = cta.invoke_warp(bounds, |warp, bounds| {
    ///     let lanes = warp.warp();
    ///     let (least, most) = (lanes.reduce_min(value), lanes.reduce_max(value));
    ///     bounds.into_free().write(warp, |i| if i == 0 { least } else { most }).to_async().sync(warp)
    /// });
    /// bounds.sync(cta)
    /// # }
    /// ```
    #[inline(always)]
    pub fn warp(&self) -> Warp<'_> {
        Warp::new()
    }
}

#[cfg(any(wgmma, tcgen05))]
impl<const COUNT: u32> Warpgroup<'_, COUNT> {
    /// Returns the warp of the executing thread, for votes, shuffles and reductions among its threads.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::group::Warpgroup;
    /// /// The branch is the same in all threads of the warp.
    /// fn count<'p>(warpgroup: &Warpgroup<'p, 2>, is_odd: bool, rounds: &mut u32) {
    ///     if warpgroup.warp().any(is_odd) {
    ///         *rounds += 1;
    ///     }
    /// }
    /// ```
    #[inline(always)]
    pub fn warp(&self) -> Warp<'_> {
        Warp::new()
    }
}

impl<B> Warps<'_, B> {
    /// Returns the warp of the executing thread, for votes, shuffles and reductions among its threads.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn warp(&self) -> Warp<'_> {
        Warp::new()
    }
}

impl<'w> Warp<'w> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Lanes { members: FullWarp(()), _scope: PhantomData }
    }

    /// Returns the tile of the executing thread: `WIDTH` neighboring lanes, 1, 2, 4, 8, 16 or 32 (`cg::tiled_partition<WIDTH>`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `mov.u32 lane, %laneid;` and the arithmetic of the mask.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cg::tiled_partition")]
    pub fn tile<const WIDTH: u32>(&self) -> Lanes<'w, LaneTile<WIDTH>> {
        self.meet();
        const { check_width(WIDTH) };
        Lanes { members: LaneTile(tile_mask::<WIDTH>()), _scope: PhantomData }
    }

    /// Returns all tiles of `WIDTH` neighboring lanes, 1, 2, 4, 8, 16 or 32, for shuffles, reductions and scans that the whole warp
    /// calls together, each tile for itself (CUB: `WarpReduce` and `WarpScan` with `LOGICAL_WARP_THREADS`).
    ///
    /// Where no tile goes its own way, `tiles` needs fewer instructions than [`tile`](Warp::tile): the `membermask` is a constant.
    /// Where it is not, ptxas adds a `WARPSYNC`, and before several shuffles a `MATCH` and a second copy of them.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::Global, group::Cta};
    /// # fn kernel(cta: &Cta, row: Global<f32>) {
    /// // Eight lanes for a row: each of the warp's four sums, in all lanes of its tile.
    /// let warp = cta.warp();
    /// let value = row.get(warp.lane() as usize).unwrap_or(0.0);
    /// let sum = warp.tiles::<8>().reduce_add(value);
    /// # }
    /// ```
    #[inline(always)]
    #[doc(alias = "LOGICAL_WARP_THREADS")]
    pub fn tiles<const WIDTH: u32>(&self) -> Lanes<'w, LaneTiles<WIDTH>> {
        const { check_width(WIDTH) };
        Lanes { members: LaneTiles(()), _scope: PhantomData }
    }
}

// SAFETY of the instructions of this `impl`, two clauses. (a) "The behavior … is undefined if the executing thread is not in the
// membermask" (9.7.13.2, 9.7.13.9 to 9.7.13.14): the mask contains the thread (invariant of `Lanes::members`). (b) All threads of
// the mask that have not exited execute the same instruction: the calls are collective (`# Safety` of `Cta::enter`).
impl<M: Segments> Lanes<'_, M> {
    /// States that all of the lanes make the caller's call, as `meet!` does, and returns their mask.
    #[inline(always)]
    #[cfg_attr(feature = "checked", track_caller)]
    pub(crate) fn meet(&self) -> u32 {
        let (mask, split) = self.members.selected();
        mark::meet_lanes(split);
        #[cfg(feature = "checked")]
        crate::checked::meet_in_warp(mask);
        mask
    }

    /// Returns the thread's lane in the warp, 0 to 31 (`%laneid`).
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %laneid;`
    #[inline(always)]
    pub fn lane(&self) -> u32 {
        raw::laneid()
    }

    /// Returns the thread's rank among the lanes (`thread_rank()` of cooperative groups): the number of them below the
    /// thread's lane. In a tile it counts from the tile's first lane.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %laneid;` and in a tile `and.b32`; of lanes that need not be neighbors `mov.u32 d, %lanemask_lt;` `popc.b32`
    #[inline(always)]
    pub fn thread_rank(&self) -> u32 {
        match M::WIDTH {
            Some(32) => raw::laneid(),
            Some(width) => raw::laneid() & (width - 1),
            None => (self.members.mask() & raw::lanemask_lt()).count_ones(),
        }
    }

    /// Returns the `value` of the lane with the number `lane`, 0 to 31; larger numbers are taken modulo 32 (`__shfl_sync`). In a
    /// tile, `lane` counts from the tile's first lane and is taken modulo the tile's width. The result is unspecified if that
    /// lane is not among these or has exited.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `shfl.sync.idx.b32 d, value, lane, c, membermask;` (once for each 32 bits)
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__shfl_sync")]
    pub fn shuffle<T: ShuffleValue>(&self, value: T, lane: u32) -> T {
        const { words::<T>() };
        let mask = self.meet();
        let c = M::SEGMENT | 0x1f;
        pass_words(value, |_, word| {
            // SAFETY: (a) and (b) of this `impl`; another lane gives unspecified bits, which are a valid `T`.
            of_lane::<M>(unsafe { raw::shfl_sync(mode::Idx, word, lane, c, mask) }, lane)
        })
    }
}

// SAFETY of the instructions of this `impl`: (a) and (b) above.
impl<'w, M: Segments> Lanes<'w, M> {
    /// Returns the lanes as a bit mask, the `membermask` of their warp instructions.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn mask(&self) -> LaneMask
    where
        M: Members,
    {
        LaneMask::from_bits_retain(self.members.mask())
    }

    /// Waits for all of the lanes (`__syncwarp()`). Each one's earlier writes are visible to all of them afterwards.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `bar.warp.sync membermask;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__syncwarp")]
    pub fn sync(&self)
    where
        M: Members,
    {
        let mask = self.meet();
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        unsafe { raw::bar_warp_sync(mask) }
    }

    /// Returns the lanes where `predicate` is true (`__ballot_sync`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `vote.sync.ballot.b32 d, predicate, membermask;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__ballot_sync")]
    pub fn ballot(&self, predicate: bool) -> LaneMask
    where
        M: Members,
    {
        let mask = self.meet();
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        let votes = unsafe { raw::vote_sync_ballot(predicate, mask) };
        LaneMask::from_bits_retain(uniform::<M, _>(votes))
    }

    /// Returns whether `predicate` is true in all of the lanes (`__all_sync`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `vote.sync.all.pred d, predicate, membermask;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__all_sync")]
    pub fn all(&self, predicate: bool) -> bool
    where
        M: Members,
    {
        let mask = self.meet();
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        uniform_condition::<M>(unsafe { raw::vote_sync(mode::All, predicate, mask) })
    }

    /// Returns whether `predicate` is true in at least one of the lanes (`__any_sync`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `vote.sync.any.pred d, predicate, membermask;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::group::Cta, mut step: impl FnMut() -> bool) {
    /// let warp = cta.warp();
    /// while warp.any(step()) {} // the result is the same in all threads: they leave the loop together
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__any_sync")]
    pub fn any(&self, predicate: bool) -> bool
    where
        M: Members,
    {
        let mask = self.meet();
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        uniform_condition::<M>(unsafe { raw::vote_sync(mode::Any, predicate, mask) })
    }

    /// Returns whether `predicate` is the same in all of the lanes (`vote.sync.uni`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `vote.sync.uni.pred d, predicate, membermask;`
    #[inline(always)]
    #[track_caller]
    pub fn uniform(&self, predicate: bool) -> bool
    where
        M: Members,
    {
        let mask = self.meet();
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        uniform_condition::<M>(unsafe { raw::vote_sync(mode::Uni, predicate, mask) })
    }

    /// Returns the lanes whose value has the same bits as the executing thread's (`__match_any_sync`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `match.any.sync.b32 d, value, membermask;`, or `.b64` for each 64 bits
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__match_any_sync")]
    pub fn match_any<T: ShuffleValue>(&self, value: T) -> LaneMask
    where
        M: Members,
    {
        const { words::<T>() };
        let mask = self.meet();
        let mut lanes = u32::MAX;
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        each_bits(value, |bits| unsafe {
            lanes &= match bits {
                MatchBits::Of32(bits) => raw::match_any_sync(ty::B32, bits, mask),
                MatchBits::Of64(bits) => raw::match_any_sync(ty::B64, bits, mask),
            };
        });
        LaneMask::from_bits_retain(lanes)
    }

    /// Returns the lanes if the value has the same bits in all of them, else `None`
    /// (`__match_all_sync`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `match.all.sync.b32 d|p, value, membermask;`, or `.b64` for each 64 bits
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__match_all_sync")]
    pub fn match_all<T: ShuffleValue>(&self, value: T) -> Option<LaneMask>
    where
        M: Members,
    {
        const { words::<T>() };
        let mask = self.meet();
        let (mut lanes, mut all) = (0, true);
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        each_bits(value, |bits| unsafe {
            let (same, are_same) = match bits {
                MatchBits::Of32(bits) => raw::match_all_sync_pred(ty::B32, bits, mask),
                MatchBits::Of64(bits) => raw::match_all_sync_pred(ty::B64, bits, mask),
            };
            lanes = same;
            all &= are_same;
        });
        let lanes = LaneMask::from_bits_retain(uniform::<M, _>(lanes));
        if uniform_condition::<M>(all) { Some(lanes) } else { None }
    }

    /// Divides the lanes by value: returns those whose value has the same bits as the executing thread's
    /// (`cg::labeled_partition`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `match.any.sync.b32 d, value, membermask;`, or `.b64` for each 64 bits
    ///
    /// ```
    /// # fn kernel(cta: &ptx::group::Cta, key: u32, value: u32) {
    /// let same_key = cta.warp().partition_by(key);
    /// let sum = same_key.reduce_add(value); // the sum of the values with this thread's key
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cg::labeled_partition")]
    pub fn partition_by<T: ShuffleValue>(&self, value: T) -> Lanes<'w, LaneSubset>
    where
        M: Members,
    {
        // Keeps the invariant of `members`: a value matches itself, and all lanes of a match get the same mask.
        let mask = self.match_any(value).bits();
        Lanes { members: LaneSubset(mask, self.members.selected().1.divided()), _scope: PhantomData }
    }

    /// Returns the lanes where `predicate` is true; `None` in those where `predicate` is false
    /// (`cg::binary_partition`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `vote.sync.ballot.b32 d, predicate, membermask;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cg::binary_partition")]
    pub fn filter(&self, predicate: bool) -> Option<Lanes<'w, LaneSubset>>
    where
        M: Members,
    {
        // Keeps the invariant of `members`: exactly the threads of the mask have a true predicate and get the lanes.
        let mask = self.ballot(predicate).bits();
        // All members have the same predicate.
        let split = self.members.selected().1.divided();
        split.role(predicate).then_some(Lanes { members: LaneSubset(mask, split), _scope: PhantomData })
    }

    /// Calls `f` in one of the lanes and returns its result there; returns `None` in the others (`cg::invoke_one`).
    ///
    /// The elected thread is the same in every call on equal lanes.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `elect.sync d|p, membermask;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cg::invoke_one", "cute::elect_one_sync"))]
    pub fn invoke_elected<R>(&self, f: impl FnOnce() -> R) -> Option<R>
    where
        M: Members,
    {
        let mask = self.meet();
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        let (_, elected) = unsafe { raw::elect_sync(mask) };
        if elected { Some(f()) } else { None }
    }

    /// Returns the minimum of the lanes' `f32` values, or with [`Abs`](crate::qualifier::abs::Abs) of their absolute values
    /// (`redux.sync.min.f32`). -0.0 is below +0.0. NaN is ignored unless all values are NaN; with
    /// [`Propagate`](crate::qualifier::nan::Propagate), any NaN makes the result NaN.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `redux.sync.min{.abs}{.NaN}.f32 dst, value, membermask;`
    ///
    /// ```
    /// # #[cfg(feature = "sm_100a")]
    /// # fn kernel(cta: &ptx::group::Cta, value: f32) {
    /// use ptx::qualifier::{abs, nan};
    /// let least = cta.warp().reduce_min_f32(abs::Signed, nan::Ignore, value);
    /// # }
    /// ```
    #[cfg(feature = "sm_100f")]
    #[inline(always)]
    #[track_caller]
    pub fn reduce_min_f32(&self, abs: impl raw::ReduxAbs, nan: impl raw::ReduxNan, value: f32) -> f32
    where
        M: Members,
    {
        let mask = self.meet();
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        unsafe { raw::redux_sync_f32(op::Min, abs, nan, value, mask) }
    }

    /// Returns the maximum of the lanes' `f32` values (`redux.sync.max.f32`), with the qualifiers of
    /// [`reduce_min_f32`](Lanes::reduce_min_f32).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `redux.sync.max{.abs}{.NaN}.f32 dst, value, membermask;`
    #[cfg(feature = "sm_100f")]
    #[inline(always)]
    #[track_caller]
    pub fn reduce_max_f32(&self, abs: impl raw::ReduxAbs, nan: impl raw::ReduxNan, value: f32) -> f32
    where
        M: Members,
    {
        let mask = self.meet();
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        unsafe { raw::redux_sync_f32(op::Max, abs, nan, value, mask) }
    }
}

impl<M: Segments> Lanes<'_, M> {
    /// Returns the value of the lane `delta` lanes below, `delta` being 0 to 31; `None` if there is no such lane among these
    /// (`__shfl_up_sync`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `shfl.sync.up.b32 d|p, value, delta, c, membermask;` (and `shfl.sync` without `p` for each further 32 bits)
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__shfl_up_sync")]
    pub fn shuffle_up<T: ShuffleValue>(&self, value: T, delta: u32) -> Option<T>
    where
        M: Neighbors,
    {
        const { words::<T>() };
        let mask = self.meet();
        let c = M::SEGMENT;
        // SAFETY: (a) and (b) of the `impl` above; outside of the segment, which is the lanes, the result is `None`.
        let (value, inside) = unsafe { shfl_pred(value, mode::Up, delta, c, mask) };
        if inside { Some(value) } else { None }
    }

    /// Returns the value of the lane `delta` lanes above, `delta` being 0 to 31; `None` if there is no such lane among these
    /// (`__shfl_down_sync`). The value is unspecified if that lane has exited.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `shfl.sync.down.b32 d|p, value, delta, c, membermask;` (and `shfl.sync` without `p` for each further 32 bits)
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__shfl_down_sync")]
    pub fn shuffle_down<T: ShuffleValue>(&self, value: T, delta: u32) -> Option<T>
    where
        M: Neighbors,
    {
        const { words::<T>() };
        let mask = self.meet();
        let c = M::SEGMENT | 0x1f;
        // SAFETY: (a) and (b) of the `impl` above; outside of the segment, which is the lanes, the result is `None`.
        let (value, inside) = unsafe { shfl_pred(value, mode::Down, delta, c, mask) };
        if inside { Some(value) } else { None }
    }

    /// Returns the value of the lane whose number is the thread's own lane XOR `lanes` (`__shfl_xor_sync`). The value is
    /// unspecified if that lane is not among these or has exited.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `shfl.sync.bfly.b32 d, value, lanes, c, membermask;` (once for each 32 bits)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::group::Cta, value: f32) {
    /// let (warp, mut sum) = (cta.warp(), value);
    /// for lanes in [16, 8, 4, 2, 1] {
    ///     sum += warp.shuffle_xor(sum, lanes);
    /// }
    /// // `sum` is the sum over the warp, the same in all lanes.
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__shfl_xor_sync")]
    pub fn shuffle_xor<T: ShuffleValue>(&self, value: T, lanes: u32) -> T
    where
        M: Neighbors,
    {
        const { words::<T>() };
        let mask = self.meet();
        let c = M::SEGMENT | 0x1f;
        // SAFETY: (a) and (b) of the `impl` above; another lane gives unspecified bits, which are a valid `T`.
        unsafe { shfl(value, mode::Bfly, lanes, c, mask) }
    }
}

handles! { Warp, Lanes<LaneSubset>, Lanes<LaneTile<16>>, Lanes<LaneTiles<16>> }
