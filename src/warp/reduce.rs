//! Reductions and scans (prefix sums) among the lanes of a warp or of a group of lanes (`redux.sync`, `cg::reduce`).

use core::ops::{BitAnd, BitOr, BitXor};

use half::{bf16, f16};

use super::{Lanes, Neighbors, Segments, ShuffleValue, shfl, shfl_pred};
use crate::math;
#[cfg(redux_f32)]
use crate::qualifier::{abs, nan};
use crate::qualifier::{mode, op, ty};
use crate::raw;
use crate::registers::unroll;
use crate::shared::Element;
use crate::words::words;

/// A number that lanes add, compare and scan: an integer or a float of 32 or 64 bits, an `f16`, a `bf16`, or a pair of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added or compared across lanes",
    label = "not a number that they take",
    note = "`reduce_add`, `reduce_min`, `reduce_max` and sums take `u32`, `i32`, `f32`, `u64`, `i64`, `f64`, `f16`, `bf16` and pairs of `f16` or `bf16`: convert the value, or reduce its parts"
)]
pub trait Reducible: ShuffleValue + Element {
    #[doc(hidden)]
    const ZERO: Self;
    /// Whether `plus` gives the same bits for exchanged summands: a NaN of `f64` has the payload of one of them.
    #[doc(hidden)]
    const COMMUTES: bool = true;
    /// The sum, modulo 2^32 or 2^64 for integers.
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    /// `self - other`, if a sum recovers its summand exactly, as of integers; `None` for floats.
    #[doc(hidden)]
    fn minus(self, other: Self) -> Option<Self>;
    /// The minimum, in the order of `reduce_min`.
    #[doc(hidden)]
    fn lesser(self, other: Self) -> Self;
    /// The maximum, in the order of `reduce_max`.
    #[doc(hidden)]
    fn greater(self, other: Self) -> Self;
    /// The sum by `redux.sync`; `None` for floats, which `redux.sync` does not add.
    ///
    /// # Safety
    ///
    /// The clauses of `raw::redux_sync`.
    #[doc(hidden)]
    unsafe fn redux_add(self, membermask: u32) -> Option<Self>;
    /// The minimum of the lanes' values, in the order of `reduce_min` (`redux.sync.min`).
    ///
    /// # Safety
    ///
    /// The clauses of `raw::redux_sync`.
    #[doc(hidden)]
    unsafe fn redux_min(self, membermask: u32) -> Self;
    /// The maximum of the lanes' values, in the order of `reduce_max` (`redux.sync.max`).
    ///
    /// # Safety
    ///
    /// The clauses of `raw::redux_sync`.
    #[doc(hidden)]
    unsafe fn redux_max(self, membermask: u32) -> Self;
}

/// An integer of 32 or 64 bits that lanes combine by AND, OR and XOR.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bitwise reduction across lanes",
    label = "not an integer of 32 or 64 bits",
    note = "`reduce_and`, `reduce_or` and `reduce_xor` take `u32`, `i32`, `u64` and `i64`: pass the bits of a float (`to_bits`)"
)]
pub trait BitReducible:
    ShuffleValue + Element + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    #[doc(hidden)]
    const NONE: Self;
    /// The bitwise combination `Op` of the lanes' values (`redux.sync.and`, `.or`, `.xor`).
    ///
    /// # Safety
    ///
    /// The clauses of `raw::redux_sync_b32`.
    #[doc(hidden)]
    unsafe fn redux_bits<Op: raw::ReduxBitOp>(self, op: Op, membermask: u32) -> Self;
}

macro_rules! integer_arithmetic {
    ($T:ident) => {
        const ZERO: $T = 0;
        #[inline(always)]
        fn plus(self, other: $T) -> $T {
            self.wrapping_add(other)
        }
        #[inline(always)]
        fn minus(self, other: $T) -> Option<$T> {
            Some(self.wrapping_sub(other))
        }
        #[inline(always)]
        fn lesser(self, other: $T) -> $T {
            self.min(other)
        }
        #[inline(always)]
        fn greater(self, other: $T) -> $T {
            self.max(other)
        }
    };
}

