//! Arithmetic, comparisons and elementary functions of half precision. A device function and a host function for single values
//! make each trait; pairs and vectors follow from them.

use half::{bf16, f16};

use super::{Arithmetic, Compare, Ex2, Ex2Ftz, HalfArithmetic, Saturate, Tanh};
#[cfg(not(target_arch = "nvptx64"))]
use crate::host;
#[cfg(target_arch = "nvptx64")]
use crate::qualifier::{cmp, ftz, nan, relu, sat, ty, xorsign};
#[cfg(target_arch = "nvptx64")]
use crate::raw;
use crate::registers::{Zeroed, from_fn};
use crate::shared::bits;

/// Implements a trait for vectors of `$n` halves, pair by pair.
macro_rules! vectors {
    ($Trait:ident $T:ident $n:literal $pairs:literal $( $method:ident($($a:ident),+) )*) => {
        #[diagnostic::do_not_recommend]
        impl $Trait for [$T; $n] { $(
            #[inline(always)]
            fn $method($($a: Self),+) -> Self {
                // SAFETY: a vector is its pairs: plain data of one size.
                unsafe {
                    $( let $a: [[$T; 2]; $pairs] = bits($a); )+
                    bits(from_fn::<[$T; 2], $pairs>(|i| <[$T; 2] as $Trait>::$method($($a[i]),+)))
                }
            }
        )* }
    };
}

/// Implements a trait for a type, its pairs, and vectors of four and eight. Each function is a function of `raw` with its tags
/// before the type; off the device it is the function of single values.
macro_rules! halves {
    ($Trait:ident: $( $T:ident $Single:ident $Pair:ident {
        $( $method:ident($($a:ident),+) $raw:ident($($axis:ident :: $tag:ident),*) $host:expr; )*
    } )*) => { $(
        #[diagnostic::do_not_recommend]
        impl $Trait for $T { $(
            #[inline(always)]
            fn $method($($a: Self),+) -> Self {
                #[cfg(target_arch = "nvptx64")]
                return raw::$raw($( $axis::$tag, )* ty::$Single, $($a),+);
                #[cfg(not(target_arch = "nvptx64"))]
                ($host)($($a),+)
            }
        )* }
        #[diagnostic::do_not_recommend]
        impl $Trait for [$T; 2] { $(
            #[inline(always)]
            fn $method($($a: Self),+) -> Self {
                #[cfg(target_arch = "nvptx64")]
                return raw::$raw($( $axis::$tag, )* ty::$Pair, $($a),+);
                #[cfg(not(target_arch = "nvptx64"))]
                [<$T as $Trait>::$method($($a[0]),+), <$T as $Trait>::$method($($a[1]),+)]
            }
        )* }
        vectors! { $Trait $T 4 2 $( $method($($a),+) )* }
        vectors! { $Trait $T 8 4 $( $method($($a),+) )* }
    )* };
}

halves! { Arithmetic:
    f16 F16 F16x2 {
        add_rn(a, b) add_f16(ftz::Keep, sat::None) host::add;
        sub_rn(a, b) sub_f16(ftz::Keep, sat::None) host::sub;
        mul_rn(a, b) mul_f16(ftz::Keep, sat::None) host::mul;
        fma_rn(a, b, c) fma_f16(ftz::Keep, sat::None) host::fma;
        lesser(a, b) min_f16(ftz::Keep, nan::Ignore, xorsign::None) host::min;
        greater(a, b) max_f16(ftz::Keep, nan::Ignore, xorsign::None) host::max;
        negative(a) neg_f16(ftz::Keep) |a: f16| -a;
        absolute(a) abs_f16(ftz::Keep) |a: f16| f16::from_bits(a.to_bits() & 0x7fff);
    }
    bf16 Bf16 Bf16x2 {
        add_rn(a, b) add_bf16() host::add;
        sub_rn(a, b) sub_bf16() host::sub;
        mul_rn(a, b) mul_bf16() host::mul;
        fma_rn(a, b, c) fma_bf16(relu::None) host::fma;
        lesser(a, b) min_bf16(nan::Ignore, xorsign::None) host::min;
        greater(a, b) max_bf16(nan::Ignore, xorsign::None) host::max;
        negative(a) neg_bf16() |a: bf16| -a;
        absolute(a) abs_bf16() |a: bf16| bf16::from_bits(a.to_bits() & 0x7fff);
    }
}

halves! { HalfArithmetic:
    f16 F16 F16x2 {
        fma_relu_rn(a, b, c) fma_relu_f16(ftz::Keep) |a, b, c| host::relu(host::fma(a, b, c));
        lesser_or_nan(a, b) min_f16(ftz::Keep, nan::Propagate, xorsign::None) host::min_nan;
        greater_or_nan(a, b) max_f16(ftz::Keep, nan::Propagate, xorsign::None) host::max_nan;
    }
    bf16 Bf16 Bf16x2 {
        fma_relu_rn(a, b, c) fma_bf16(relu::Relu) |a, b, c| host::relu(host::fma(a, b, c));
        lesser_or_nan(a, b) min_bf16(nan::Propagate, xorsign::None) host::min_nan;
        greater_or_nan(a, b) max_bf16(nan::Propagate, xorsign::None) host::max_nan;
    }
}

halves! { Saturate:
    f16 F16 F16x2 {
        add_sat_rn(a, b) add_f16(ftz::Keep, sat::Sat) |a, b| host::saturated(host::add(a, b));
        sub_sat_rn(a, b) sub_f16(ftz::Keep, sat::Sat) |a, b| host::saturated(host::sub(a, b));
        mul_sat_rn(a, b) mul_f16(ftz::Keep, sat::Sat) |a, b| host::saturated(host::mul(a, b));
        fma_sat_rn(a, b, c) fma_f16(ftz::Keep, sat::Sat) |a, b, c| host::saturated(host::fma(a, b, c));
    }
}

