//! Approximations, and arrays in registers.

use half::{bf16, f16};
use ptx::math::*;
use ptx::qualifier::{ftz, ty};
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