macro_rules! integers_32 {
    ($( $T:ident $Type:ident )*) => { $(
        impl Reducible for $T {
            integer_arithmetic! { $T }
            #[inline(always)]
            unsafe fn redux_add(self, membermask: u32) -> Option<$T> {
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                Some(unsafe { raw::redux_sync(op::Add, ty::$Type, self, membermask) })
            }
            #[inline(always)]
            unsafe fn redux_min(self, membermask: u32) -> $T {
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                unsafe { raw::redux_sync(op::Min, ty::$Type, self, membermask) }
            }
            #[inline(always)]
            unsafe fn redux_max(self, membermask: u32) -> $T {
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                unsafe { raw::redux_sync(op::Max, ty::$Type, self, membermask) }
            }
        }
        impl BitReducible for $T {
            const NONE: $T = 0;
            #[inline(always)]
            unsafe fn redux_bits<Op: raw::ReduxBitOp>(self, op: Op, membermask: u32) -> $T {
                // SAFETY: the caller keeps the clauses of `redux_sync_b32` (`# Safety`).
                unsafe { raw::redux_sync_b32(op, self as u32, membermask) as $T }
            }
        }
    )* };
}
integers_32! { u32 U32 i32 S32 }

/// Comparisons reduce the high halves first, then the low halves of the lanes whose high half won. Sums add three parts of 27, 27
/// and 10 bits: the sum of 32 parts of 27 bits fits 32 bits.
macro_rules! integers_64 {
    ($( $T:ident $High:ident )*) => { $(
        impl Reducible for $T {
            integer_arithmetic! { $T }
            #[inline(always)]
            unsafe fn redux_add(self, membermask: u32) -> Option<$T> {
                const PART: u32 = (1 << 27) - 1;
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                let sum = |part| u64::from(unsafe { raw::redux_sync(op::Add, ty::U32, part, membermask) });
                let bits = self as u64;
                let low = sum(bits as u32 & PART);
                let middle = sum((bits >> 27) as u32 & PART);
                let high = sum((bits >> 54) as u32);
                Some(low.wrapping_add(middle << 27).wrapping_add(high << 54) as $T)
            }
            #[inline(always)]
            unsafe fn redux_min(self, membermask: u32) -> $T {
                let high = (self >> 32) as $High;
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`), which both halves need.
                unsafe {
                    let least = high.redux_min(membermask);
                    let low = if high == least { self as u32 } else { u32::MAX };
                    (least as $T) << 32 | low.redux_min(membermask) as $T
                }
            }
            #[inline(always)]
            unsafe fn redux_max(self, membermask: u32) -> $T {
                let high = (self >> 32) as $High;
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`), which both halves need.
                unsafe {
                    let greatest = high.redux_max(membermask);
                    let low = if high == greatest { self as u32 } else { 0 };
                    (greatest as $T) << 32 | low.redux_max(membermask) as $T
                }
            }
        }
        impl BitReducible for $T {
            const NONE: $T = 0;
            #[inline(always)]
            unsafe fn redux_bits<Op: raw::ReduxBitOp>(self, op: Op, membermask: u32) -> $T {
                // SAFETY: the caller keeps the clauses of `redux_sync_b32` (`# Safety`), which both halves need.
                let (low, high) = unsafe {
                    (
                        raw::redux_sync_b32(op, self as u32, membermask),
                        raw::redux_sync_b32(op, (self >> 32) as u32, membermask),
                    )
                };
                (u64::from(low) | u64::from(high) << 32) as $T
            }
        }
    )* };
}
integers_64! { u64 u32 i64 i32 }