halves! { Ex2: f16 F16 F16x2 { ex2_approx(a) ex2_approx_f16() |a| host::by(a, f64::exp2); } }
halves! { Ex2Ftz:
    bf16 Bf16 Bf16x2 {
        ex2_approx_ftz(a) ex2_approx_ftz_bf16() |a| host::flushed_bf16(host::by(host::flushed_bf16(a), f64::exp2));
    }
}
halves! { Tanh:
    f16 F16 F16x2 { tanh_approx(a) tanh_approx() |a| host::by(a, f64::tanh); }
    bf16 Bf16 Bf16x2 { tanh_approx(a) tanh_approx() |a| host::by(a, f64::tanh); }
}

/// The results of a comparison of pairs: the 16 bits of each element are all 1 where the comparison is true, else 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct PairMask(u32);

impl PairMask {
    /// Returns the result of each element.
    #[inline(always)]
    pub const fn to_array(self) -> [bool; 2] {
        [self.0 as u16 != 0, self.0 >> 16 != 0]
    }

    /// Returns true if the comparison is true for both elements (CUDA's `__hblt2` and its like).
    #[inline(always)]
    #[doc(alias("__hbeq2", "__hblt2", "__hbgt2"))]
    pub const fn all(self) -> bool {
        self.0 == u32::MAX
    }

    /// Returns true if the comparison is true for an element.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Takes `a` where the comparison is true, `b` elsewhere.
    #[inline(always)]
    fn select<T: Copy>(self, a: [T; 2], b: [T; 2]) -> [T; 2] {
        // SAFETY: `T` is `f16` or `bf16`, whose pairs are plain data of 32 bits.
        unsafe {
            let (a, b): (u32, u32) = (bits(a), bits(b));
            bits(a & self.0 | b & !self.0)
        }
    }
}

// SAFETY: all-zero bits are two results that are false.
unsafe impl Zeroed for PairMask {}

macro_rules! comparisons {
    ($( $T:ident $Single:ident $Pair:ident $setp:ident $set:ident $flags:tt {
        $( $method:ident $Cmp:ident $op:tt; )*
    } )*) => { $(
        #[diagnostic::do_not_recommend]
        impl Compare for $T {
            type Mask = bool;
            $(
                #[inline(always)]
                fn $method(a: Self, b: Self) -> bool {
                    #[cfg(target_arch = "nvptx64")]
                    return comparisons!(@raw $setp $Cmp $flags $Single a b);
                    #[cfg(not(target_arch = "nvptx64"))]
                    (a.to_f32() $op b.to_f32())
                }
            )*
            #[inline(always)]
            fn choose(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
        }
        #[diagnostic::do_not_recommend]
        impl Compare for [$T; 2] {
            type Mask = PairMask;
            $(
                #[inline(always)]
                fn $method(a: Self, b: Self) -> PairMask {
                    #[cfg(target_arch = "nvptx64")]
                    return PairMask(comparisons!(@raw $set $Cmp $flags $Pair a b));
                    #[cfg(not(target_arch = "nvptx64"))]
                    {
                        let of = |i: usize| if <$T as Compare>::$method(a[i], b[i]) { 0xffff } else { 0 };
                        PairMask(of(0) | of(1) << 16)
                    }
                }
            )*
            #[inline(always)]
            fn choose(mask: PairMask, a: Self, b: Self) -> Self {
                mask.select(a, b)
            }
        }
        comparisons! { @vector $T 4 2 $( $method )* }
        comparisons! { @vector $T 8 4 $( $method )* }
    )* };
    (@raw $raw:ident $Cmp:ident ($( $axis:ident :: $tag:ident )?) $Ty:ident $a:ident $b:ident) => {
        raw::$raw(cmp::$Cmp, $( $axis::$tag, )? ty::$Ty, $a, $b)
    };
    (@vector $T:ident $n:literal $pairs:literal $( $method:ident )*) => {
        #[diagnostic::do_not_recommend]
        impl Compare for [$T; $n] {
            type Mask = [PairMask; $pairs];
            $(
                #[inline(always)]
                fn $method(a: Self, b: Self) -> Self::Mask {
                    // SAFETY: a vector is its pairs: plain data of one size.
                    let (a, b): ([[$T; 2]; $pairs], [[$T; 2]; $pairs]) = unsafe { (bits(a), bits(b)) };
                    from_fn(|i| <[$T; 2] as Compare>::$method(a[i], b[i]))
                }
            )*
            #[inline(always)]
            fn choose(mask: Self::Mask, a: Self, b: Self) -> Self {
                // SAFETY: a vector is its pairs: plain data of one size.
                unsafe {
                    let (a, b): ([[$T; 2]; $pairs], [[$T; 2]; $pairs]) = (bits(a), bits(b));
                    bits(from_fn::<[$T; 2], $pairs>(|i| mask[i].select(a[i], b[i])))
                }
            }
        }
    };
}
comparisons! {
    f16 F16 F16x2 setp_f16 set_f16x2 (ftz::Keep) {
        equal Eq ==; unequal Neu !=; less Lt <; less_or_equal Le <=; more Gt >; more_or_equal Ge >=;
    }
    bf16 Bf16 Bf16x2 setp_bf16 set_bf16x2 () {
        equal Eq ==; unequal Neu !=; less Lt <; less_or_equal Le <=; more Gt >; more_or_equal Ge >=;
    }
}
