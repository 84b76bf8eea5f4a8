//! Block-wide reductions, scans and broadcasts, as CUB's `BlockReduce` and `BlockScan`: [`ReduceMemory`].
//!
//! Each warp reduces or scans its own values by `redux.sync` or shuffles (see [`Lanes`](crate::warp::Lanes)). One thread of the
//! warp stores the warp's result in shared memory. After a barrier every thread loads the results of all warps and combines
//! them.
//!
//! A call has one barrier (`__syncthreads()`), and no barrier is needed between two calls: the calls alternate between two halves
//! of the memory. (A thread that stores into a half again has passed the barrier of the call in between. Every thread arrives at
//! that barrier after its loads from the half.)
//!
//! A CTA (thread block) may have any number of threads. If the number is not a multiple of 32, the last warp lacks lanes, and
//! each thread combines the warps' results one by one. If the block's extents are constants, the compiler drops the unused
//! variant.

use core::marker::PhantomData;

use crate::group::Cta;
use crate::mark::{hold, uniform};
use crate::qualifier::op;
use crate::raw;
use crate::shared::{Element, Place};
use crate::warp::{BitReducible, Reducible, ShuffleValue};

/// The most warps a CTA has.
const WARPS: u32 = 32;

/// Shared memory for block-wide reductions, scans and broadcasts of `T`, as CUB's `TempStorage`: two slots for the result of each warp.
///
/// A `ReduceMemory` has 64 times the bytes of a `T`. All calls are collective in the CTA. Where a result is that of
/// the whole CTA, all threads get the same bits.
///
/// ```
/// use ptx::group::Cta;
/// use ptx::reduce::ReduceMemory;
/// ptx::shared_memory! { struct Smem { partials: ReduceMemory<f32> } }
/// # unsafe fn kernel(x: f32) {
/// // SAFETY: the kernel's first call.
/// let (cta, mut smem, _) = unsafe { Cta::enter::<Smem>() };
/// let greatest = smem.partials.reduce_max(&cta, x);
/// let weight = ptx::math::exp_ftz(x - greatest);
/// let share = weight * ptx::math::rcp_ftz(smem.partials.reduce_add(&cta, weight));
/// # }
/// ```
#[derive(Debug)]
pub struct ReduceMemory<T> {
    /// The address of the half that the next call takes; `next` is the address of the other half.
    now: u32,
    next: u32,
    _values: PhantomData<*mut T>,
}

// SAFETY: the handle accesses `2 * WARPS` values from `addr` on, which are `SIZE` bytes.
unsafe impl<T: ShuffleValue + Element> Place for ReduceMemory<T> {
    const SIZE: u32 = 2 * WARPS * size_of::<T>() as u32;
    const ALIGN: u32 = size_of::<T>() as u32;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        ReduceMemory { now: addr, next: addr + Self::SIZE / 2, _values: PhantomData }
    }
}

/// The steps that the calls share. Their accesses do not race:
///
/// - by the contract of `Cta::enter` this handle is the only one of the memory, and all threads have it in the same state;
/// - a slot is written by one thread before the barrier of a call, and read after that barrier;
/// - the slot is written again after the barrier of the next call, at which every thread arrives after its loads.
impl<T: ShuffleValue + Element> ReduceMemory<T> {
    #[inline(always)]
    fn slot(&self, warp: u32) -> u32 {
        self.now + warp * size_of::<T>() as u32
    }

    #[inline(always)]
    fn load(&self, warp: u32) -> T {
        // SAFETY: `warp` is below `WARPS`; no thread writes this half between the barrier of the call and the next call's (see
        // the impl).
        unsafe { T::load(self.slot(warp)) }
    }

    /// Stores the value of one thread of each warp (`mine`), then waits for all threads.
    #[inline(always)]
    #[track_caller]
    fn publish(&self, cta: &Cta, mine: bool, value: T) {
        if mine {
            // SAFETY: one thread of each warp stores, in the slot of its warp, and no thread reads this half before the barrier
            // (see the impl).
            unsafe { T::store(self.slot(cta.warp_rank()), value) };
        }
        hold::<Cta>(self.now);
        cta.sync();
    }

    /// Gives the other half to the next call.
    #[inline(always)]
    fn turn(&mut self) {
        core::mem::swap(&mut self.now, &mut self.next);
    }

