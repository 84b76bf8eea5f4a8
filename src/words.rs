//! The 32-bit words of values, which instructions between lanes and marks take one by one.

use crate::qualifier::B128;
use crate::registers::unroll;

/// Plain data that shuffles and matches pass between lanes: an integer of 8 to 64 bits, `f32`, `f64`, `B128`, an array of these
/// (as a vector of 16 bytes) of 64 bytes at most; `f16` and `bf16`. Each 32 bits are one `shfl.sync`.
///
/// # Safety
///
/// Implemented here only: the type has no padding, and any bits are a value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed between the lanes of a warp",
    label = "not a number, and not an array of numbers",
    note = "a lane without a thread gives any bits: pass integers, floats, or arrays of them, and make other types of these"
)]
pub unsafe trait ShuffleValue: Copy + 'static {}

macro_rules! shuffle_values {
    ($( $T:ty ),*) => { $(
        // SAFETY: the type is a number, or two halves of one.
        unsafe impl ShuffleValue for $T {}
    )* };
}
shuffle_values! { u8, i8, u16, i16, u32, i32, f32, u64, i64, f64, B128 }
shuffle_values! { half::f16, half::bf16 }

// SAFETY: the elements of an array follow one another.
unsafe impl<T: ShuffleValue, const N: usize> ShuffleValue for [T; N] {}

/// The number of 32-bit words of a value. Public callers evaluate it in a constant, so that the error names their line.
pub const fn words<T: ShuffleValue>() -> usize {
    assert!(
        size_of::<T>() > 0 && size_of::<T>() <= 64,
        "lanes pass 1 to 64 bytes to each other: pass the parts of a larger array one after the other"
    );
    size_of::<T>().div_ceil(4)
}

/// Returns word `i` of a value; bits beyond the value are zero.
#[inline(always)]
pub fn word<T: ShuffleValue>(value: &T, i: usize) -> u32 {
    let mut word = 0_u32;
    // SAFETY: word `i` of a value has its first byte, and at most four; a `u32` has four.
    unsafe {
        let from = core::ptr::from_ref(value).cast::<u8>().add(4 * i);
        from.copy_to_nonoverlapping((&raw mut word).cast(), (size_of::<T>() - 4 * i).min(4));
    }
    word
}

/// Makes a value of what `pass` returns for each word of `value`.
#[inline(always)]
pub fn pass_words<T: ShuffleValue>(value: T, mut pass: impl FnMut(usize, u32) -> u32) -> T {
    let mut passed = value;
    let mut pass = |i: usize| {
        let word = pass(i, word(&value, i));
        // SAFETY: as in `word`; any bits are a `T`.
        unsafe {
            let to = (&raw mut passed).cast::<u8>().add(4 * i);
            to.copy_from_nonoverlapping((&raw const word).cast(), (size_of::<T>() - 4 * i).min(4));
        }
    };
    pass(0);
    if const { words::<T>() > 1 } {
        unroll::<15>(|i| {
            if i + 1 < const { words::<T>() } {
                pass(i + 1);
            }
        });
    }
    passed
}