/// Floats are compared as integer keys: all bits of a negative float but the sign are inverted, so keys have the order of the
/// numbers, and -0.0 is below +0.0. NaN becomes the key that loses the comparison (MAX or MIN), which converts back to a NaN.
macro_rules! floats {
    ($( $T:ident $Key:ident $sign:literal $( $native:ident $gate:ident )?; )*) => { $(
        impl Reducible for $T {
            const ZERO: $T = 0.0;
            const COMMUTES: bool = size_of::<$T>() < 8;
            #[inline(always)]
            fn plus(self, other: $T) -> $T {
                self + other
            }
            #[inline(always)]
            fn minus(self, _: $T) -> Option<$T> {
                None
            }
            #[inline(always)]
            fn lesser(self, other: $T) -> $T {
                floats!(@number $T $Key $sign floats!(@key $T $Key $sign self, MAX).min(floats!(@key $T $Key $sign other, MAX)))
            }
            #[inline(always)]
            fn greater(self, other: $T) -> $T {
                floats!(@number $T $Key $sign floats!(@key $T $Key $sign self, MIN).max(floats!(@key $T $Key $sign other, MIN)))
            }
            #[inline(always)]
            unsafe fn redux_add(self, _: u32) -> Option<$T> {
                None
            }
            #[inline(always)]
            unsafe fn redux_min(self, membermask: u32) -> $T {
                $(
                    #[cfg($gate)]
                    // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                    return unsafe { raw::$native(op::Min, abs::Signed, nan::Ignore, self, membermask) };
                    #[cfg(not($gate))]
                )?
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                floats!(@number $T $Key $sign unsafe { floats!(@key $T $Key $sign self, MAX).redux_min(membermask) })
            }
            #[inline(always)]
            unsafe fn redux_max(self, membermask: u32) -> $T {
                $(
                    #[cfg($gate)]
                    // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                    return unsafe { raw::$native(op::Max, abs::Signed, nan::Ignore, self, membermask) };
                    #[cfg(not($gate))]
                )?
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                floats!(@number $T $Key $sign unsafe { floats!(@key $T $Key $sign self, MIN).redux_max(membermask) })
            }
        }
    )* };
    (@turn $Key:ident $sign:literal $bits:expr) => {{
        let bits = $bits;
        bits ^ (bits >> $sign & $Key::MAX)
    }};
    (@key $T:ident $Key:ident $sign:literal $x:ident, $loser:ident) => {
        if $x.is_nan() { $Key::$loser } else { floats!(@turn $Key $sign $x.to_bits().cast_signed()) }
    };
    (@number $T:ident $Key:ident $sign:literal $key:expr) => {
        $T::from_bits(floats!(@turn $Key $sign $key).cast_unsigned())
    };
}
floats! {
    f32 i32 31 redux_sync_f32 redux_f32;
    f64 i64 63;
}

/// Halves add, and are compared in a scan, by the instructions of [`math`]; `redux.sync` compares their keys of 16 bits, one of a
/// pair at a time.
macro_rules! halves {
    ($( $T:ident )*) => { $(
        impl Reducible for $T {
            const ZERO: $T = $T::ZERO;
            halves! { @arithmetic }
            #[inline(always)]
            unsafe fn redux_min(self, membermask: u32) -> $T {
                let key = i32::from(floats!(@key $T i16 15 self, MAX));
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                floats!(@number $T i16 15 unsafe { key.redux_min(membermask) } as i16)
            }
            #[inline(always)]
            unsafe fn redux_max(self, membermask: u32) -> $T {
                let key = i32::from(floats!(@key $T i16 15 self, MIN));
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`).
                floats!(@number $T i16 15 unsafe { key.redux_max(membermask) } as i16)
            }
        }
        impl Reducible for [$T; 2] {
            const ZERO: [$T; 2] = [$T::ZERO; 2];
            halves! { @arithmetic }
            #[inline(always)]
            unsafe fn redux_min(self, membermask: u32) -> [$T; 2] {
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`), which both halves need.
                unsafe { [self[0].redux_min(membermask), self[1].redux_min(membermask)] }
            }
            #[inline(always)]
            unsafe fn redux_max(self, membermask: u32) -> [$T; 2] {
                // SAFETY: the caller keeps the clauses of `redux_sync` (`# Safety`), which both halves need.
                unsafe { [self[0].redux_max(membermask), self[1].redux_max(membermask)] }
            }
        }
    )* };
    (@arithmetic) => {
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            math::add(self, other)
        }
        #[inline(always)]
        fn minus(self, _: Self) -> Option<Self> {
            None
        }
        #[inline(always)]
        fn lesser(self, other: Self) -> Self {
            math::min(self, other)
        }
        #[inline(always)]
        fn greater(self, other: Self) -> Self {
            math::max(self, other)
        }
        #[inline(always)]
        unsafe fn redux_add(self, _: u32) -> Option<Self> {
            None
        }
    };
}
halves! { f16 bf16 }

/// Returns whether every warp of the CTA has 32 threads. A constant if the kernel states its CTA's size.
#[inline(always)]
fn warps_are_whole() -> bool {
    super::thread_count().is_multiple_of(32)
}

