//! Reductions and scans of a whole CTA, through a little shared memory: [`Partials`].
//!
//! Each warp reduces or scans its own values by `redux.sync` or shuffles (see [`Lanes`](crate::warp::Lanes)), one thread of it
//! stores what came out, and behind a barrier every thread has the rest from there. That is one barrier a call, and none between
//! two calls: they take the two halves of the memory by turns. (A thread that stores again into a half has passed the barrier of
//! the call between, at which every thread arrived after it had read that half.)
//!
//! A CTA may have any number of threads. If it is not a multiple of 32, the last warp lacks lanes, and each thread adds up the
//! warps' results one by one, instead of by lanes. With constants for the block's extents the compiler drops the other way.

use core::marker::PhantomData;

use crate::launch::Cta;
use crate::qualifier::op;
use crate::shared::Place;
use crate::warp::{BitReducible, Reducible, Word};

/// Warps of a CTA at most.
const WARPS: u32 = 32;

/// Shared memory for the results of a CTA's warps: what its reductions and scans of `T` need, 512 bytes for a `T` of 64 bits, else
/// 256.
///
/// All calls are collective for the CTA, and all threads get the result, the same bits in all of them.
///
/// ```
/// use ptx::launch::Cta;
/// use ptx::reduce::Partials;
/// ptx::shared_memory! { struct Smem { partials: Partials<f32> } }
/// # unsafe fn kernel(x: f32) {
/// // SAFETY: the kernel's first call.
/// let (cta, mut smem, _) = unsafe { Cta::enter::<Smem>() };
/// let greatest = smem.partials.reduce_max(&cta, x);
/// let weight = ptx::math::exp_ftz(x - greatest);
/// let share = weight * ptx::math::rcp_ftz(smem.partials.reduce_add(&cta, weight));
/// # }
/// ```
#[derive(Debug)]
pub struct Partials<T> {
    /// The half that the next call takes, and the other.
    now: u32,
    next: u32,
    _values: PhantomData<*mut T>,
}

static_assertions::assert_not_impl_any!(Partials<f32>: Copy, Clone, Send, Sync);

// SAFETY: two halves of `WARPS` values from `addr` on.
unsafe impl<T: Word> Place for Partials<T> {
    const SIZE: u32 = 2 * WARPS * size_of::<T>() as u32;
    const ALIGN: u32 = size_of::<T>() as u32;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        Partials { now: addr, next: addr + Self::SIZE / 2, _values: PhantomData }
    }
}

/// What the calls share. SAFETY, for the accesses below: the handle is the memory's only one, and every thread has its own, in the
/// same state, by the contract of `Cta::enter`. A slot is written by one thread before the barrier of a call, and read after it; it
/// is written again after the barrier of the next call, at which all threads arrive after they have read.
impl<T: Word> Partials<T> {
    #[inline(always)]
    fn slot(&self, warp: u32) -> u32 {
        self.now + warp * size_of::<T>() as u32
    }

    #[inline(always)]
    fn load(&self, warp: u32) -> T {
        // SAFETY: see the impl.
        unsafe { T::load(self.slot(warp)) }
    }

    /// One thread of each warp stores, and all wait.
    #[inline(always)]
    fn publish(&self, cta: &Cta, mine: bool, value: T) {
        if mine {
            // SAFETY: see the impl.
            unsafe { T::store(self.slot(cta.warp_rank()), value) };
        }
        cta.sync();
    }

    /// The next call takes the other half.
    #[inline(always)]
    fn turn(&mut self) {
        core::mem::swap(&mut self.now, &mut self.next);
    }

    /// What `f` makes of the results of all warps, which `value` is of this thread's.
    #[inline(always)]
    fn of_all(&mut self, cta: &Cta, value: T, f: impl Fn(T, T) -> T) -> T {
        let (warp, count) = (cta.warp(), cta.thread_count());
        self.publish(cta, warp.lane() == 0, value);
        let warps = count.div_ceil(32);
        let all = if count.is_multiple_of(32) && warps.is_power_of_two() {
            // Lanes from `warps` on begin again with the first, so every lane ends with all.
            warp.butterfly(self.load(warp.lane() & (warps - 1)), warps, f)
        } else {
            (1..warps).fold(self.load(0), |all, other| f(all, self.load(other)))
        };
        self.turn();
        all
    }

