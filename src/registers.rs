//! Arrays that stay in registers: [`zeroed`] makes one, [`unroll`] goes over it.
//!
//! A register has no address. An array of a thread is kept in registers only if every index is a constant where LLVM looks at
//! it; an index known at run time, or a loop that is not unrolled by then, puts the whole array into local memory, which is
//! memory of the GPU. `[0.0; 128]` is such a loop, and so is `for i in 0..128`.
//!
//! ```
//! use ptx::math::fma;
//! use ptx::registers::{unroll, zeroed};
//! /// The outer products of rows of `a` and `b`, added up in 64 registers.
//! fn outer_products(a: &[[f32; 8]], b: &[[f32; 8]]) -> [[f32; 8]; 8] {
//!     let mut sums: [[f32; 8]; 8] = zeroed();
//!     for (a, b) in a.iter().zip(b) {
//!         unroll::<8>(|i| unroll::<8>(|j| sums[i][j] = fma(a[i], b[j], sums[i][j])));
//!     }
//!     sums
//! }
//! ```

use core::ops::{Add, Mul};

use crate::qualifier::B128;

/// Plain data of which all zeros is a value: elements, and arrays of them.
///
/// # Safety
///
/// Implemented here only: for types of which zeros are a value.
///
/// ```
/// use ptx::registers::{Zeroed, zeroed};
/// // Sums of any kind, all zero.
/// fn start<T: Zeroed>() -> [T; 4] {
///     zeroed()
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "zeros are not known to be a `{Self}`",
    label = "not a plain number or an array of them",
    note = "`zeroed` makes integers of 8 to 64 bits, `f32`, `f64`, and arrays of them, of arrays too"
)]
pub unsafe trait Zeroed: Copy {}

macro_rules! zeroed {
    ($( $T:ty ),*) => { $(
        // SAFETY: a number, or two halves of one: any bit pattern is a value.
        unsafe impl Zeroed for $T {}
    )* };
}
zeroed! { u8, i8, u16, i16, u32, i32, f32, u64, i64, f64, B128 }
#[cfg(feature = "half")]
zeroed! { half::f16, half::bf16 }

// SAFETY: zeros are a value of each.
unsafe impl<T: Zeroed, const N: usize> Zeroed for [T; N] {}

/// Zeros, an array of them in registers: without a loop, as `[0.0; 128]` is one.
///
/// PTX: none, or `mov` of zeros.
///
/// ```
/// use ptx::registers::zeroed;
/// # fn kernel() {
/// let sums: [[f32; 16]; 8] = zeroed();
/// # }
/// ```
#[inline(always)]
pub fn zeroed<T: Zeroed>() -> T {
    // SAFETY: zeros are a value of `T`.
    unsafe { core::mem::zeroed() }
}

/// What [`unroll`] lists.
const fn check(rounds: usize) {
    assert!(rounds <= 128, "`unroll` makes at most 128 rounds: put two in one another, or a loop around it");
}

/// Calls `f` with `0`, `1`, … `N - 1`: a loop of at most 128 rounds that is unrolled in the source, so that the index is a constant
/// in each of them, and arrays indexed by it stay in registers. Two in one another make the rounds of two dimensions.
///
/// `f` runs `N` times in each thread; it is the same for all, so a collective call may stand in it. There is no `break`.
///
/// PTX: that of `f`, `N` times.
///
/// ```
/// use ptx::registers::{unroll, zeroed};
/// # fn kernel(x: [f32; 8], y: [f32; 8]) {
/// let mut products: [f32; 8] = zeroed();
/// unroll::<8>(|i| products[i] = x[i] * y[i]);
/// # }
/// ```
#[inline(always)]
pub fn unroll<const N: usize>(mut f: impl FnMut(usize)) {
    const { check(N) };
    // In blocks of eight, so that a short loop is short for the compiler too.
    macro_rules! rounds {
        ($( $block:literal )*) => { $(
            if const { N > 8 * $block } {
                rounds!(@each $block 0 1 2 3 4 5 6 7);
            }
        )* };
        (@each $block:literal $( $i:literal )*) => { $(
            if const { N > 8 * $block + $i } {
                f(8 * $block + $i);
            }
        )* };
    }
    rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}

/// What [`for_each_loaded`] takes: checked where a user's call is, whose line the error names.
pub(crate) const fn loads(n: usize) {
    assert!(n > 0 && n <= 16, "a thread has 1 to 16 loads under way at a time");
}

/// Calls `f` with `first`, `first + step`, … below `count`, in this order, and what `load` gives for each; `N` loads are under way at a
/// time.
///
/// # Safety
///
/// Zeros are a value of `V`; `N` is as [`loads`] has it. No sum up to `count + N * step` wraps.
#[inline(always)]
pub(crate) unsafe fn for_each_loaded<I, V: Copy, const N: usize>(
    first: I,
    step: I,
    count: I,
    mut load: impl FnMut(I) -> V,
    mut f: impl FnMut(I, V),
) where
    I: Copy + PartialOrd + Add<Output = I> + Mul<Output = I> + From<u8>,
{
    let mut i = first;
    while i < count {
        let at = |n: usize| i + I::from(n as u8) * step;
        // SAFETY: zeros are a value by the caller's contract.
        let mut all: [V; N] = unsafe { core::mem::zeroed() };
        // A condition each, instead of a second loop for the rest: ptxas makes predicates of them.
        unroll::<N>(|n| {
            if at(n) < count {
                all[n] = load(at(n));
            }
        });
        unroll::<N>(|n| {
            if at(n) < count {
                f(at(n), all[n]);
            }
        });
        i = at(N);
    }
}

/// An array in registers whose element `i` is `f(i)`, of at most 128 elements.
///
/// `f` runs `N` times in each thread; it is the same for all, so a collective call may stand in it.
///
/// PTX: that of `f`, `N` times.
///
/// ```
/// use ptx::registers::from_fn;
/// # fn kernel(tile: &ptx::shared::Shared<'_, f32, 64, ptx::shared::Published>) {
/// let row: [f32; 8] = from_fn(|i| tile.get(i).unwrap_or(0.0));
/// # }
/// ```
#[inline(always)]
pub fn from_fn<T: Zeroed, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    // Here too, so that the message shows the caller's line.
    const { check(N) };
    let mut array: [T; N] = zeroed();
    unroll::<N>(|i| array[i] = f(i));
    array
}