// SAFETY of the instructions of this `impl`, two clauses, as in `warp.rs`. (a) The mask contains the executing thread (invariant
// of `Lanes::members`). (b) The lanes call together (`# Safety` of `Cta::enter`). The code uses no value that a shuffle reads
// from a lane which has exited or is not among these.
impl<M: Segments> Lanes<'_, M> {
    /// Returns the sum of the lanes' values, equal in all of them (`__reduce_add_sync`, `cg::reduce` with `cg::plus`).
    /// Integers are added modulo 2^32 or 2^64, floats pairwise. Sums of halves are rounded at each step: convert the values to `f32`
    /// for a sum of its precision.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `redux.sync.add.u32 dst, value, membermask;` (or `.s32`), three of them for 64 bits; for floats, and for all
    /// [`tiles`](super::Warp::tiles) of a warp, as [`reduce`](Lanes::reduce).
    #[inline(always)]
    #[track_caller]
    #[doc(alias("__reduce_add_sync", "cg::plus"))]
    pub fn reduce_add<T: Reducible>(&self, value: T) -> T {
        self.meet();
        let sum = if M::REDUX { self.redux_add(value) } else { None };
        let sum = match sum {
            Some(sum) => sum,
            None => self.reduce(value, T::plus),
        };
        if T::COMMUTES { super::uniform::<M, _>(sum) } else { sum }
    }

    /// The sum by `redux.sync`, or `None` for floats.
    #[inline(always)]
    pub(crate) fn redux_add<T: Reducible>(&self, value: T) -> Option<T> {
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        unsafe { value.redux_add(self.members.mask()) }
    }

    /// Returns the minimum of the lanes' values (`__reduce_min_sync`). For floats, -0.0 is below +0.0, and NaN is ignored unless
    /// all values are NaN.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `redux.sync.min.u32 dst, value, membermask;` (or `.s32`), two of them for 64 bits. For floats the
    /// same on integers of the same order; on sm_100f, `f32` has `redux.sync.min.f32`. For all
    /// [`tiles`](super::Warp::tiles) of a warp as [`reduce`](Lanes::reduce).
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__reduce_min_sync")]
    pub fn reduce_min<T: Reducible>(&self, value: T) -> T {
        let mask = self.meet();
        if !M::REDUX {
            return self.reduce(value, T::lesser);
        }
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        super::uniform::<M, _>(unsafe { value.redux_min(mask) })
    }

    /// Returns the maximum of the lanes' values (`__reduce_max_sync`). For floats, -0.0 is below +0.0, and NaN is ignored unless
    /// all values are NaN.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `redux.sync.max.u32 dst, value, membermask;` (or `.s32`), two of them for 64 bits. For floats the
    /// same on integers of the same order; on sm_100f, `f32` has `redux.sync.max.f32`. For all
    /// [`tiles`](super::Warp::tiles) of a warp as [`reduce`](Lanes::reduce).
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__reduce_max_sync")]
    pub fn reduce_max<T: Reducible>(&self, value: T) -> T {
        let mask = self.meet();
        if !M::REDUX {
            return self.reduce(value, T::greater);
        }
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        super::uniform::<M, _>(unsafe { value.redux_max(mask) })
    }

    /// Returns the bitwise AND of the lanes' values (`__reduce_and_sync`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `redux.sync.and.b32 dst, value, membermask;` (twice for 64 bits); for all [`tiles`](super::Warp::tiles) of a
    /// warp as [`reduce`](Lanes::reduce).
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__reduce_and_sync")]
    pub fn reduce_and<T: BitReducible>(&self, value: T) -> T {
        let mask = self.meet();
        if !M::REDUX {
            return self.reduce(value, |a, b| a & b);
        }
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        super::uniform::<M, _>(unsafe { value.redux_bits(op::And, mask) })
    }

    /// Returns the bitwise OR of the lanes' values (`__reduce_or_sync`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `redux.sync.or.b32 dst, value, membermask;` (twice for 64 bits); for all [`tiles`](super::Warp::tiles) of a
    /// warp as [`reduce`](Lanes::reduce).
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__reduce_or_sync")]
    pub fn reduce_or<T: BitReducible>(&self, value: T) -> T {
        let mask = self.meet();
        if !M::REDUX {
            return self.reduce(value, |a, b| a | b);
        }
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        super::uniform::<M, _>(unsafe { value.redux_bits(op::Or, mask) })
    }

    /// Returns the bitwise XOR of the lanes' values (`__reduce_xor_sync`).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `redux.sync.xor.b32 dst, value, membermask;` (twice for 64 bits); for all [`tiles`](super::Warp::tiles) of a
    /// warp as [`reduce`](Lanes::reduce).
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__reduce_xor_sync")]
    pub fn reduce_xor<T: BitReducible>(&self, value: T) -> T {
        let mask = self.meet();
        if !M::REDUX {
            return self.reduce(value, |a, b| a ^ b);
        }
        // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
        super::uniform::<M, _>(unsafe { value.redux_bits(op::Xor, mask) })
    }

    /// Combines the lanes' values by `f`, and returns the result in all threads (`cg::reduce`). `f` must be associative and
    /// commutative.
    ///
    /// `f` runs up to five times in a thread, and not equally often in each: `f` must make no collective call.
    ///
    /// Collective among the lanes.
    ///
    /// PTX, if the lanes are neighbors and the CTA's size is a multiple of 32:
    /// `shfl.sync.bfly.b32 d, value, lanes, c, membermask;` (for each 32 bits) for each power of two below their number;
    /// else [`inclusive_scan`](Lanes::inclusive_scan), and a `shfl.sync.idx.b32` from the last lane.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::group::Cta, value: f32) {
    /// let product = cta.warp().reduce(value, |a, b| a * b);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cg::reduce")]
    pub fn reduce<T: ShuffleValue>(&self, value: T, f: impl Fn(T, T) -> T) -> T {
        const { words::<T>() };
        let mask = self.meet();
        if let Some(width) = M::WIDTH
            && warps_are_whole()
        {
            return self.butterfly(value, width, f);
        }
        let upto = self.inclusive_scan(value, f);
        let live = match M::WIDTH {
            // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
            Some(_) => self.members.combined() & unsafe { raw::vote_sync_ballot(true, mask) },
            None => mask,
        };
        // Not 0: the executing thread is in `live`.
        let last = 31 - live.leading_zeros();
        // SAFETY: (a) and (b) of this `impl`; lane `last` is among these and has not exited.
        unsafe { shfl(upto, mode::Idx, last, M::SEGMENT | 0x1f, mask) }
    }

    /// Combines the values of `width` neighbors, a power of two, by `f`. No lane may have exited.
    #[inline(always)]
    pub(crate) fn butterfly<T: ShuffleValue>(&self, value: T, width: u32, f: impl Fn(T, T) -> T) -> T {
        let (c, mask) = (M::SEGMENT | 0x1f, self.members.mask());
        let mut all = value;
        unroll::<5>(|i| {
            let lanes = 16 >> i;
            if width > lanes {
                // SAFETY: (a) and (b) of this `impl`: the mask contains this thread, and the lanes call together.
                all = f(all, unsafe { shfl(all, mode::Bfly, lanes, c, mask) });
            }
        });
        all
    }

    /// Returns in each thread the values of the lanes up to and including its own, combined by `f` (`cg::inclusive_scan`). `f`
    /// must be associative; its first argument is the value from the lower lanes.
    ///
    /// `f` runs up to five times in a thread, and not equally often in each: `f` must make no collective call.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `shfl.sync.up.b32 d|p, value, delta, c, membermask;` (and once more for each further 32 bits) for each power of two below the
    /// number; if the lanes need not be neighbors, five times `shfl.sync.idx.b32` of the value and of a lane.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::group::Cta, value: u32) {
    /// let highest_so_far = cta.warp().inclusive_scan(value, u32::max);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cg::inclusive_scan")]
    pub fn inclusive_scan<T: ShuffleValue>(&self, value: T, f: impl Fn(T, T) -> T) -> T {
        const { words::<T>() };
        self.meet();
        match M::WIDTH {
            Some(width) => self.scan_up(value, width, f),
            None => self.scan_by_links(value, f),
        }
    }

    /// [`inclusive_scan`](Lanes::inclusive_scan) of `width` neighbors. It reads lower lanes only: upper lanes may have exited.
    #[inline(always)]
    pub(crate) fn scan_up<T: ShuffleValue>(&self, value: T, width: u32, f: impl Fn(T, T) -> T) -> T {
        let mask = self.members.mask();
        let mut upto = value;
        unroll::<5>(|i| {
            let delta = 1 << i;
            if width > delta {
                // SAFETY: (a) and (b) of this `impl`; `below` is only used inside of the segment, which is the lanes.
                let (below, inside) = unsafe { shfl_pred(upto, mode::Up, delta, M::SEGMENT, mask) };
                if inside {
                    upto = f(below, upto);
                }
            }
        });
        upto
    }

    /// [`inclusive_scan`](Lanes::inclusive_scan) of any lanes by pointer jumping: `link` is the next lower one of these lanes, or
    /// `u32::MAX` if there is none; each round takes over the linked lane's value and link.
    #[inline(always)]
    fn scan_by_links<T: ShuffleValue>(&self, value: T, f: impl Fn(T, T) -> T) -> T {
        let mask = self.members.mask();
        let mut upto = value;
        let mut link = 31_u32.wrapping_sub((mask & raw::lanemask_lt()).leading_zeros());
        unroll::<5>(|_| {
            // SAFETY: (a) and (b) of this `impl`; without a lower lane among these, neither result is used.
            let (below, next) = unsafe {
                (shfl(upto, mode::Idx, link, 0x1f, mask), raw::shfl_sync(mode::Idx, link, link, 0x1f, mask))
            };
            if link < 32 {
                upto = f(below, upto);
                link = next;
            }
        });
        upto
    }

    /// Returns in each thread the values of the lower lanes, combined by `f`; `None` in the lowest lane
    /// (`cg::exclusive_scan`). The rules for `f` are those of [`inclusive_scan`](Lanes::inclusive_scan).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: that of [`inclusive_scan`](Lanes::inclusive_scan), and `shfl.sync.up.b32 d|p, value, 1, c, membermask;` or
    /// `shfl.sync.idx.b32`.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cg::exclusive_scan")]
    pub fn exclusive_scan<T: ShuffleValue>(&self, value: T, f: impl Fn(T, T) -> T) -> Option<T> {
        self.below(self.inclusive_scan(value, f))
    }

    /// The value of the next lower one of the lanes.
    #[inline(always)]
    pub(crate) fn below<T: ShuffleValue>(&self, value: T) -> Option<T> {
        let mask = self.members.mask();
        let (value, inside) = match M::WIDTH {
            // SAFETY: (a) and (b) of this `impl`; the value is only used inside of the segment, which is the lanes.
            Some(_) => unsafe { shfl_pred(value, mode::Up, 1, M::SEGMENT, mask) },
            None => {
                let lower = mask & raw::lanemask_lt();
                let link = 31_u32.wrapping_sub(lower.leading_zeros());
                // SAFETY: (a) and (b) of this `impl`; without a lower lane among these, the value is not used.
                (unsafe { shfl(value, mode::Idx, link, 0x1f, mask) }, lower != 0)
            }
        };
        if inside { Some(value) } else { None }
    }

    /// Returns in each thread the sum of the lanes' values up to and including its own (`cg::inclusive_scan`), modulo 2^32 or
    /// 2^64 for integers.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: as [`inclusive_scan`](Lanes::inclusive_scan).
    #[inline(always)]
    #[track_caller]
    pub fn inclusive_sum<T: Reducible>(&self, value: T) -> T {
        self.inclusive_scan(value, T::plus)
    }

    /// Returns in each thread the sum of the values of the lower lanes (`cg::exclusive_scan`), modulo 2^32 or 2^64 for
    /// integers; zero in the lowest lane.
    ///
    /// Collective among the lanes.
    ///
    /// PTX: for integers as [`inclusive_scan`](Lanes::inclusive_scan), for floats as [`exclusive_scan`](Lanes::exclusive_scan).
    ///
    /// ```
    /// # fn kernel(cta: &ptx::group::Cta, length: u32) {
    /// // Each lane appends `length` elements: its first index, behind those of the lower lanes.
    /// let start = cta.warp().exclusive_sum(length);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn exclusive_sum<T: Reducible>(&self, value: T) -> T {
        let upto = self.inclusive_sum(value);
        match upto.minus(value) {
            Some(before) => before,
            None => self.below(upto).unwrap_or(T::ZERO),
        }
    }
}