    /// The same where `redux` reduces a warp, as it has made `value`, and `more` is what changes no result: the lanes from the number of warps on have it.
    #[inline(always)]
    fn of_all_by_redux(
        &mut self,
        cta: &Cta,
        value: T,
        more: Option<T>,
        redux: impl Fn(T) -> T,
        f: impl Fn(T, T) -> T,
    ) -> T {
        let (warp, count) = (cta.warp(), cta.thread_count());
        self.publish(cta, warp.lane() == 0, value);
        let warps = count.div_ceil(32);
        let all = if count.is_multiple_of(32) {
            let value = match more {
                // It is in each slot that is no warp's, too: it lies in this half, and any bits are a value.
                Some(more) => {
                    let value = self.load(warp.lane());
                    if warp.lane() < warps { value } else { more }
                }
                // A value twice changes nothing.
                None => self.load(warp.lane().min(warps - 1)),
            };
            redux(value)
        } else {
            (1..warps).fold(self.load(0), |all, other| f(all, self.load(other)))
        };
        self.turn();
        all
    }

    /// By lane and by warp: what `f` makes of the values before this thread's warp, of those up to this thread in it, and of all.
    #[inline(always)]
    fn scan(&mut self, cta: &Cta, value: T, f: impl Fn(T, T) -> T) -> (Option<T>, T, T) {
        let (warp, count) = (cta.warp(), cta.thread_count());
        let upto = warp.inclusive_scan(value, &f);
        let last = warp.lane() == 31 || cta.thread_rank() == count - 1;
        self.publish(cta, last, upto);
        let (warps, rank) = (count.div_ceil(32), cta.warp_rank());
        let (before, all) = if count.is_multiple_of(32) {
            // Lanes from `warps` on have what no lane below them reads.
            let warps_upto = warp.scan_up(self.load(warp.lane().min(warps - 1)), warps, &f);
            let before = warp.shuffle(warps_upto, rank.wrapping_sub(1));
            (before, warp.shuffle(warps_upto, warps - 1))
        } else {
            let mut all = self.load(0);
            let mut before = all;
            for other in 1..warps {
                if other == rank {
                    before = all;
                }
                all = f(all, self.load(other));
            }
            (before, all)
        };
        self.turn();
        (if rank > 0 { Some(before) } else { None }, upto, all)
    }