    /// Combines the results of all warps with `f`; `value` is the result of this thread's warp.
    #[inline(always)]
    #[track_caller]
    fn of_all(&mut self, cta: &Cta, value: T, f: impl Fn(T, T) -> T) -> T {
        let (warp, count) = (cta.warp(), cta.thread_count());
        self.publish(cta, warp.lane() == 0, value);
        let warps = count.div_ceil(32);
        let all = if count.is_multiple_of(32) && warps.is_power_of_two() {
            // Lane `i` holds the result of warp `i % warps`: after a butterfly over `warps` neighbors every lane holds the
            // total.
            warp.butterfly(self.load(warp.lane() & (warps - 1)), warps, f)
        } else {
            (1..warps).fold(self.load(0), |all, other| f(all, self.load(other)))
        };
        self.turn();
        all
    }

    /// Does the same as `of_all` where `value` comes from `redux`, by a second `redux` over the warps' results. `more` is the
    /// neutral value for the lanes beyond the number of warps; `None` if a repeated value does not change the result.
    #[inline(always)]
    #[track_caller]
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
                // Every lane loads, also from slots without a warp: those slots lie in this half, and any bits are a value.
                Some(more) => {
                    let value = self.load(warp.lane());
                    if warp.lane() < warps { value } else { more }
                }
                // Lanes beyond the number of warps repeat the value of the last warp.
                None => self.load(warp.lane().min(warps - 1)),
            };
            redux(value)
        } else {
            (1..warps).fold(self.load(0), |all, other| f(all, self.load(other)))
        };
        self.turn();
        all
    }

    /// Scans by lane and by warp. Gives the combined values of the warps before this thread's warp, those of this warp up to and
    /// including this thread, and those of all threads.
    #[inline(always)]
    #[track_caller]
    fn scan(&mut self, cta: &Cta, value: T, f: impl Fn(T, T) -> T) -> (Option<T>, T, T) {
        let (warp, count) = (cta.warp(), cta.thread_count());
        let upto = warp.inclusive_scan(value, &f);
        let last = warp.lane() == 31 || cta.thread_rank() == count - 1;
        self.publish(cta, last, upto);
        let (warps, rank) = (count.div_ceil(32), cta.warp_rank());
        let (before, all) = if count.is_multiple_of(32) {
            // Lanes from `warps` on load a repeated value, which no lower lane reads.
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

    /// Returns to every thread the value that the leader passes, the thread of rank 0 (`cg::invoke_one_broadcast`). The result is
    /// the same in all threads, so it may decide which collective calls follow.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `st.weak.shared::cta` by the leader, `barrier.cta.sync.aligned 0;`, `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, group::Cta, qualifier::{scope, sem}, reduce::ReduceMemory};
    /// # fn kernel(cta: &Cta, counter: GlobalAtomics<u32, scope::Gpu>, tickets: &mut ReduceMemory<u32>, work: impl Fn(&Cta, u32)) {
    /// // The CTAs of the grid take numbers until there is no work left.
    /// loop {
    ///     let mine = counter.get(0).filter(|_| cta.is_leader()).map_or(0, |counter| counter.fetch_add(1, sem::Relaxed));
    ///     let ticket = tickets.broadcast(cta, mine);
    ///     if ticket >= 1000 {
    ///         break;
    ///     }
    ///     work(cta, ticket); // may make collective calls: all threads have the same ticket
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cg::invoke_one_broadcast")]
    pub fn broadcast(&mut self, cta: &Cta, value: T) -> T {
        self.broadcast_if(cta, cta.is_leader(), value)
    }

    /// [`broadcast`](ReduceMemory::broadcast) by a caller that knows who leads.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn broadcast_if(&mut self, cta: &Cta, is_leader: bool, value: T) -> T {
        if is_leader {
            // SAFETY: one thread stores, and no thread reads this half before the barrier (see the impl).
            unsafe { T::store(self.slot(0), value) };
        }
        hold::<Cta>(self.now);
        cta.sync();
        let of_leader = uniform::<Cta, T>(self.load(0));
        self.turn();
        of_leader
    }

    /// Combines with `f` the values that the threads of the CTA pass, and returns the result to every thread (CUB:
    /// `BlockReduce::Reduce`). `f` is associative and commutative.
    ///
    /// `f` runs up to ten times in each thread; up to 36 times if the number of threads is not a multiple of 32, or the
    /// number of warps is not a power of two. The count differs between threads, so `f` makes no collective call.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::reduce`](crate::warp::Lanes::reduce), `st.weak.shared::cta`, `barrier.cta.sync.aligned 0;`,
    /// `ld.weak.shared::cta`, and a `shfl.sync.bfly` for each power of two below the number of warps.
    #[inline(always)]
    #[track_caller]
    pub fn reduce(&mut self, cta: &Cta, value: T, f: impl Fn(T, T) -> T) -> T {
        let value = cta.warp().reduce(value, &f);
        self.of_all(cta, value, f)
    }

    /// Combines with `f`, in order of rank, the values of the threads up to and including this thread; also returns the
    /// combination of all threads (CUB: `BlockScan::InclusiveScan`).
    ///
    /// `f` is associative; its first argument is the value of lower rank. `f` runs up to eleven times in each thread; up to 37
    /// times if the number of threads is not a multiple of 32. The count differs between threads, so `f` makes no collective
    /// call.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::inclusive_scan`](crate::warp::Lanes::inclusive_scan), `st.weak.shared::cta`,
    /// `barrier.cta.sync.aligned 0;`, `ld.weak.shared::cta`, a `shfl.sync.up` for each power of two below the number of warps,
    /// and two `shfl.sync.idx`.
    #[inline(always)]
    #[track_caller]
    pub fn inclusive_scan(&mut self, cta: &Cta, value: T, f: impl Fn(T, T) -> T) -> (T, T) {
        let (before, upto, all) = self.scan(cta, value, &f);
        (before.map_or(upto, |before| f(before, upto)), all)
    }

    /// Combines with `f`, in order of rank, the values of the threads before this thread, `None` in the thread of rank 0; also
    /// returns the combination of all threads (CUB: `BlockScan::ExclusiveScan`).
    ///
    /// The rules for `f` are those of [`inclusive_scan`](ReduceMemory::inclusive_scan).
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`inclusive_scan`](ReduceMemory::inclusive_scan), and `shfl.sync.up.b32 d|p, value, 1, 0, membermask;`
    ///
    /// ```
    /// # use ptx::{group::Cta, reduce::ReduceMemory};
    /// # fn kernel(cta: &Cta, partials: &mut ReduceMemory<u32>, value: u32) {
    /// let (before, _) = partials.exclusive_scan(cta, value, u32::max);
    /// let rises = before.is_none_or(|before| value > before);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
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

