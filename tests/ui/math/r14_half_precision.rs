//! The functions of half precision take floats, pairs and vectors, all of one type.

use ptx::math::*;
use ptx::multimem::Fp8;
use ptx::qualifier::ty;
use ptx::{bf16, f16};

pub fn kernel(a: f16, x: [f16; 8], y: [bf16; 2], word: u32) {
    #[cfg(fixed)]
    let word = f32::from_bits(word);
    let _ = (add(word, word), sub(word, word), mul(word, word), fma(word, word, word));
    let _ = (min(word, word), max(word, word), neg(word), abs(word));

    // A product of a value and a vector.
    #[cfg(not(fixed))]
    let _ = mul(a, x);
    #[cfg(fixed)]
    let _ = mul([a; 8], x);

    #[cfg(fixed)]
    let word = y;
    let _ = (fma_relu(word, word, word), relu(word), min_nan(word, word), max_nan(word, word));
    let _ = (eq(word, word), ne(word, word), lt(word, word), le(word, word), gt(word, word), ge(word, word));
    #[cfg(not(fixed))]
    let _ = select(true, word, word);
    #[cfg(fixed)]
    let _ = select(lt(word, y), word, y);

    #[cfg(fixed)]
    let y = x;
    let _ = (add_sat(y, y), sub_sat(y, y), mul_sat(y, y), fma_sat(y, y, y));

    #[cfg(not(fixed))]
    let _: [Fp8<ty::E4m3>; 2] = convert(a);
    #[cfg(fixed)]
    let _: [Fp8<ty::E4m3>; 2] = convert([a; 2]);
    #[cfg(not(fixed))]
    let _ = to_tf32(a);
    #[cfg(fixed)]
    let _ = to_tf32(convert(a));
}
