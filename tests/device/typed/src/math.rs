//! Approximations, and arrays in registers.

use half::{bf16, f16};
use ptx::math::{relu as relu_of, *};
use ptx::multimem::Fp8;
use ptx::qualifier::{cmp, ftz, nan, relu, rounding, sat, satfinite, ty, xorsign};
use ptx::raw;
use ptx::registers::{from_fn, unroll, zeroed};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_math_f32(x: f32, out: *mut f32) {
    let values = [
        (rcp(x), rcp_ftz(x)),
        (sqrt_approx(x), sqrt_approx_ftz(x)),
        (rsqrt(x), rsqrt_ftz(x)),
        (sin(x), sin_ftz(x)),
        (cos(x), cos_ftz(x)),
        (lg2(x), lg2_ftz(x)),
        (ex2(x), ex2_ftz(x)),
        (exp(x), exp_ftz(x)),
        (ln(x), ln_ftz(x)),
        (tanh(x), x),
    ];
    unroll::<10>(|i| unsafe {
        out.add(2 * i).write(values[i].0);
        out.add(2 * i + 1).write(values[i].1);
    });
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_math_f32(x: f32, out: *mut f32) {
    use core::f32::consts::{LN_2, LOG2_E};
    use ftz::{Flush, Keep};
    let values = [
        (raw::rcp_approx(Keep, x), raw::rcp_approx(Flush, x)),
        (raw::sqrt_approx(Keep, x), raw::sqrt_approx(Flush, x)),
        (raw::rsqrt_approx(Keep, x), raw::rsqrt_approx(Flush, x)),
        (raw::sin_approx(Keep, x), raw::sin_approx(Flush, x)),
        (raw::cos_approx(Keep, x), raw::cos_approx(Flush, x)),
        (raw::lg2_approx(Keep, x), raw::lg2_approx(Flush, x)),
        (raw::ex2_approx(Keep, x), raw::ex2_approx(Flush, x)),
        (raw::ex2_approx(Keep, x * LOG2_E), raw::ex2_approx(Flush, x * LOG2_E)),
        (raw::lg2_approx(Keep, x) * LN_2, raw::lg2_approx(Flush, x) * LN_2),
        (raw::tanh_approx(ty::F32, x), x),
    ];
    unroll::<10>(|i| unsafe {
        out.add(2 * i).write(values[i].0);
        out.add(2 * i + 1).write(values[i].1);
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_math_methods(x: f32, y: f64, out: *mut f32, doubles: *mut f64) {
    let values = [x.exp(), x.exp2(), x.ln(), x.log2(), x.sin(), x.cos(), x.tanh()];
    let exact = [x.mul_add(x, x), x.sqrt(), x.floor(), x.ceil(), x.trunc(), x.round(), x.round_ties_even()];
    let of_doubles =
        [y.mul_add(y, y), y.sqrt(), y.floor(), y.ceil(), y.trunc(), y.round(), y.round_ties_even()];
    unroll::<7>(|i| unsafe {
        out.add(i).write(values[i]);
        out.add(7 + i).write(exact[i]);
        doubles.add(i).write(of_doubles[i]);
    });
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_math_methods(x: f32, y: f64, out: *mut f32, doubles: *mut f64) {
    use core::f32::consts::{LN_2, LOG2_E};
    use core::f32::math::*;
    use core::f64::math as of_double;
    use ftz::Keep;
    let values = [
        raw::ex2_approx(Keep, x * LOG2_E),
        raw::ex2_approx(Keep, x),
        raw::lg2_approx(Keep, x) * LN_2,
        raw::lg2_approx(Keep, x),
        raw::sin_approx(Keep, x),
        raw::cos_approx(Keep, x),
        raw::tanh_approx(ty::F32, x),
    ];
    let exact = [mul_add(x, x, x), sqrt(x), floor(x), ceil(x), trunc(x), round(x), round_ties_even(x)];
    let of_doubles = [
        of_double::mul_add(y, y, y),
        of_double::sqrt(y),
        of_double::floor(y),
        of_double::ceil(y),
        of_double::trunc(y),
        of_double::round(y),
        of_double::round_ties_even(y),
    ];
    unroll::<7>(|i| unsafe {
        out.add(i).write(values[i]);
        out.add(7 + i).write(exact[i]);
        doubles.add(i).write(of_doubles[i]);
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_math_halves(x: u32, y: u16, out: *mut u32, one: *mut u16) {
    let half = |bits: u32| bits as u16;
    let (f16x2, bf16x2) = (
        [f16::from_bits(half(x)), f16::from_bits(half(x >> 16))],
        [bf16::from_bits(half(x)), bf16::from_bits(half(x >> 16))],
    );
    unsafe {
        out.cast::<[f16; 2]>().write(ex2(f16x2));
        out.cast::<[bf16; 2]>().add(1).write(ex2_ftz(bf16x2));
        out.cast::<[f16; 2]>().add(2).write(tanh(f16x2));
        out.cast::<[bf16; 2]>().add(3).write(tanh(bf16x2));
        one.write(ex2(f16::from_bits(y)).to_bits());
        one.add(1).write(ex2_ftz(bf16::from_bits(y)).to_bits());
        one.add(2).write(tanh(f16::from_bits(y)).to_bits());
        one.add(3).write(tanh(bf16::from_bits(y)).to_bits());
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_math_halves(x: u32, y: u16, out: *mut u32, one: *mut u16) {
    let half = |bits: u32| bits as u16;
    let (f16x2, bf16x2) = (
        [f16::from_bits(half(x)), f16::from_bits(half(x >> 16))],
        [bf16::from_bits(half(x)), bf16::from_bits(half(x >> 16))],
    );
    unsafe {
        out.cast::<[f16; 2]>().write(raw::ex2_approx_f16(ty::F16x2, f16x2));
        out.cast::<[bf16; 2]>().add(1).write(raw::ex2_approx_ftz_bf16(ty::Bf16x2, bf16x2));
        out.cast::<[f16; 2]>().add(2).write(raw::tanh_approx(ty::F16x2, f16x2));
        out.cast::<[bf16; 2]>().add(3).write(raw::tanh_approx(ty::Bf16x2, bf16x2));
        one.write(raw::ex2_approx_f16(ty::F16, f16::from_bits(y)).to_bits());
        one.add(1).write(raw::ex2_approx_ftz_bf16(ty::Bf16, bf16::from_bits(y)).to_bits());
        one.add(2).write(raw::tanh_approx(ty::F16, f16::from_bits(y)).to_bits());
        one.add(3).write(raw::tanh_approx(ty::Bf16, bf16::from_bits(y)).to_bits());
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_math_pairs_f16(
    a: *const [f16; 2],
    b: *const [f16; 2],
    c: *const [f16; 2],
    out: *mut [f16; 2],
) {
    let (a, b, c) = unsafe { (*a, *b, *c) };
    let results = [
        add(a, b),
        sub(a, b),
        mul(a, b),
        fma(a, b, c),
        min(a, b),
        max(a, b),
        neg(a),
        abs(a),
        fma_relu(a, b, c),
        min_nan(a, b),
        max_nan(a, b),
        relu_of(a),
        add_sat(a, b),
        sub_sat(a, b),
        mul_sat(a, b),
        fma_sat(a, b, c),
    ];
    unroll::<16>(|i| unsafe { out.add(i).write(results[i]) });
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_math_pairs_f16(
    a: *const [f16; 2],
    b: *const [f16; 2],
    c: *const [f16; 2],
    out: *mut [f16; 2],
) {
    let (a, b, c) = unsafe { (*a, *b, *c) };
    let results = [
        raw::add_f16(ftz::Keep, sat::None, ty::F16x2, a, b),
        raw::sub_f16(ftz::Keep, sat::None, ty::F16x2, a, b),
        raw::mul_f16(ftz::Keep, sat::None, ty::F16x2, a, b),
        raw::fma_f16(ftz::Keep, sat::None, ty::F16x2, a, b, c),
        raw::min_f16(ftz::Keep, nan::Ignore, xorsign::None, ty::F16x2, a, b),
        raw::max_f16(ftz::Keep, nan::Ignore, xorsign::None, ty::F16x2, a, b),
        raw::neg_f16(ftz::Keep, ty::F16x2, a),
        raw::abs_f16(ftz::Keep, ty::F16x2, a),
        raw::fma_relu_f16(ftz::Keep, ty::F16x2, a, b, c),
        raw::min_f16(ftz::Keep, nan::Propagate, xorsign::None, ty::F16x2, a, b),
        raw::max_f16(ftz::Keep, nan::Propagate, xorsign::None, ty::F16x2, a, b),
        raw::max_f16(ftz::Keep, nan::Propagate, xorsign::None, ty::F16x2, a, [f16::ZERO; 2]),
        raw::add_f16(ftz::Keep, sat::Sat, ty::F16x2, a, b),
        raw::sub_f16(ftz::Keep, sat::Sat, ty::F16x2, a, b),
        raw::mul_f16(ftz::Keep, sat::Sat, ty::F16x2, a, b),
        raw::fma_f16(ftz::Keep, sat::Sat, ty::F16x2, a, b, c),
    ];
    unroll::<16>(|i| unsafe { out.add(i).write(results[i]) });
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_math_pairs_bf16(
    a: *const [bf16; 2],
    b: *const [bf16; 2],
    c: *const [bf16; 2],
    out: *mut [bf16; 2],
) {
    let (a, b, c) = unsafe { (*a, *b, *c) };
    let results = [
        add(a, b),
        sub(a, b),
        mul(a, b),
        fma(a, b, c),
        min(a, b),
        max(a, b),
        neg(a),
        abs(a),
        fma_relu(a, b, c),
        min_nan(a, b),
        max_nan(a, b),
        relu_of(a),
    ];
    unroll::<12>(|i| unsafe { out.add(i).write(results[i]) });
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_math_pairs_bf16(
    a: *const [bf16; 2],
    b: *const [bf16; 2],
    c: *const [bf16; 2],
    out: *mut [bf16; 2],
) {
    let (a, b, c) = unsafe { (*a, *b, *c) };
    let results = [
        raw::add_bf16(ty::Bf16x2, a, b),
        raw::sub_bf16(ty::Bf16x2, a, b),
        raw::mul_bf16(ty::Bf16x2, a, b),
        raw::fma_bf16(relu::None, ty::Bf16x2, a, b, c),
        raw::min_bf16(nan::Ignore, xorsign::None, ty::Bf16x2, a, b),
        raw::max_bf16(nan::Ignore, xorsign::None, ty::Bf16x2, a, b),
        raw::neg_bf16(ty::Bf16x2, a),
        raw::abs_bf16(ty::Bf16x2, a),
        raw::fma_bf16(relu::Relu, ty::Bf16x2, a, b, c),
        raw::min_bf16(nan::Propagate, xorsign::None, ty::Bf16x2, a, b),
        raw::max_bf16(nan::Propagate, xorsign::None, ty::Bf16x2, a, b),
        raw::max_bf16(nan::Propagate, xorsign::None, ty::Bf16x2, a, [bf16::ZERO; 2]),
    ];
    unroll::<12>(|i| unsafe { out.add(i).write(results[i]) });
}
/// Comparisons of singles and pairs, and a choice by each.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_math_comparisons(
    a: *const [f16; 2],
    b: *const [f16; 2],
    x: *const [bf16; 2],
    y: *const [bf16; 2],
    masks: *mut u32,
    bools: *mut bool,
) {
    let (a, b, x, y) = unsafe { (*a, *b, *x, *y) };
    let of = |mask: PairMask| mask.to_array().map(u32::from);
    let of_pairs = [
        of(eq(a, b)),
        of(eq(x, y)),
        of(ne(a, b)),
        of(ne(x, y)),
        of(lt(a, b)),
        of(lt(x, y)),
        of(le(a, b)),
        of(le(x, y)),
        of(gt(a, b)),
        of(gt(x, y)),
        of(ge(a, b)),
        of(ge(x, y)),
    ];
    let of_singles = [
        eq(a[0], b[0]),
        eq(x[0], y[0]),
        ne(a[0], b[0]),
        ne(x[0], y[0]),
        lt(a[0], b[0]),
        lt(x[0], y[0]),
        le(a[0], b[0]),
        le(x[0], y[0]),
        gt(a[0], b[0]),
        gt(x[0], y[0]),
        ge(a[0], b[0]),
        ge(x[0], y[0]),
    ];
    let mask = lt(a, b);
    let chosen = select(mask, a, b);
    let more = [mask.all(), mask.any(), mask.to_array()[0], mask.to_array()[1]];
    unroll::<12>(|i| unsafe {
        masks.add(2 * i).cast::<[u32; 2]>().write(of_pairs[i]);
        bools.add(i).write(of_singles[i]);
    });
    unroll::<4>(|i| unsafe { bools.add(12 + i).write(more[i]) });
    unsafe { masks.add(24).cast::<[f16; 2]>().write(chosen) };
}
/// Comparisons of singles and pairs, and a choice by each.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_math_comparisons(
    a: *const [f16; 2],
    b: *const [f16; 2],
    x: *const [bf16; 2],
    y: *const [bf16; 2],
    masks: *mut u32,
    bools: *mut bool,
) {
    let (a, b, x, y) = unsafe { (*a, *b, *x, *y) };
    let of = |mask: u32| [mask as u16 != 0, mask >> 16 != 0].map(u32::from);
    let of_pairs = [
        of(raw::set_f16x2(cmp::Eq, ftz::Keep, ty::F16x2, a, b)),
        of(raw::set_bf16x2(cmp::Eq, ty::Bf16x2, x, y)),
        of(raw::set_f16x2(cmp::Neu, ftz::Keep, ty::F16x2, a, b)),
        of(raw::set_bf16x2(cmp::Neu, ty::Bf16x2, x, y)),
        of(raw::set_f16x2(cmp::Lt, ftz::Keep, ty::F16x2, a, b)),
        of(raw::set_bf16x2(cmp::Lt, ty::Bf16x2, x, y)),
        of(raw::set_f16x2(cmp::Le, ftz::Keep, ty::F16x2, a, b)),
        of(raw::set_bf16x2(cmp::Le, ty::Bf16x2, x, y)),
        of(raw::set_f16x2(cmp::Gt, ftz::Keep, ty::F16x2, a, b)),
        of(raw::set_bf16x2(cmp::Gt, ty::Bf16x2, x, y)),
        of(raw::set_f16x2(cmp::Ge, ftz::Keep, ty::F16x2, a, b)),
        of(raw::set_bf16x2(cmp::Ge, ty::Bf16x2, x, y)),
    ];
    let of_singles = [
        raw::setp_f16(cmp::Eq, ftz::Keep, ty::F16, a[0], b[0]),
        raw::setp_bf16(cmp::Eq, ty::Bf16, x[0], y[0]),
        raw::setp_f16(cmp::Neu, ftz::Keep, ty::F16, a[0], b[0]),
        raw::setp_bf16(cmp::Neu, ty::Bf16, x[0], y[0]),
        raw::setp_f16(cmp::Lt, ftz::Keep, ty::F16, a[0], b[0]),
        raw::setp_bf16(cmp::Lt, ty::Bf16, x[0], y[0]),
        raw::setp_f16(cmp::Le, ftz::Keep, ty::F16, a[0], b[0]),
        raw::setp_bf16(cmp::Le, ty::Bf16, x[0], y[0]),
        raw::setp_f16(cmp::Gt, ftz::Keep, ty::F16, a[0], b[0]),
        raw::setp_bf16(cmp::Gt, ty::Bf16, x[0], y[0]),
        raw::setp_f16(cmp::Ge, ftz::Keep, ty::F16, a[0], b[0]),
        raw::setp_bf16(cmp::Ge, ty::Bf16, x[0], y[0]),
    ];
    let mask = raw::set_f16x2(cmp::Lt, ftz::Keep, ty::F16x2, a, b);
    let words = |pair: [f16; 2]| unsafe { core::mem::transmute::<[f16; 2], u32>(pair) };
    let chosen = unsafe { core::mem::transmute::<u32, [f16; 2]>(words(a) & mask | words(b) & !mask) };
    let more = [mask == u32::MAX, mask != 0, mask as u16 != 0, mask >> 16 != 0];
    unroll::<12>(|i| unsafe {
        masks.add(2 * i).cast::<[u32; 2]>().write(of_pairs[i]);
        bools.add(i).write(of_singles[i]);
    });
    unroll::<4>(|i| unsafe { bools.add(12 + i).write(more[i]) });
    unsafe { masks.add(24).cast::<[f16; 2]>().write(chosen) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_math_convert(
    x: *const [f32; 2],
    h: *const [f16; 2],
    b: *const [bf16; 2],
    e: u16,
    n: i32,
    out: *mut u32,
) {
    let (x, h, b) = unsafe { (*x, *h, *b) };
    let e4m3 = [Fp8::<ty::E4m3>::from_bits(e as u8), Fp8::from_bits((e >> 8) as u8)];
    let e5m2 = [Fp8::<ty::E5m2>::from_bits(e as u8), Fp8::from_bits((e >> 8) as u8)];
    unsafe {
        out.cast::<[f16; 2]>().write(convert(x));
        out.add(1).cast::<[bf16; 2]>().write(convert(x));
        out.add(2).cast::<[f32; 2]>().write(convert(h));
        out.add(4).cast::<[f32; 2]>().write(convert(b));
        out.add(6).cast::<[bf16; 2]>().write(convert(h));
        out.add(7).cast::<[f16; 2]>().write(convert(b));
        out.add(8).cast::<[Fp8<ty::E4m3>; 2]>().write(convert(x));
        out.add(9).cast::<[Fp8<ty::E5m2>; 2]>().write(convert(h));
        out.add(10).cast::<[Fp8<ty::E4m3>; 2]>().write(convert(b));
        out.add(11).cast::<[f16; 2]>().write(convert(e4m3));
        out.add(12).cast::<[f32; 2]>().write(convert(e5m2));
        out.add(14).cast::<[bf16; 2]>().write(convert(e4m3));
        out.add(15).cast::<f32>().write(to_tf32(x[0]));
        out.add(16).cast::<f16>().write(convert(n));
        out.add(17).cast::<bf16>().write(convert(n.cast_unsigned()));
        out.add(18).cast::<i32>().write(convert(h[0]));
        out.add(19).cast::<u16>().write(convert(b[0]));
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_math_convert(
    x: *const [f32; 2],
    h: *const [f16; 2],
    b: *const [bf16; 2],
    e: u16,
    n: i32,
    out: *mut u32,
) {
    let (x, h, b) = unsafe { (*x, *h, *b) };
    use rounding::{Rn, Rzi};
    let to_f16x2 = |x: [f32; 2]| raw::cvt_f32x2(Rn, relu::None, satfinite::None, ty::F16x2, x[1], x[0]);
    let to_bf16x2 = |x: [f32; 2]| raw::cvt_f32x2(Rn, relu::None, satfinite::None, ty::Bf16x2, x[1], x[0]);
    let of_bf16 = |x: bf16| raw::cvt_to_f32(ty::Bf16, x);
    let of_f16 = |x: f16| raw::cvt_to_f32(ty::F16, x);
    // Through a word, as `convert` reads a pair.
    let of_word = |word: u32| [word as u16, (word >> 16) as u16];
    let of_f16x2 = |x: [f16; 2]| {
        let [a, b] = of_word(unsafe { core::mem::transmute::<[f16; 2], u32>(x) });
        [of_f16(f16::from_bits(a)), of_f16(f16::from_bits(b))]
    };
    let of_bf16x2 = |x: [bf16; 2]| {
        let [a, b] = of_word(unsafe { core::mem::transmute::<[bf16; 2], u32>(x) });
        [of_bf16(bf16::from_bits(a)), of_bf16(bf16::from_bits(b))]
    };
    unsafe {
        out.cast::<[f16; 2]>().write(to_f16x2(x));
        out.add(1).cast::<[bf16; 2]>().write(to_bf16x2(x));
        out.add(2).cast::<[f32; 2]>().write(of_f16x2(h));
        out.add(4).cast::<[f32; 2]>().write(of_bf16x2(b));
        out.add(6).cast::<[bf16; 2]>().write([raw::cvt_bf16_f16(h[0]), raw::cvt_bf16_f16(h[1])]);
        out.add(7).cast::<[f16; 2]>().write([raw::cvt_f16_bf16(b[0]), raw::cvt_f16_bf16(b[1])]);
        out.add(8).cast::<u16>().write(raw::cvt_f8x2_f32(relu::None, ty::E4m3x2, x[1], x[0]));
        out.add(9).cast::<u16>().write(raw::cvt_f8x2(relu::None, ty::E5m2x2, ty::F16x2, h));
        let wide = of_bf16x2(b);
        out.add(10).cast::<u16>().write(raw::cvt_f8x2_f32(relu::None, ty::E4m3x2, wide[1], wide[0]));
        out.add(11).cast::<[f16; 2]>().write(raw::cvt_f16x2_f8x2(relu::None, ty::E4m3x2, e));
        let halves = raw::cvt_f16x2_f8x2(relu::None, ty::E5m2x2, e);
        out.add(12).cast::<[f32; 2]>().write(of_f16x2(halves));
        let halves = raw::cvt_f16x2_f8x2(relu::None, ty::E4m3x2, e);
        out.add(14).cast::<[bf16; 2]>().write([raw::cvt_bf16_f16(halves[0]), raw::cvt_bf16_f16(halves[1])]);
        out.add(15).cast::<f32>().write(raw::cvt_tf32(Rn, relu::None, x[0]));
        out.add(16).cast::<f16>().write(raw::cvt_f16_integer(Rn, ty::S32, n));
        out.add(17).cast::<bf16>().write(raw::cvt_bf16_integer(Rn, ty::U32, n.cast_unsigned()));
        out.add(18).cast::<i32>().write(raw::cvt_integer_f16(Rzi, ty::S32, h[0]));
        out.add(19).cast::<u16>().write(raw::cvt_integer_bf16(Rzi, ty::U16, b[0]));
    }
}

/// Multiplies two columns by two rows, without a loop.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_registers_outer(a: *const f32, b: *const f32, out: *mut f32, n: u32) {
    let mut sums: [[f32; 2]; 2] = zeroed();
    for k in 0..n as usize {
        let a: [f32; 2] = from_fn(|i| unsafe { a.add(2 * k + i).read() });
        let b: [f32; 2] = from_fn(|i| unsafe { b.add(2 * k + i).read() });
        unroll::<2>(|i| unroll::<2>(|j| sums[i][j] = fma(a[i], b[j], sums[i][j])));
    }
    unroll::<4>(|i| unsafe { out.add(i).write(sums[i / 2][i % 2]) });
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_registers_outer(a: *const f32, b: *const f32, out: *mut f32, n: u32) {
    let (mut s00, mut s01, mut s10, mut s11) = (0.0_f32, 0.0_f32, 0.0_f32, 0.0_f32);
    for k in 0..n as usize {
        let (a0, a1) = unsafe { (a.add(2 * k).read(), a.add(2 * k + 1).read()) };
        let (b0, b1) = unsafe { (b.add(2 * k).read(), b.add(2 * k + 1).read()) };
        s00 = core::f32::math::mul_add(a0, b0, s00);
        s01 = core::f32::math::mul_add(a0, b1, s01);
        s10 = core::f32::math::mul_add(a1, b0, s10);
        s11 = core::f32::math::mul_add(a1, b1, s11);
    }
    for (i, sum) in [s00, s01, s10, s11].into_iter().enumerate() {
        unsafe { out.add(i).write(sum) };
    }
}