impl<T: Reducible> ReduceMemory<T> {
    /// Returns to every thread the sum of the values that the threads of the CTA pass (CUB: `BlockReduce::Sum`). Integers are
    /// added modulo 2^32 or 2^64, floats pair by pair.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::reduce_add`](crate::warp::Lanes::reduce_add), `st.weak.shared::cta`, `barrier.cta.sync.aligned 0;`,
    /// `ld.weak.shared::cta`, and `redux.sync.add` for integers, for floats a `shfl.sync.bfly` for each power of two below the
    /// number of warps.
    #[inline(always)]
    #[track_caller]
    pub fn reduce_add(&mut self, cta: &Cta, value: T) -> T {
        meet!(cta);
        let warp = cta.warp();
        match warp.redux_add(value) {
            Some(sum) => {
                let redux = |sum| warp.redux_add(sum).unwrap_or(sum);
                uniform::<Cta, T>(self.of_all_by_redux(cta, sum, Some(T::ZERO), redux, T::plus))
            }
            None => {
                let sum = self.reduce(cta, value, T::plus);
                if T::COMMUTES { uniform::<Cta, T>(sum) } else { sum }
            }
        }
    }

    /// Returns to every thread the least of the values that the threads of the CTA pass. Among floats, NaN values are ignored,
    /// and -0.0 is less than +0.0.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::reduce_min`](crate::warp::Lanes::reduce_min) twice, with `st.weak.shared::cta`,
    /// `barrier.cta.sync.aligned 0;` and `ld.weak.shared::cta` between.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cuda::minimum")]
    pub fn reduce_min(&mut self, cta: &Cta, value: T) -> T {
        meet!(cta);
        // SAFETY: by the contract of `Cta::enter` all threads of the warp execute `redux.sync`, and the mask names all lanes.
        let redux = |value: T| unsafe { value.redux_min(u32::MAX) };
        uniform::<Cta, T>(self.of_all_by_redux(cta, redux(value), None, redux, T::lesser))
    }

