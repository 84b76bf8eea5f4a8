//! The elements of matrices that `wgmma` multiplies.

use crate::fp8::Fp8;
use crate::qualifier::{Columns, scale};
use crate::raw::{self, WgmmaF8, WgmmaMajor};
use crate::shared::Element;

/// Elements of matrices that `wgmma` multiplies with sums of `f32`: `bf16`, `f16`, `f32` as `.tf32`, and eight-bit floats.
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`wgmma` does not multiply matrices of `{Self}` with sums of `f32`",
    label = "not `bf16`, `f16`, `f32` or `Fp8`",
    note = "`ptx::raw` has further types: integers and bits"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Multiplicand: Element {
    /// The elements along K of one instruction: 32 bytes.
    #[doc(hidden)]
    const STEP: usize = 32 / size_of::<Self>();
    /// Starts the product of two operands in shared memory.
    ///
    /// # Safety
    ///
    /// As `raw::wgmma_mma_async_f32_bf16`.
    #[doc(hidden)]
    unsafe fn wgmma<N: Columns, A: WgmmaMajor, B: WgmmaMajor>(
        d: N::F32,
        a: u64,
        b: u64,
        scale_d: bool,
    ) -> N::F32;
}

/// Elements of A that can be in registers as [`Packed`](super::Packed) has them: `bf16` or `f16`.
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` in registers is not an operand of `mma_registers`",
    label = "not `bf16` or `f16`",
    note = "`ptx::raw` has further types"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait RegisterMultiplicand: Multiplicand {
    /// Starts the product of values in registers and an operand in shared memory.
    ///
    /// # Safety
    ///
    /// As `raw::wgmma_mma_async_f32_bf16_registers`.
    #[doc(hidden)]
    unsafe fn wgmma_registers<N: Columns, B: WgmmaMajor>(
        d: N::F32,
        a: [u32; 4],
        b: u64,
        scale_d: bool,
    ) -> N::F32;
}

macro_rules! multiplicands {
    ($( $T:ty: $name:ident $( ($($major:ident),*) $registers:ident )?; )*) => { $(
        // SAFETY: the instruction is that of the type.
        unsafe impl Multiplicand for $T {
            #[inline(always)]
            unsafe fn wgmma<N: Columns, A: WgmmaMajor, B: WgmmaMajor>(d: N::F32, a: u64, b: u64, scale_d: bool) -> N::F32 {
                // SAFETY: the caller keeps the contract of the instruction (`# Safety`).
                unsafe { raw::$name(N::default(), scale::Plus, scale::Plus, $( $($major::default()),*, )? d, a, b, scale_d) }
            }
        }
        $(
            // SAFETY: the instruction is that of the type.
            unsafe impl RegisterMultiplicand for $T {
                #[inline(always)]
                unsafe fn wgmma_registers<N: Columns, B: WgmmaMajor>(d: N::F32, a: [u32; 4], b: u64, scale_d: bool) -> N::F32 {
                    // SAFETY: the caller keeps the contract of the instruction (`# Safety`).
                    unsafe { raw::$registers(N::default(), scale::Plus, scale::Plus, B::default(), d, a, b, scale_d) }
                }
            }
        )?
    )* };
}
multiplicands! {
    half::bf16: wgmma_mma_async_f32_bf16 (A, B) wgmma_mma_async_f32_bf16_registers;
    half::f16: wgmma_mma_async_f32_f16 (A, B) wgmma_mma_async_f32_f16_registers;
    f32: wgmma_mma_async_f32_tf32;
}

// SAFETY: the instruction is that of the types.
unsafe impl<F> Multiplicand for Fp8<F>
where
    F: WgmmaF8 + Default,
    Fp8<F>: Element,
{
    #[inline(always)]
    unsafe fn wgmma<N: Columns, A: WgmmaMajor, B: WgmmaMajor>(
        d: N::F32,
        a: u64,
        b: u64,
        scale_d: bool,
    ) -> N::F32 {
        let (n, of_a, of_b) = (N::default(), F::default(), F::default());
        // SAFETY: the caller keeps the contract of the instruction (`# Safety`).
        unsafe { raw::wgmma_mma_async_f32_f8(n, of_a, of_b, scale::Plus, scale::Plus, d, a, b, scale_d) }
    }
}