impl<M: Segments> Lanes<'_, M> {
    /// Returns in each thread the values of its segment up to and including its own, combined by `f` (a segmented scan). A segment
    /// begins at each lane where `is_head` is true, and at the first of the lanes. The rules for `f` are those of
    /// [`inclusive_scan`](Lanes::inclusive_scan).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: `vote.sync.ballot.b32 d, is_head, membermask;`, and `shfl.sync.up.b32 d, value, delta, c, membermask;` (for each 32
    /// bits) for each power of two below the number of lanes.
    ///
    /// ```
    /// # use ptx::group::Cta;
    /// /// The sum of the values before this one with the same key, keys being sorted.
    /// fn sum_of_key(cta: &Cta, key: u32, value: f32) -> f32 {
    ///     let warp = cta.warp();
    ///     let is_head = warp.shuffle_up(key, 1) != Some(key);
    ///     warp.segmented_scan(value, is_head, |a, b| a + b)
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cub::WarpReduce::TailSegmentedReduce")]
    pub fn segmented_scan<T: ShuffleValue>(&self, value: T, is_head: bool, f: impl Fn(T, T) -> T) -> T
    where
        M: Neighbors,
    {
        const { words::<T>() };
        self.meet();
        self.scan_segments(value, self.heads(is_head), f)
    }

    /// Returns in each thread the values of all lanes of its segment, combined by `f` (CUB: `WarpReduce::HeadSegmentedReduce`).
    /// Segments and the rules for `f` are those of [`segmented_scan`](Lanes::segmented_scan).
    ///
    /// Collective among the lanes.
    ///
    /// PTX: that of [`segmented_scan`](Lanes::segmented_scan), and `shfl.sync.idx.b32 d, value, last, c, membermask;` (for each 32
    /// bits); if the CTA's size is not a multiple of 32, also a `vote.sync.ballot.b32`.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, group::Cta, qualifier::{scope, sem}};
    /// # fn kernel(cta: &Cta, bins: GlobalAtomics<u32, scope::Gpu>, key: u32, value: u32) {
    /// // One atomic addition for each run of equal keys.
    /// let warp = cta.warp();
    /// let is_head = warp.shuffle_up(key, 1) != Some(key);
    /// let sum = warp.segmented_reduce(value, is_head, |a, b| a + b);
    /// if let Some(bin) = bins.get(key as usize).filter(|_| is_head) {
    ///     bin.add(sum, sem::Relaxed);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cub::WarpReduce::HeadSegmentedReduce")]
    pub fn segmented_reduce<T: ShuffleValue>(&self, value: T, is_head: bool, f: impl Fn(T, T) -> T) -> T
    where
        M: Neighbors,
    {
        const { words::<T>() };
        let mask = self.meet();
        let heads = self.heads(is_head);
        let upto = self.scan_segments(value, heads, f);
        // A segment ends before the next head, and before the lanes without a thread.
        let ends = match warps_are_whole() {
            true => heads,
            // SAFETY: (a) and (b) of the `impl` above: the mask contains this thread, and the lanes call together.
            false => heads | !unsafe { raw::vote_sync_ballot(true, mask) },
        };
        // Without an end above, the segment ends with lane 31.
        let last = (ends & raw::lanemask_gt()).trailing_zeros() - 1;
        // SAFETY: (a) and (b) of the `impl` above; lane `last` is among these and has not exited.
        unsafe { shfl(upto, mode::Idx, last, M::SEGMENT | 0x1f, mask) }
    }

    /// The lanes at which a segment begins, with the first lanes of all tiles.
    #[inline(always)]
    fn heads(&self, is_head: bool) -> u32 {
        // One bit in each `WIDTH`.
        let first = const {
            match M::WIDTH {
                Some(width) => u32::MAX / (u32::MAX >> (32 - width)),
                None => 1,
            }
        };
        // SAFETY: (a) and (b) of the `impl` above: the mask contains this thread, and the lanes call together.
        first | unsafe { raw::vote_sync_ballot(is_head, self.members.mask()) }
    }

    /// [`segmented_scan`](Lanes::segmented_scan) with segments that begin at `heads`. It reads lower lanes only: upper lanes may
    /// have exited.
    #[inline(always)]
    pub(crate) fn scan_segments<T: ShuffleValue>(&self, value: T, heads: u32, f: impl Fn(T, T) -> T) -> T {
        let mask = self.members.mask();
        // Not 0: the first of the lanes is a head.
        let rank = raw::laneid() - (31 - (heads & raw::lanemask_le()).leading_zeros());
        let mut upto = value;
        unroll::<5>(|i| {
            let delta = 1 << i;
            if M::WIDTH.is_none_or(|width| width > delta) {
                // SAFETY: (a) and (b) of the `impl` above; `below` is only used inside of the thread's segment.
                let below = unsafe { shfl(upto, mode::Up, delta, M::SEGMENT, mask) };
                if delta <= rank {
                    upto = f(below, upto);
                }
            }
        });
        upto
    }
}