    /// Returns to every thread the greatest of the values that the threads of the CTA pass. Floats are compared as by
    /// [`reduce_min`](ReduceMemory::reduce_min).
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::reduce_max`](crate::warp::Lanes::reduce_max) twice, with `st.weak.shared::cta`,
    /// `barrier.cta.sync.aligned 0;` and `ld.weak.shared::cta` between.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cuda::maximum")]
    pub fn reduce_max(&mut self, cta: &Cta, value: T) -> T {
        meet!(cta);
        // SAFETY: by the contract of `Cta::enter` all threads of the warp execute `redux.sync`, and the mask names all lanes.
        let redux = |value: T| unsafe { value.redux_max(u32::MAX) };
        uniform::<Cta, T>(self.of_all_by_redux(cta, redux(value), None, redux, T::greater))
    }

    /// Returns the sum of the values of the threads up to and including this thread, by rank, and the sum of all threads (CUB:
    /// `BlockScan::InclusiveSum`). Integers are summed modulo 2^32 or 2^64.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`inclusive_scan`](ReduceMemory::inclusive_scan).
    #[inline(always)]
    #[track_caller]
    pub fn inclusive_sum(&mut self, cta: &Cta, value: T) -> (T, T) {
        let (before, upto, all) = self.scan(cta, value, T::plus);
        (before.unwrap_or(T::ZERO).plus(upto), uniform::<Cta, T>(all))
    }

    /// Returns the sum of the values of the threads before this thread, by rank, and the sum of all threads (CUB:
    /// `BlockScan::ExclusiveSum`). The first sum is zero in the thread of rank 0. Integers are summed modulo 2^32 or 2^64.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: for integers as [`inclusive_scan`](ReduceMemory::inclusive_scan), for floats as
    /// [`exclusive_scan`](ReduceMemory::exclusive_scan).
    ///
    /// ```
    /// # use ptx::{group::Cta, reduce::ReduceMemory};
    /// # fn kernel(cta: &Cta, partials: &mut ReduceMemory<u32>, keep: bool) {
    /// let (slot, how_many) = partials.exclusive_sum(cta, u32::from(keep));
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn exclusive_sum(&mut self, cta: &Cta, value: T) -> (T, T) {
        let (before, upto, all) = self.scan(cta, value, T::plus);
        let in_warp = match upto.minus(value) {
            Some(in_warp) => in_warp,
            None => cta.warp().below(upto).unwrap_or(T::ZERO),
        };
        (before.unwrap_or(T::ZERO).plus(in_warp), uniform::<Cta, T>(all))
    }
}

