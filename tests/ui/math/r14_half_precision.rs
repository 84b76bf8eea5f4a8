//! Arithmetic, saturation, a comparison and a conversion of types that the instructions do not take.

use ptx::math::{Fp8, add, add_sat, convert, fma_relu, lt, select};
use ptx::qualifier::ty;
use ptx::{bf16, f16};

pub fn kernel(a: f16, x: [f16; 8], y: [bf16; 2], wide: f32, word: u32) {
    #[cfg(not(fixed))]
    let _ = (add(word, word), fma_relu(wide, wide, wide));
    #[cfg(fixed)]
    let _ = (word + word, add(wide, wide).max(0.0));

    // A product of a value and a vector: both operands have one type.
    #[cfg(not(fixed))]
    let _ = add(a, x);
    #[cfg(fixed)]
    let _ = add([a; 8], x);

    #[cfg(not(fixed))]
    let _ = add_sat(y, y);
    #[cfg(fixed)]
    let _ = add(y, y);

    #[cfg(not(fixed))]
    let _ = select(lt(wide, wide), wide, wide);
    #[cfg(fixed)]
    let _ = select(lt(y, y), y, y);

    #[cfg(not(fixed))]
    let _: Fp8<ty::E4m3> = convert(a);
    #[cfg(fixed)]
    let _: [Fp8<ty::E4m3>; 2] = convert([a; 2]);
}
