//! Reductions and scans among the threads of a warp or of a group of its lanes.

use core::ops::{BitAnd, BitOr, BitXor};

use super::{Lanes, Members, Word, WordBits};
#[cfg(feature = "sm_100f")]
use crate::qualifier::{abs, nan};
use crate::qualifier::{mode, op, ty};
use crate::raw;
use crate::registers::unroll;
use crate::special_register;

/// Numbers that are added up, compared and scanned: of 32 and 64 bits, integers and floats.
///
/// ```
/// use ptx::warp::{Reducible, Warp};
/// /// The least and the greatest over the warp, of any such type.
/// fn range<T: Reducible>(warp: &Warp, value: T) -> (T, T) {
///     (warp.reduce_min(value), warp.reduce_max(value))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not added up or compared among lanes",
    label = "not a number of 32 or 64 bits",
    note = "sums, least and greatest values are of `u32`, `i32`, `f32`, `u64`, `i64` and `f64`: convert it, or take it apart"
)]
pub trait Reducible: Word {
    /// Zero.
    #[doc(hidden)]
    const ZERO: Self;
    /// The sum, of integers modulo 2^32 or 2^64.
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    /// What `other` was added to, if the sum tells.
    #[doc(hidden)]
    fn minus(self, other: Self) -> Option<Self>;
    /// The lesser.
    #[doc(hidden)]
    fn lesser(self, other: Self) -> Self;
    /// The greater.
    #[doc(hidden)]
    fn greater(self, other: Self) -> Self;
    /// The sum by `redux.sync`, of integers; `None` of floats, which it does not add.
    ///
    /// # Safety
    ///
    /// That of `redux.sync`.
    #[doc(hidden)]
    unsafe fn redux_add(self, membermask: u32) -> Option<Self>;
    /// # Safety
    ///
    /// That of `redux.sync`.
    #[doc(hidden)]
    unsafe fn redux_min(self, membermask: u32) -> Self;
    /// # Safety
    ///
    /// That of `redux.sync`.
    #[doc(hidden)]
    unsafe fn redux_max(self, membermask: u32) -> Self;
}

/// Integers whose bits are joined: of 32 and 64 bits.
///
/// ```
/// use ptx::warp::{BitReducible, Warp};
/// /// The bits in which any two values of the warp differ.
/// fn differing<T: BitReducible>(warp: &Warp, value: T) -> T {
///     warp.reduce_or(value) ^ warp.reduce_and(value)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "the bits of `{Self}` are not joined among lanes",
    label = "not an integer of 32 or 64 bits",
    note = "`.and`, `.or` and `.xor` are of `u32`, `i32`, `u64` and `i64`: take the bits of a float (`to_bits`)"
)]
pub trait BitReducible: Word + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> {
    /// No bit.
    #[doc(hidden)]
    const NONE: Self;
    /// # Safety
    ///
    /// That of `redux.sync`.
    #[doc(hidden)]
    unsafe fn redux_bits<Op: raw::ReduxBitOp>(self, op: Op, membermask: u32) -> Self;
}

/// What integers of both widths have alike.
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
                // SAFETY: the caller keeps that of `redux.sync`.
                Some(unsafe { raw::redux_sync(op::Add, ty::$Type, self, membermask) })
            }
            #[inline(always)]
            unsafe fn redux_min(self, membermask: u32) -> $T {
                // SAFETY: the caller keeps that of `redux.sync`.
                unsafe { raw::redux_sync(op::Min, ty::$Type, self, membermask) }
            }
            #[inline(always)]
            unsafe fn redux_max(self, membermask: u32) -> $T {
                // SAFETY: the caller keeps that of `redux.sync`.
                unsafe { raw::redux_sync(op::Max, ty::$Type, self, membermask) }
            }
        }
        impl BitReducible for $T {
            const NONE: $T = 0;
            #[inline(always)]
            unsafe fn redux_bits<Op: raw::ReduxBitOp>(self, op: Op, membermask: u32) -> $T {
                // SAFETY: the caller keeps that of `redux.sync`.
                unsafe { raw::redux_sync_b32(op, self as u32, membermask) as $T }
            }
        }
    )* };
}
integers_32! { u32 U32 i32 S32 }

