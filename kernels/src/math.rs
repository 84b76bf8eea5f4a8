//! Each approximation of `ptx::math`, and conversions (`cvt`) to halves and to eight-bit floats.

use half::{bf16, f16};
use ptx::global::{Global, GlobalVectorsMut};
use ptx::group::Cta;
use ptx::math;
use ptx::qualifier::{relu, rounding, satfinite, ty};
use ptx::raw;

/// Computes 36 results of each word of the input; `gpu/src/math_checks.rs` lists them. Each thread has one word. The output has
/// the first four results of each thread, then the next four of each thread, and so on.
///
/// Launch: a 1-D grid with `n` threads in all, 256 threads per CTA.
#[ptx::kernel(threads = 256)]
pub fn math_functions(cta: Cta, #[len(n)] input: Global<u32>, output: GlobalVectorsMut<u32>, n: u32) {
    // Each thread has one vector of every `n`: the grid has `n` threads.
    let (mut outputs, _) = output.vectors(&cta);
    let mut vector = outputs.next();
    let i = vector.as_ref().map_or(0, |(i, _)| *i);
    let (mut four, mut count) = ([0; 4], 0);
    let mut put = |result: u32| {
        four[count % 4] = result;
        count += 1;
        if count % 4 == 0
            && let Some((_, out)) = vector.take()
        {
            out.write(four);
            vector = outputs.next();
        }
    };
    let word = input.get(i).unwrap_or(0);
    // `x` is in -6 to 6, the magnitude of `positive` in 2^-100 to 2^100.
    let x = word.cast_signed() as f32 * (6.0 / 2_147_483_648.0);
    let positive = f32::from_bits((((word >> 24) % 200 + 27) << 23) | (word & 0x7f_ffff));
    let subnormal = f32::from_bits(word & 0x7f_ffff | 1);

    macro_rules! of {
        ($x:ident: $( $function:ident )*) => { $( put(math::$function($x).to_bits()); )* };
    }
    of!(positive: rcp rcp_ftz sqrt_approx sqrt_approx_ftz rsqrt rsqrt_ftz lg2 lg2_ftz ln ln_ftz);
    of!(x: sin sin_ftz cos cos_ftz ex2 ex2_ftz exp exp_ftz tanh);
    of!(subnormal: sqrt_approx sqrt_approx_ftz);

    // A pair of halves as a word, the first half in the low bits.
    let packed = |[low, high]: [u16; 2]| u32::from(low) | u32::from(high) << 16;
    let (of_halves, of_brains) =
        (|pair: [f16; 2]| packed(pair.map(f16::to_bits)), |pair: [bf16; 2]| packed(pair.map(bf16::to_bits)));
    let y = x * 0.375 - 1.0;
    let f16x2 = raw::cvt_f32x2(rounding::Rn, relu::None, satfinite::None, ty::F16x2, x, y);
    let bf16x2 = raw::cvt_f32x2(rounding::Rn, relu::None, satfinite::None, ty::Bf16x2, x, y);
    put(of_halves(f16x2));
    put(of_brains(bf16x2));
    put(of_halves(raw::cvt_f32x2(rounding::Rz, relu::Relu, satfinite::Satfinite, ty::F16x2, positive, y)));
    put(of_brains(raw::cvt_f32x2(rounding::Rz, relu::None, satfinite::None, ty::Bf16x2, positive, y)));
    put(raw::cvt_to_f32(ty::F16, f16x2[0]).to_bits());
    put(raw::cvt_to_f32(ty::Bf16, bf16x2[0]).to_bits());
    let e4m3x2 = raw::cvt_f8x2_f32(relu::None, ty::E4m3x2, x * 100.0, y);
    let e5m2x2 = raw::cvt_f8x2_f32(relu::Relu, ty::E5m2x2, positive, y);
    put(u32::from(e4m3x2) | u32::from(e5m2x2) << 16);
    put(of_halves(raw::cvt_f16x2_f8x2(relu::None, ty::E4m3x2, e4m3x2)));
    put(of_halves(raw::cvt_f16x2_f8x2(relu::None, ty::E5m2x2, e5m2x2)));
    let again = raw::cvt_f8x2(relu::None, ty::E4m3x2, ty::F16x2, f16x2);
    put(u32::from(again));
    put(of_halves(raw::ex2_approx_f16(ty::F16x2, f16x2)));
    put(of_brains(raw::ex2_approx_ftz_bf16(ty::Bf16x2, bf16x2)));
    put(of_halves(raw::tanh_approx(ty::F16x2, f16x2)));
    put(of_brains(raw::tanh_approx(ty::Bf16x2, bf16x2)));
    put(0);
}