    /// What `f` makes of the values of all threads. It is to be associative and commutative.
    ///
    /// `f` runs up to ten times in each thread, or up to 36 times in a CTA whose threads are no multiple of 32 or whose warps are no
    /// power of two; not equally often in each, so it makes no collective call.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::reduce`](crate::warp::Lanes::reduce), `st.weak.shared::cta`, `barrier.cta.sync.aligned 0;`,
    /// `ld.weak.shared::cta`, and a `shfl.sync.bfly` for each power of two below the number of warps.
    ///
    /// ```
    /// # use ptx::{launch::Cta, reduce::Partials};
    /// # fn kernel(cta: &Cta, partials: &mut Partials<f32>, value: f32) {
    /// let product = partials.reduce(cta, value, |a, b| a * b);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce(&mut self, cta: &Cta, value: T, f: impl Fn(T, T) -> T) -> T {
        let value = cta.warp().reduce(value, &f);
        self.of_all(cta, value, f)
    }

    /// What `f` makes of the values of the threads up to this one and with it, by rank, and what it makes of all. It is to be
    /// associative; the value of lower rank is its first argument.
    ///
    /// `f` runs up to eleven times in each thread, or up to 37 times in a CTA whose threads are no multiple of 32; not equally often
    /// in each, so it makes no collective call.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::inclusive_scan`](crate::warp::Lanes::inclusive_scan), `st.weak.shared::cta`, `barrier.cta.sync.aligned 0;`,
    /// `ld.weak.shared::cta`, a `shfl.sync.up` for each power of two below the number of warps, and two `shfl.sync.idx`.
    ///
    /// ```
    /// # use ptx::{launch::Cta, reduce::Partials};
    /// # fn kernel(cta: &Cta, partials: &mut Partials<u32>, value: u32) {
    /// let (highest_so_far, highest) = partials.inclusive_scan(cta, value, u32::max);
    /// # }
    /// ```
    #[inline(always)]
    pub fn inclusive_scan(&mut self, cta: &Cta, value: T, f: impl Fn(T, T) -> T) -> (T, T) {
        let (before, upto, all) = self.scan(cta, value, &f);
        (before.map_or(upto, |before| f(before, upto)), all)
    }

    /// What `f` makes of the values of the threads before this one, by rank, `None` in the first, and what it makes of all. Else as
    /// [`inclusive_scan`](Partials::inclusive_scan).
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`inclusive_scan`](Partials::inclusive_scan), and `shfl.sync.up.b32 d|p, value, 1, 0, membermask;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, reduce::Partials};
    /// # fn kernel(cta: &Cta, partials: &mut Partials<u32>, value: u32) {
    /// let (before, _) = partials.exclusive_scan(cta, value, u32::max);
    /// let rises = before.is_none_or(|before| value > before);
    /// # }
    /// ```
    #[inline(always)]
    pub fn exclusive_scan(&mut self, cta: &Cta, value: T, f: impl Fn(T, T) -> T) -> (Option<T>, T) {
        let (before, upto, all) = self.scan(cta, value, &f);
        let in_warp = cta.warp().below(upto);
        let both = match (before, in_warp) {
            (Some(before), Some(in_warp)) => Some(f(before, in_warp)),
            (before, in_warp) => before.or(in_warp),
        };
        (both, all)
    }
}

