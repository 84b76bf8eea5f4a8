//! Eight-bit floats.

use core::marker::PhantomData;

use crate::qualifier::Sealed;
use crate::raw::MultimemByteType;
use crate::registers::Zeroed;

/// An eight-bit float of format `F`, [`ty::E4m3`](crate::qualifier::ty::E4m3) or
/// [`ty::E5m2`](crate::qualifier::ty::E5m2), stored as its bits (CUDA's `__nv_fp8_e4m3` and
/// `__nv_fp8_e5m2`).
///
/// Arrays of `Fp8` can be at a multimem address, on sm_100f, sm_110f and higher in their families, sm_120a and sm_121a:
///
/// | | |
/// |---|---|
/// | 4 bytes | `[Fp8<F>; 4]`, `[[Fp8<F>; 2]; 2]`, `[[Fp8<F>; 1]; 4]` |
/// | 8 bytes | `[Fp8<F>; 8]`, `[[Fp8<F>; 2]; 4]`, `[[Fp8<F>; 4]; 2]` |
/// | 16 bytes | `[[Fp8<F>; 2]; 8]`, `[[Fp8<F>; 4]; 4]` |
///
/// Arrays of one size make the same access, which PTX can spell in several ways. Groups of four, packed as `.e4m3x4` or
/// `.e5m2x4`, are never slower than the others: for a `[Fp8<F>; 8]`, ptxas 13.5 moves the bytes around. `Fp8` has no arithmetic:
/// [`convert`](crate::math::convert) makes another float of it.
///
/// ```
/// # use ptx::multimem::{Fp8, MulticastRef};
/// # use ptx::qualifier::{sem, ty};
/// # #[cfg(feature = "sm_100a")]
/// # fn kernel(gradients: MulticastRef<[Fp8<ty::E4m3>; 4]>) {
/// let one = Fp8::<ty::E4m3>::from_bits(0x38);
/// gradients.store([one; 4], sem::Relaxed); // multimem.st.relaxed.sys.global.e4m3x4
/// // multimem.ld_reduce.relaxed.sys.global.add.acc::f16.e4m3x4
/// let sums = gradients.load_reduce_add_acc_f16(sem::Relaxed).map(Fp8::to_bits);
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
#[doc(alias("__nv_fp8_e4m3", "__nv_fp8_e5m2"))]
pub struct Fp8<F> {
    bits: u8,
    _format: PhantomData<F>,
}

impl<F: MultimemByteType> Fp8<F> {
    /// Makes the float that has the bits `bits`.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        Fp8 { bits, _format: PhantomData }
    }

    /// Returns the bits of the float.
    #[inline(always)]
    #[doc(alias = "__nv_fp8_e4m3::__x")]
    pub const fn to_bits(self) -> u8 {
        self.bits
    }
}
impl<F: MultimemByteType> Sealed for [Fp8<F>; 2] {}
impl<F: MultimemByteType> Sealed for [Fp8<F>; 4] {}
impl<F: MultimemByteType> Sealed for [Fp8<F>; 8] {}
// SAFETY: a byte, of which all bit patterns are a value.
unsafe impl<F: MultimemByteType> Zeroed for Fp8<F> {}
