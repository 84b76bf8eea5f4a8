//! The elements of matrices that `tcgen05.mma` multiplies.

use crate::fp8::Fp8;
use crate::qualifier::{collector, cta_group, kind, ty};
use crate::raw;
use crate::shared::Element;

/// Elements of matrices that `tcgen05.mma` multiplies with sums of `f32`: `bf16`, `f16`, `f32` as `.tf32`, and eight-bit floats.
///
/// # Safety
///
/// Implemented here only: `mma` is the instruction of the kind of the type, `FORMAT` the number of the type in its instruction
/// descriptor.
#[diagnostic::on_unimplemented(
    message = "`tcgen05.mma` does not multiply matrices of `{Self}` with sums of `f32`",
    label = "not `bf16`, `f16`, `f32` or `Fp8`",
    note = "`ptx::raw` has further types: integers, floats of 6 and 4 bits, and block scaling"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Tcgen05Multiplicand: Element {
    /// The elements along K of one instruction: 32 bytes.
    #[doc(hidden)]
    const STEP: usize = 32 / size_of::<Self>();
    /// The type of A or B in the instruction descriptor (PTX ISA 9.7.16.4.2).
    #[doc(hidden)]
    const FORMAT: u32;
    /// Starts a product.
    ///
    /// # Safety
    ///
    /// As `raw::tcgen05_mma`.
    #[doc(hidden)]
    unsafe fn mma(d: u32, a: u64, b: u64, idesc: u32, adds: bool);
}

macro_rules! multiplicands {
    ($( $T:ty: $Kind:ident $format:literal; )*) => { $(
        // SAFETY: the kind and the number are those of the type.
        unsafe impl Tcgen05Multiplicand for $T {
            const FORMAT: u32 = $format;
            #[inline(always)]
            unsafe fn mma(d: u32, a: u64, b: u64, idesc: u32, adds: bool) {
                // SAFETY: the caller keeps the contract of the instruction (`# Safety`).
                unsafe { raw::tcgen05_mma(cta_group::One, kind::$Kind, collector::Discard, d, a, b, idesc, adds) }
            }
        }
    )* };
}
multiplicands! {
    half::f16: F16 0;
    half::bf16: F16 1;
    f32: Tf32 2;
    Fp8<ty::E4m3>: F8f6f4 0;
    Fp8<ty::E5m2>: F8f6f4 1;
}