macro_rules! bits {
    ($( $(#[$doc:meta])* $name:ident $op:literal $Op:ident $operator:tt $more:expr; )*) => {
        impl<T: BitReducible> ReduceMemory<T> { $(
            $(#[$doc])*
            ///
            /// Collective in the CTA.
            ///
            #[doc = concat!("PTX: `redux.sync", $op, ".b32` twice, with `st.weak.shared::cta`, `barrier.cta.sync.aligned 0;` and")]
            /// `ld.weak.shared::cta` between (four times for 64 bits).
            #[inline(always)]
            #[track_caller]
            pub fn $name(&mut self, cta: &Cta, value: T) -> T {
                meet!(cta);
                // SAFETY: by the contract of `Cta::enter` all threads of the warp execute `redux.sync`, and the mask names all
                // lanes.
                let redux = |value: T| unsafe { value.redux_bits(op::$Op, u32::MAX) };
                uniform::<Cta, T>(self.of_all_by_redux(cta, redux(value), $more, redux, |a, b| a $operator b))
            }
        )* }
    };
}
bits! {
    #[doc(alias = "cuda::std::bit_and")]
    /// Returns to every thread the bitwise AND of the values that the threads of the CTA pass.
    reduce_and ".and" And & None;
    /// Returns to every thread the bitwise OR of the values that the threads of the CTA pass.
    reduce_or ".or" Or | None;
    /// Returns to every thread the bitwise XOR of the values that the threads of the CTA pass: the bits that are set in an odd
    /// number of values.
    reduce_xor ".xor" Xor ^ Some(T::NONE);
}

/// Shared memory for segmented scans of `T` over a CTA: a [`ReduceMemory`] for the values, and one for where segments begin.
///
/// ```
/// use ptx::global::{Global, GlobalElementsMut};
/// use ptx::group::Cta;
/// use ptx::reduce::SegmentMemory;
///
/// ptx::shared_memory! {
///     pub struct Smem { segments: SegmentMemory<f32> }
/// }
///
/// /// Sums runs of equal keys up to each element, in blocks of 256 elements.
/// #[ptx::kernel(threads = 256)]
/// pub fn running_sums(
///     cta: Cta,
///     #[shared] smem: Smem,
///     keys: Global<u32>,
///     values: Global<f32>,
///     sums: GlobalElementsMut<f32>,
/// ) {
///     let mut segments = smem.segments;
///     let i = (cta.grid_rank() * 256 + cta.thread_rank()) as usize;
///     let is_head = keys.get(i) != keys.get(i.wrapping_sub(1));
///     let (upto, _) = segments.inclusive_scan(&cta, values.get(i).unwrap_or(0.0), is_head, |a, b| a + b);
///     if let Some((_, sum)) = sums.elements(&cta).next() {
///         sum.write(upto);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct SegmentMemory<T> {
    values: ReduceMemory<T>,
    /// Whether a segment begins in a warp.
    heads: ReduceMemory<u32>,
}

// SAFETY: the two memories lie side by side. The size of the first is a multiple of both alignments.
unsafe impl<T: ShuffleValue + Element> Place for SegmentMemory<T> {
    const SIZE: u32 = ReduceMemory::<T>::SIZE + ReduceMemory::<u32>::SIZE;
    const ALIGN: u32 =
        if ReduceMemory::<T>::ALIGN > 4 { ReduceMemory::<T>::ALIGN } else { ReduceMemory::<u32>::ALIGN };

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        // SAFETY: each memory gets its bytes of the `SIZE` that the caller passes.
        unsafe { SegmentMemory { values: Place::at(addr), heads: Place::at(addr + ReduceMemory::<T>::SIZE) } }
    }
}

impl<T: ShuffleValue + Element> SegmentMemory<T> {
    /// Combines with `f`, in order of rank, the values of the thread's segment up to and including this thread; also returns that
    /// result of the CTA's last thread, with which a loop over blocks of elements goes on. A segment begins at each thread where
    /// `is_head` is true, and at the thread of rank 0.
    ///
    /// The rules for `f` are those of [`ReduceMemory::inclusive_scan`].
    ///
    /// Collective in the CTA.
    ///
    /// PTX: that of [`Lanes::segmented_scan`](crate::warp::Lanes::segmented_scan) twice, with two `st.weak.shared::cta`,
    /// `barrier.cta.sync.aligned 0;` and two `ld.weak.shared::cta` between, and two `shfl.sync.idx`.
    #[inline(always)]
    #[track_caller]
    pub fn inclusive_scan(&mut self, cta: &Cta, value: T, is_head: bool, f: impl Fn(T, T) -> T) -> (T, T) {
        meet!(cta);
        let (warp, count) = (cta.warp(), cta.thread_count());
        let heads = warp.ballot(is_head).bits();
        let upto = warp.scan_segments(value, heads | 1, &f);
        let last = warp.lane() == 31 || cta.thread_rank() == count - 1;
        if last {
            // SAFETY: as in `publish`: one thread of each warp stores, in the slot of its warp.
            unsafe { u32::store(self.heads.slot(cta.warp_rank()), u32::from(heads != 0)) };
        }
        self.values.publish(cta, last, upto);
        let (warps, rank) = (count.div_ceil(32), cta.warp_rank());
        let (before, all) = if count.is_multiple_of(32) {
            // Lanes from `warps` on repeat the last warp, which no lower lane reads.
            let other = warp.lane().min(warps - 1);
            let heads = warp.ballot(self.heads.load(other) != 0).bits();
            let of_warps = warp.scan_segments(self.values.load(other), heads | 1, &f);
            (warp.shuffle(of_warps, rank.wrapping_sub(1)), warp.shuffle(of_warps, warps - 1))
        } else {
            let mut all = self.values.load(0);
            let mut before = all;
            for other in 1..warps {
                if other == rank {
                    before = all;
                }
                let of_warp = self.values.load(other);
                all = if self.heads.load(other) != 0 { of_warp } else { f(all, of_warp) };
            }
            (before, all)
        };
        self.values.turn();
        self.heads.turn();
        // The segment began in an earlier warp if no lane up to this one is a head.
        let began_before = rank > 0 && heads & raw::lanemask_le() == 0;
        (if began_before { f(before, upto) } else { upto }, all)
    }
}

handles! { ReduceMemory<f32>, SegmentMemory<f32> }
