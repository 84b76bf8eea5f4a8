//! Register arrays: arrays that stay out of local memory, with unrolled loops (`#pragma unroll`) over them. [`zeroed`] makes an
//! array, [`unroll`] goes over it.
//!
//! A register has no address. The compiler keeps a thread's array in registers only if every index is a constant when LLVM looks
//! at the array. An index that is known at run time, or a loop that is not unrolled by then, puts the whole array into local
//! memory, which lies in the GPU's memory. Both `[0.0; 128]` and `for i in 0..128` are such loops.
//!
//! The functions do the same on the host.
//!
//! ```
//! use ptx::math::fma;
//! use ptx::registers::{unroll, zeroed};
//! /// The sum of the outer products of rows of `a` and `b`, in 64 registers.
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

/// Plain data for which all-zero bits are a value: numbers, and arrays of them.
///
/// # Safety
///
/// Implemented here only: all-zero bits are a value of the type.
#[diagnostic::on_unimplemented(
    message = "all-zero bits are not known to be a value of `{Self}`",
    label = "expected a number, or an array of numbers",
    note = "`zeroed` makes integers of 8 to 64 bits, `f32`, `f64`, and arrays of them, nested too"
)]
pub unsafe trait Zeroed: Copy {}

macro_rules! zeroed {
    ($( $T:ty ),*) => { $(
        // SAFETY: the type is a number, or two halves of one: any bit pattern is a value.
        unsafe impl Zeroed for $T {}
    )* };
}
zeroed! { u8, i8, u16, i16, u32, i32, f32, u64, i64, f64, B128, half::f16, half::bf16 }

// SAFETY: all-zero bits are a value of each element.
unsafe impl<T: Zeroed, const N: usize> Zeroed for [T; N] {}

/// Returns a value whose bits are all zero, such as an array in registers. Unlike `[0.0; 128]`, it is not a loop.
///
/// PTX: none, or `mov` of zeros.
#[inline(always)]
#[doc(alias = "cute::clear")]
pub fn zeroed<T: Zeroed>() -> T {
    // SAFETY: all-zero bits are a value of `T`: `T: Zeroed`.
    unsafe { core::mem::zeroed() }
}

/// Asserts that [`unroll`] lists this number of rounds.
const fn check(rounds: usize) {
    assert!(rounds <= 128, "`unroll` makes at most 128 rounds: nest two calls, or loop around the call");
}

/// Calls `f` with `0`, `1`, … `N - 1`: a loop of at most 128 rounds, unrolled in the source (`#pragma unroll`).
///
/// The index is a constant in each round, so arrays that it indexes stay in registers. Nest two calls for two dimensions. There
/// is no `break`. `f` runs `N` times in each thread; `N` is equal in all threads, so `f` may contain a collective call.
///
/// PTX: that of `f`, `N` times.
#[inline(always)]
pub fn unroll<const N: usize>(mut f: impl FnMut(usize)) {
    const { check(N) };
    // Blocks of eight, so that the compiler sees little code for a short loop.
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

/// Calls `f` with `first` and `0`, with the result and `1`, … and returns the last result: a loop as [`unroll`] makes it, which hands
/// a value from one round to the next. The value can be a handle, which a closure of `unroll` could not move.
///
/// PTX: that of `f`, `N` times.
///
/// ```
/// use ptx::registers::fold;
/// /// x to the power of 8.
/// fn power(x: f32) -> f32 {
///     fold::<3, _>(x, |x, _| x * x)
/// }
/// ```
#[inline(always)]
pub fn fold<const N: usize, S>(first: S, mut f: impl FnMut(S, usize) -> S) -> S {
    const { check(N) };
    let mut state = Some(first);
    unroll::<N>(|i| {
        // Always there.
        if let Some(last) = state.take() {
            state = Some(f(last, i));
        }
    });
    match state {
        Some(last) => last,
        // SAFETY: each round puts a state back; a panic of `f` does not come here.
        None => unsafe { core::hint::unreachable_unchecked() },
    }
}

/// Asserts the `N` of [`for_each_loaded`]; public callers call this, so that the error names their line.
pub(crate) const fn loads(n: usize) {
    assert!(n > 0 && n <= 16, "a thread has 1 to 16 loads in flight: choose `N` from 1 to 16");
}

/// Calls `f` with each of `first`, `first + step`, … below `count`, in this order, and with the value that `load` returns for it;
/// `N` loads are in flight at a time.
///
/// # Safety
///
/// - `N` passes [`loads`].
/// - No sum up to `count + N * step` wraps.
/// - All-zero bits are a value of `V`.
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
        // ptxas keeps more loads together for values that are always there than for `MaybeUninit`.
        // SAFETY: all-zero bits are a value of `V` (`# Safety`).
        let mut all: [V; N] = unsafe { core::mem::zeroed() };
        // A condition for each load, instead of a second loop for the rest: ptxas turns the conditions into predicates.
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

/// Returns an array in registers whose element `i` is `f(i)`, of at most 128 elements: `core::array::from_fn` with unrolled
/// calls.
///
/// `f` runs `N` times in each thread; `N` is equal in all threads, so `f` may contain a collective call.
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
    // `unroll` asserts the same; here the message shows the caller's line.
    const { check(N) };
    let mut array: [T; N] = zeroed();
    unroll::<N>(|i| array[i] = f(i));
    array
}