impl<T: Reducible> Partials<T> {
    /// The sum over the CTA: of integers modulo 2^32 or 2^64; of floats by pairs.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::reduce_add`](crate::warp::Lanes::reduce_add), `st.weak.shared::cta`, `barrier.cta.sync.aligned 0;`,
    /// `ld.weak.shared::cta`, and `redux.sync.add` for integers, for floats a `shfl.sync.bfly` for each power of two below the number
    /// of warps.
    ///
    /// ```
    /// # use ptx::{launch::Cta, reduce::Partials};
    /// # fn kernel(cta: &Cta, partials: &mut Partials<f32>, value: f32) {
    /// let sum = partials.reduce_add(cta, value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce_add(&mut self, cta: &Cta, value: T) -> T {
        let warp = cta.warp();
        match warp.redux_add(value) {
            Some(sum) => self.of_all_by_redux(cta, sum, Some(T::ZERO), |sum| warp.reduce_add(sum), T::plus),
            None => self.reduce(cta, value, T::plus),
        }
    }

    /// The least value of the CTA. Of floats, NaN counts as nothing, and -0.0 is below +0.0.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::reduce_min`](crate::warp::Lanes::reduce_min) twice, with `st.weak.shared::cta`, `barrier.cta.sync.aligned 0;` and
    /// `ld.weak.shared::cta` between.
    ///
    /// ```
    /// # use ptx::{launch::Cta, reduce::Partials};
    /// # fn kernel(cta: &Cta, partials: &mut Partials<i32>, value: i32) {
    /// let least = partials.reduce_min(cta, value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce_min(&mut self, cta: &Cta, value: T) -> T {
        let warp = cta.warp();
        self.of_all_by_redux(cta, warp.reduce_min(value), None, |least| warp.reduce_min(least), T::lesser)
    }

    /// The greatest value of the CTA; as [`reduce_min`](Partials::reduce_min).
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::reduce_max`](crate::warp::Lanes::reduce_max) twice, with `st.weak.shared::cta`, `barrier.cta.sync.aligned 0;` and
    /// `ld.weak.shared::cta` between.
    ///
    /// ```
    /// # use ptx::{launch::Cta, reduce::Partials};
    /// # fn kernel(cta: &Cta, partials: &mut Partials<f32>, value: f32) {
    /// let greatest = partials.reduce_max(cta, value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce_max(&mut self, cta: &Cta, value: T) -> T {
        let warp = cta.warp();
        self.of_all_by_redux(
            cta,
            warp.reduce_max(value),
            None,
            |greatest| warp.reduce_max(greatest),
            T::greater,
        )
    }

    /// The sum of the values of the threads up to this one and with it, by rank, and that of all: of integers modulo 2^32 or 2^64.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`inclusive_scan`](Partials::inclusive_scan).
    ///
    /// ```
    /// # use ptx::{launch::Cta, reduce::Partials};
    /// # fn kernel(cta: &Cta, partials: &mut Partials<u32>, length: u32) {
    /// let (end, total) = partials.inclusive_sum(cta, length);
    /// # }
    /// ```
    #[inline(always)]
    pub fn inclusive_sum(&mut self, cta: &Cta, value: T) -> (T, T) {
        let (before, upto, all) = self.scan(cta, value, T::plus);
        (before.unwrap_or(T::ZERO).plus(upto), all)
    }

    /// The sum of the values of the threads before this one, by rank, zero in the first, and that of all: of integers modulo 2^32 or
    /// 2^64.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: for integers as [`inclusive_scan`](Partials::inclusive_scan), for floats as [`exclusive_scan`](Partials::exclusive_scan).
    ///
    /// ```
    /// # use ptx::{launch::Cta, reduce::Partials};
    /// # fn kernel(cta: &Cta, partials: &mut Partials<u32>, keep: bool) {
    /// let (slot, how_many) = partials.exclusive_sum(cta, u32::from(keep));
    /// # }
    /// ```
    #[inline(always)]
    pub fn exclusive_sum(&mut self, cta: &Cta, value: T) -> (T, T) {
        let (before, upto, all) = self.scan(cta, value, T::plus);
        let in_warp = match upto.minus(value) {
            Some(in_warp) => in_warp,
            None => cta.warp().below(upto).unwrap_or(T::ZERO),
        };
        (before.unwrap_or(T::ZERO).plus(in_warp), all)
    }
}

macro_rules! bits {
    ($( $(#[doc = $doc:literal])* $name:ident $op:literal $Op:ident $operator:tt $more:expr, $example:literal; )*) => {
        impl<T: BitReducible> Partials<T> { $(
            $(#[doc = $doc])*
            ///
            /// Collective in the CTA.
            ///
            #[doc = concat!("PTX: `redux.sync", $op, ".b32` twice, with `st.weak.shared::cta`, `barrier.cta.sync.aligned 0;` and")]
            /// `ld.weak.shared::cta` between (four times for 64 bits).
            ///
            /// ```
            /// # use ptx::{launch::Cta, reduce::Partials};
            /// # fn kernel(cta: &Cta, partials: &mut Partials<u32>, value: u32) {
            #[doc = $example]
            /// # }
            /// ```
            #[inline(always)]
            pub fn $name(&mut self, cta: &Cta, value: T) -> T {
                // SAFETY: by the contract of `Cta::enter` all threads of the warp execute this.
                let redux = |value: T| unsafe { value.redux_bits(op::$Op, u32::MAX) };
                self.of_all_by_redux(cta, redux(value), $more, redux, |a, b| a $operator b)
            }
        )* }
    };
}
bits! {
    /// The bits that are set in all values of the CTA.
    reduce_and ".and" And & None, "let common = partials.reduce_and(cta, value);";
    /// The bits that are set in any value of the CTA.
    reduce_or ".or" Or | None, "let present = partials.reduce_or(cta, 1 << (value % 32));";
    /// The bits that are set in an odd number of values of the CTA.
    reduce_xor ".xor" Xor ^ Some(T::NONE), "let parity = partials.reduce_xor(cta, value);";
}