/// 64 bits are compared by their high halves, and by the low ones of those whose high half is the result's. They are added up in
/// three parts, of 27, 27 and 10 bits: 32 numbers of 27 bits have a sum of 32.
macro_rules! integers_64 {
    ($( $T:ident $High:ident )*) => { $(
        impl Reducible for $T {
            integer_arithmetic! { $T }
            #[inline(always)]
            unsafe fn redux_add(self, membermask: u32) -> Option<$T> {
                const PART: u32 = (1 << 27) - 1;
                // SAFETY: the caller keeps that of `redux.sync`.
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
                // SAFETY: the caller keeps that of `redux.sync`, for both.
                unsafe {
                    let least = high.redux_min(membermask);
                    let low = if high == least { self as u32 } else { u32::MAX };
                    (least as $T) << 32 | low.redux_min(membermask) as $T
                }
            }
            #[inline(always)]
            unsafe fn redux_max(self, membermask: u32) -> $T {
                let high = (self >> 32) as $High;
                // SAFETY: the caller keeps that of `redux.sync`, for both.
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
                // SAFETY: the caller keeps that of `redux.sync`, for both halves.
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

/// Floats are compared as integers, of which all but the sign bit of negative ones is turned over: their order is that of the
/// numbers, with -0.0 below +0.0. NaN becomes the integer that loses, which is a NaN's too.
macro_rules! floats {
    ($( $T:ident $Key:ident $sign:literal $( $native:ident $feature:literal )?; )*) => { $(
        impl Reducible for $T {
            const ZERO: $T = 0.0;
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
                    #[cfg(feature = $feature)]
                    // SAFETY: the caller keeps that of `redux.sync`.
                    return unsafe { raw::$native(op::Min, abs::Signed, nan::Ignore, self, membermask) };
                    #[cfg(not(feature = $feature))]
                )?
                // SAFETY: the caller keeps that of `redux.sync`.
                floats!(@number $T $Key $sign unsafe { floats!(@key $T $Key $sign self, MAX).redux_min(membermask) })
            }
            #[inline(always)]
            unsafe fn redux_max(self, membermask: u32) -> $T {
                $(
                    #[cfg(feature = $feature)]
                    // SAFETY: the caller keeps that of `redux.sync`.
                    return unsafe { raw::$native(op::Max, abs::Signed, nan::Ignore, self, membermask) };
                    #[cfg(not(feature = $feature))]
                )?
                // SAFETY: the caller keeps that of `redux.sync`.
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
    f32 i32 31 redux_sync_f32 "sm_100f";
    f64 i64 63;
}

/// Whether every warp of the CTA has all its threads. It is known to the compiler where the CTA's size is.
#[inline(always)]
fn warps_are_whole() -> bool {
    (special_register::ntid_x() * special_register::ntid_y() * special_register::ntid_z()).is_multiple_of(32)
}

/// SAFETY, for all instructions below: that of the other `impl` of `Lanes`. What a shuffle reads from a lane that has exited, or
/// is not in the group, is not used.
impl<M: Members> Lanes<'_, M> {
    /// The sum over the group: of integers modulo 2^32 or 2^64, the same for all threads; of floats by pairs, the same bits in all
    /// threads.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `redux.sync.add.u32 dst, value, membermask;` (or `.s32`), three of them for 64 bits; for floats as
    /// [`reduce`](Lanes::reduce).
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: i32, x: f32) {
    /// let (sum, total): (i32, f32) = (cta.warp().reduce_add(value), cta.warp().reduce_add(x));
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce_add<T: Reducible>(&self, value: T) -> T {
        match self.redux_add(value) {
            Some(sum) => sum,
            None => self.reduce(value, T::plus),
        }
    }

    /// The sum over the group, of numbers that `redux.sync` adds.
    #[inline(always)]
    pub(crate) fn redux_add<T: Reducible>(&self, value: T) -> Option<T> {
        // SAFETY: see the impl.
        unsafe { value.redux_add(self.members.mask()) }
    }

    /// The least value of the group. Of floats, NaN counts as nothing, and -0.0 is below +0.0.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `redux.sync.min.u32 dst, value, membermask;` (or `.s32`), two of them for 64 bits; for floats `redux.sync.min.f32` on
    /// sm_100f, else that of integers in the same order.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let least = cta.warp().reduce_min(value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce_min<T: Reducible>(&self, value: T) -> T {
        // SAFETY: see the impl.
        unsafe { value.redux_min(self.members.mask()) }
    }

    /// The greatest value of the group; as [`reduce_min`](Lanes::reduce_min).
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `redux.sync.max.u32 dst, value, membermask;` (or `.s32`), two of them for 64 bits; for floats `redux.sync.max.f32` on
    /// sm_100f, else that of integers in the same order.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: f32) {
    /// let greatest = cta.warp().reduce_max(value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce_max<T: Reducible>(&self, value: T) -> T {
        // SAFETY: see the impl.
        unsafe { value.redux_max(self.members.mask()) }
    }

    /// The bits that are set in all values of the group.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `redux.sync.and.b32 dst, value, membermask;` (twice for 64 bits)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let common = cta.warp().reduce_and(value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce_and<T: BitReducible>(&self, value: T) -> T {
        // SAFETY: see the impl.
        unsafe { value.redux_bits(op::And, self.members.mask()) }
    }

    /// The bits that are set in any value of the group.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `redux.sync.or.b32 dst, value, membermask;` (twice for 64 bits)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let present = cta.warp().reduce_or(1 << (value % 32));
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce_or<T: BitReducible>(&self, value: T) -> T {
        // SAFETY: see the impl.
        unsafe { value.redux_bits(op::Or, self.members.mask()) }
    }

    /// The bits that are set in an odd number of values of the group.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `redux.sync.xor.b32 dst, value, membermask;` (twice for 64 bits)
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let parity = cta.warp().reduce_xor(value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce_xor<T: BitReducible>(&self, value: T) -> T {
        // SAFETY: see the impl.
        unsafe { value.redux_bits(op::Xor, self.members.mask()) }
    }

    /// What `f` makes of the values of the group. It is to be associative and commutative; all threads get the same.
    ///
    /// `f` runs up to five times in each thread, not equally often in each: it makes no collective call.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX, where the group's lanes are neighbours and the CTA's warps whole: `shfl.sync.bfly.b32 d, value, lanes, c, membermask;`
    /// (twice for 64 bits) for each power of two below the group's width; else [`inclusive_scan`](Lanes::inclusive_scan), and a
    /// `shfl.sync.idx.b32` from the last lane.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: f32) {
    /// let product = cta.warp().reduce(value, |a, b| a * b);
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce<T: Word>(&self, value: T, f: impl Fn(T, T) -> T) -> T {
        let mask = self.members.mask();
        if let Some(width) = M::WIDTH
            && warps_are_whole()
        {
            return self.butterfly(value, width, f);
        }
        let upto = self.inclusive_scan(value, f);
        let live = match M::WIDTH {
            // SAFETY: see the impl.
            Some(_) => unsafe { raw::vote_sync_ballot(true, mask) },
            None => mask,
        };
        // The thread itself is in it.
        let last = 31 - live.leading_zeros();
        // SAFETY: see the impl; the last lane is in the group, and has not exited.
        T::of_bits(unsafe { upto.into_bits().shfl(mode::Idx, last, M::SEGMENT | 0x1f, mask) })
    }

    /// What `f` makes of the values of `width` neighbours, a power of two; none of them has exited.
    #[inline(always)]
    pub(crate) fn butterfly<T: Word>(&self, value: T, width: u32, f: impl Fn(T, T) -> T) -> T {
        let (c, mask) = (M::SEGMENT | 0x1f, self.members.mask());
        let mut all = value;
        unroll::<5>(|i| {
            let lanes = 16 >> i;
            if width > lanes {
                // SAFETY: see the impl.
                all = f(all, T::of_bits(unsafe { all.into_bits().shfl(mode::Bfly, lanes, c, mask) }));
            }
        });
        all
    }

    /// What `f` makes of the values of the group up to this thread's and with it, by lane; `f` is to be associative. The value
    /// from below is its first argument.
    ///
    /// `f` runs up to five times in each thread, not equally often in each: it makes no collective call.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: `shfl.sync.up.b32 d|p, value, delta, c, membermask;` (and once more for 64 bits) for each power of two below the group's
    /// width; in a group without order among its lanes, five times `shfl.sync.idx.b32` of the value and of a lane.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let highest_so_far = cta.warp().inclusive_scan(value, u32::max);
    /// # }
    /// ```
    #[inline(always)]
    pub fn inclusive_scan<T: Word>(&self, value: T, f: impl Fn(T, T) -> T) -> T {
        match M::WIDTH {
            Some(width) => self.scan_up(value, width, f),
            None => self.scan_by_links(value, f),
        }
    }

    /// [`inclusive_scan`](Lanes::inclusive_scan) of `width` neighbours. It reads from lower lanes alone.
    #[inline(always)]
    pub(crate) fn scan_up<T: Word>(&self, value: T, width: u32, f: impl Fn(T, T) -> T) -> T {
        let mask = self.members.mask();
        let mut upto = value;
        unroll::<5>(|i| {
            let delta = 1 << i;
            if width > delta {
                // SAFETY: see the impl; inside the segment is inside the group.
                let (below, inside) =
                    unsafe { upto.into_bits().shfl_pred(mode::Up, delta, M::SEGMENT, mask) };
                if inside {
                    upto = f(T::of_bits(below), upto);
                }
            }
        });
        upto
    }

    /// [`inclusive_scan`](Lanes::inclusive_scan) of any lanes: each follows the link to the next lower member, and takes over its
    /// value and its link.
    #[inline(always)]
    fn scan_by_links<T: Word>(&self, value: T, f: impl Fn(T, T) -> T) -> T {
        let mask = self.members.mask();
        let mut upto = value;
        let mut link = 31_u32.wrapping_sub((mask & raw::lanemask_lt()).leading_zeros());
        unroll::<5>(|_| {
            // SAFETY: see the impl; where there is no lower member, neither result is used.
            let (below, next) = unsafe {
                (
                    upto.into_bits().shfl(mode::Idx, link, 0x1f, mask),
                    raw::shfl_sync(mode::Idx, link, link, 0x1f, mask),
                )
            };
            if link < 32 {
                upto = f(T::of_bits(below), upto);
                link = next;
            }
        });
        upto
    }

    /// What `f` makes of the values of the group below this thread's, by lane; `None` in the lowest. Else as
    /// [`inclusive_scan`](Lanes::inclusive_scan).
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: that of [`inclusive_scan`](Lanes::inclusive_scan), and `shfl.sync.up.b32 d|p, value, 1, c, membermask;` or
    /// `shfl.sync.idx.b32`.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let rises = cta.warp().exclusive_scan(value, u32::max).is_none_or(|before| value > before);
    /// # }
    /// ```
    #[inline(always)]
    pub fn exclusive_scan<T: Word>(&self, value: T, f: impl Fn(T, T) -> T) -> Option<T> {
        self.below(self.inclusive_scan(value, f))
    }

    /// The value of the group's next lower lane.
    #[inline(always)]
    pub(crate) fn below<T: Word>(&self, value: T) -> Option<T> {
        let mask = self.members.mask();
        let (bits, inside) = match M::WIDTH {
            // SAFETY: see the impl; inside the segment is inside the group.
            Some(_) => unsafe { value.into_bits().shfl_pred(mode::Up, 1, M::SEGMENT, mask) },
            None => {
                let lower = mask & raw::lanemask_lt();
                let link = 31_u32.wrapping_sub(lower.leading_zeros());
                // SAFETY: see the impl; where there is no lower member the result is not used.
                (unsafe { value.into_bits().shfl(mode::Idx, link, 0x1f, mask) }, lower != 0)
            }
        };
        if inside { Some(T::of_bits(bits)) } else { None }
    }

    /// The sum of the values of the group up to this thread's and with it, by lane: of integers modulo 2^32 or 2^64.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: as [`inclusive_scan`](Lanes::inclusive_scan).
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, length: u32) {
    /// let end = cta.warp().inclusive_sum(length);
    /// # }
    /// ```
    #[inline(always)]
    pub fn inclusive_sum<T: Reducible>(&self, value: T) -> T {
        self.inclusive_scan(value, T::plus)
    }

    /// The sum of the values of the group below this thread's, by lane: of integers modulo 2^32 or 2^64; zero in the lowest.
    ///
    /// Collective in the group of lanes.
    ///
    /// PTX: for integers as [`inclusive_scan`](Lanes::inclusive_scan), for floats as [`exclusive_scan`](Lanes::exclusive_scan).
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, length: u32) {
    /// let start = cta.warp().exclusive_sum(length);
    /// # }
    /// ```
    #[inline(always)]
    pub fn exclusive_sum<T: Reducible>(&self, value: T) -> T {
        let upto = self.inclusive_sum(value);
        match upto.minus(value) {
            Some(before) => before,
            None => self.below(upto).unwrap_or(T::ZERO),
        }
    }
}
