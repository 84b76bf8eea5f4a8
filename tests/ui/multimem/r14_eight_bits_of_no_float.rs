//! The eight-bit formats are `E4m3` and `E5m2`.

use ptx::multimem::Fp8;
use ptx::qualifier::ty;

pub fn one() -> u8 {
    #[cfg(not(fixed))]
    let one: Fp8<ty::B8> = Fp8::from_bits(0x38);
    #[cfg(fixed)]
    let one: Fp8<ty::E4m3> = Fp8::from_bits(0x38);
    one.to_bits()
}
