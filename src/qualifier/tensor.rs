//! Qualifiers of tensor cores that determine a number, or the type of operands.

use super::{Qualifier, major, n, num, scale, selector};

/// A qualifier that is an immediate, where the text of an instruction takes it as a number.
pub trait Immediate: Qualifier + Default {
    /// The number.
    #[doc(hidden)]
    const NUMBER: i32;
}
macro_rules! immediates {
    ($( $axis:ident :: $Tag:ident = $number:literal; )*) => { $(
        #[diagnostic::do_not_recommend]
        impl Immediate for $axis::$Tag {
            const NUMBER: i32 = $number;
        }
    )* };
}
immediates! {
    scale::Plus = 1; scale::Minus = -1; major::K = 0; major::Mn = 1;
    selector::S0 = 0; selector::S1 = 1; selector::S2 = 2; selector::S3 = 3;
}

/// The number of columns of a `wgmma`, which determines the accumulators of a thread.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of columns of `wgmma`: use a tag of `n`",
    label = "not legal here"
)]
pub trait Columns: Qualifier + Default {
    /// The number of columns.
    #[doc(hidden)]
    const COUNT: usize;
    /// Sums of `.f32`, in the order of the registers.
    type F32: Sums + AsRef<[f32]> + AsMut<[f32]>;
    /// Sums of `.f16`, two in each word.
    type F16: Sums + AsRef<[u32]> + AsMut<[u32]>;
    /// Sums of `.s32`.
    type S32: Sums + AsRef<[i32]> + AsMut<[i32]>;
}

/// The sums of a thread, in the order of their registers.
///
/// # Safety
///
/// Implemented in this module only: an array of words, as many as `COLUMNS` and `HALVES` say.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the sums of a `wgmma`: pass what a function of `ptx::raw` has returned",
    label = "not sums"
)]
pub unsafe trait Sums: Copy {
    /// Whether a word has two sums of `.f16`.
    #[doc(hidden)]
    const HALVES: bool;
    /// The place of the columns in `n`.
    #[doc(hidden)]
    const COLUMNS: u8;
}

/// A number of columns of a `wgmma` of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of columns of `wgmma` of integers: use `n::N8`, `N16`, `N24`, `N32` or a larger multiple of 16",
    label = "not legal here"
)]
pub trait IntegerColumns: Columns {}

macro_rules! columns {
    (@sums $Tag:ident $halves:literal $Sums:ty) => {
        #[diagnostic::do_not_recommend]
        // SAFETY: the words are those of `Columns`.
        unsafe impl Sums for $Sums {
            const HALVES: bool = $halves;
            const COLUMNS: u8 = <n::$Tag as Qualifier>::ID;
        }
    };
    ($( $Tag:ident = $n:literal $(for $Integer:ident)?; )*) => { $(
        #[diagnostic::do_not_recommend]
        impl Columns for n::$Tag {
            const COUNT: usize = $n;
            type F32 = [f32; $n / 2];
            type F16 = [u32; $n / 4];
            type S32 = [i32; $n / 2];
        }
        $(
            #[diagnostic::do_not_recommend]
            impl $Integer for n::$Tag {}
        )?
        columns! { @sums $Tag false [f32; $n / 2] }
        columns! { @sums $Tag true [u32; $n / 4] }
        columns! { @sums $Tag false [i32; $n / 2] }
    )* };
}
columns! {
    N8 = 8 for IntegerColumns; N16 = 16 for IntegerColumns; N24 = 24 for IntegerColumns; N32 = 32 for IntegerColumns;
    N40 = 40; N48 = 48 for IntegerColumns; N56 = 56; N64 = 64 for IntegerColumns;
    N72 = 72; N80 = 80 for IntegerColumns; N88 = 88; N96 = 96 for IntegerColumns;
    N104 = 104; N112 = 112 for IntegerColumns; N120 = 120; N128 = 128 for IntegerColumns;
    N136 = 136; N144 = 144 for IntegerColumns; N152 = 152; N160 = 160 for IntegerColumns;
    N168 = 168; N176 = 176 for IntegerColumns; N184 = 184; N192 = 192 for IntegerColumns;
    N200 = 200; N208 = 208 for IntegerColumns; N216 = 216; N224 = 224 for IntegerColumns;
    N232 = 232; N240 = 240 for IntegerColumns; N248 = 248; N256 = 256 for IntegerColumns;
}

/// The number of repetitions of a shape of tensor memory, which determines the registers of a thread.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of repetitions of `tcgen05.ld` or `tcgen05.st`: use a tag of `num`",
    label = "not legal here"
)]
pub trait Repetitions: Qualifier {
    /// The registers of a shape with one for each repetition.
    type Words: Copy;
    /// The registers of `.16x128b`.
    type Words2: Copy;
    /// The registers of `.16x256b`.
    type Words4: Copy;
}
macro_rules! repetitions {
    ($( $Tag:ident = $n:literal; )*) => { $(
        #[diagnostic::do_not_recommend]
        impl Repetitions for num::$Tag {
            type Words = [u32; $n];
            type Words2 = [u32; 2 * $n];
            type Words4 = [u32; 4 * $n];
        }
    )* };
}
repetitions! { X1 = 1; X2 = 2; X4 = 4; X8 = 8; X16 = 16; X32 = 32; X64 = 64; X128 = 128; }
