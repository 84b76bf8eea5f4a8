//! Functions of half precision that `tests/halves.rs` calls on the host and in the interpreter, and kernels whose machine code
//! `tests/sass.rs` reads.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]
#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]

use ptx::global::{Global, GlobalElementsMut, GlobalVectorsMut};
use ptx::group::Cta;
use ptx::math::{self, Arithmetic, convert};
use ptx::multimem::Fp8;
use ptx::qualifier::ty;
use ptx::reduce::ReduceMemory;
use ptx::shared::Element;
use ptx::{bf16, f16};

ptx::panic_handler!();

/// The number of results of [`exact_f16`] and [`exact_bf16`].
pub const EXACT: usize = 40;

/// Two halves in a word, the first in the low bits.
pub trait Pair: Copy {
    fn word(self) -> u32;
    fn of(word: u32) -> Self;
}
macro_rules! pairs {
    ($( $T:ident ),*) => { $(
        impl Pair for [$T; 2] {
            #[inline(always)]
            fn word(self) -> u32 {
                u32::from(self[0].to_bits()) | u32::from(self[1].to_bits()) << 16
            }
            #[inline(always)]
            fn of(word: u32) -> Self {
                [$T::from_bits(word as u16), $T::from_bits((word >> 16) as u16)]
            }
        }
    )* };
}
pairs! { f16, bf16 }

#[inline(always)]
fn bools(mask: [bool; 2]) -> u32 {
    u32::from(mask[0]) | u32::from(mask[1]) << 16
}

/// The results of all functions of pairs and single values that round as IEEE 754 says: pairs of `T` and numbers.
macro_rules! exact {
    ($name:ident $T:ident $Other:ident, $( $more:expr ),* ; $a:ident $b:ident $c:ident) => {
        #[inline(always)]
        pub fn $name(a: u32, b: u32, c: u32) -> [u32; EXACT] {
            let ($a, $b, $c): ([$T; 2], [$T; 2], [$T; 2]) = (Pair::of(a), Pair::of(b), Pair::of(c));
            let masks = [
                math::eq($a, $b), math::ne($a, $b), math::lt($a, $b), math::le($a, $b), math::gt($a, $b), math::ge($a, $b),
            ];
            let singles = [
                math::eq($a[0], $b[0]), math::ne($a[0], $b[0]), math::lt($a[0], $b[0]), math::le($a[0], $b[0]),
                math::gt($a[0], $b[0]), math::ge($a[0], $b[0]),
            ];
            let mut bits = 0;
            ptx::registers::unroll::<6>(|i| {
                bits |= bools(masks[i].to_array()) << i;
                bits |= u32::from(singles[i]) << (6 + i) | u32::from(masks[i].any()) << (22 + i);
            });
            let wide: [f32; 2] = convert($a);
            let of_wide: [$T; 2] = convert([wide[0] * wide[1], wide[1] + 1e-3]);
            let other: [$Other; 2] = convert($a);
            let e4m3: [Fp8<ty::E4m3>; 2] = convert($a);
            let e5m2: [Fp8<ty::E5m2>; 2] = convert($a);
            let back4: [$T; 2] = convert(e4m3);
            let back5: [$T; 2] = convert(e5m2);
            let vector = math::fma([$a[0], $a[1], $b[0], $b[1]], [$c[0]; 4], [$b[1], $b[0], $a[1], $a[0]]);
            let double: [f64; 2] = [convert($a[0]), convert($a[1])];
            let long = u64::from(a) << 32 | u64::from(b);
            // Halfway between two `bf16`, or just above.
            let halfway = u64::from(a as u8 | 0x80) << 56 | 1 << 55 | u64::from(b & 1);
            let fold = |long: u64| long as u32 ^ (long >> 32) as u32;
            let bytes = [
                convert::<Fp8<ty::E4m3>>($a[0]).to_bits(), convert::<Fp8<ty::E5m2>>($b[0]).to_bits(),
                convert::<Fp8<ty::E4m3>>(wide[1]).to_bits(), convert::<Fp8<ty::E5m2>>(wide[0]).to_bits(),
            ];
            let eight: [f32; 8] = convert([$a[0], $a[1], $b[0], $b[1], $c[0], $c[1], $a[0], $b[0]]);
            [
                math::add($a, $b).word(),
                math::sub($a, $b).word(),
                math::mul($a, $b).word(),
                math::fma($a, $b, $c).word(),
                math::min($a, $b).word(),
                math::max($a, $b).word(),
                math::neg($a).word(),
                math::abs($a).word(),
                math::fma_relu($a, $b, $c).word(),
                math::min_nan($a, $b).word(),
                math::max_nan($a, $b).word(),
                math::relu($a).word(),
                [math::add($a[0], $b[1]), math::fma($a[0], $b[0], $c[1])].word(),
                math::select(math::lt($a, $b), $a, $c).word(),
                of_wide.word(),
                back4.word(),
                back5.word(),
                [vector[0], vector[3]].word(),
                convert::<[$T; 2]>([eight[3], eight[6]]).word(),
                $( $more, )*
                other.word(),
                bits,
                u32::from(e4m3[0].to_bits()) | u32::from(e5m2[1].to_bits()) << 16,
                convert::<i32>($a[0]).cast_unsigned(),
                convert::<u32>($a[1]),
                u32::from(convert::<i8>($a[0]).cast_unsigned()) | u32::from(convert::<u8>($a[1])) << 16,
                u32::from(convert::<i16>($b[0]).cast_unsigned()) | u32::from(convert::<u16>($b[1])) << 16,
                [convert::<$T>(a.cast_signed()), convert::<$T>(b)].word(),
                [convert::<$T>(a as u8), convert::<$T>(b as i16)].word(),
                [convert::<$T>(double[0]), convert::<$T>(double[0] + double[1])].word(),
                [convert::<$T>(f64::from_bits(long)), convert::<$T>(convert::<f32>(double[0] * double[1]))].word(),
                [convert::<$T>(long), convert::<$T>(long.cast_signed())].word(),
                [convert::<$T>(halfway), convert::<$T>(i64::from(a.cast_signed() >> 12))].word(),
                fold(convert::<i64>($a[0]).cast_unsigned()),
                fold(convert::<u64>($a[1])),
                u32::from_le_bytes(bytes),
                [
                    convert::<$T>(Fp8::<ty::E4m3>::from_bits(a as u8)),
                    convert::<$T>(convert::<f32>(Fp8::<ty::E5m2>::from_bits(b as u8))),
                ].word(),
            ]
        }
    };
}
exact! { exact_f16 f16 bf16,
math::add_sat(a, b).word(), math::sub_sat(a, b).word(), math::mul_sat(a, b).word(), math::fma_sat(a, b, c).word(); a b c }
exact! { exact_bf16 bf16 f16,
a.word(), b.word(), c.word(), math::to_tf32(f32::from_bits(a.word())).to_bits(); a b c }

/// The results of the approximations: pairs.
#[inline(always)]
pub fn approximate_f16(a: u32) -> [u32; 2] {
    let a = <[f16; 2]>::of(a);
    [math::ex2(a).word(), math::tanh(a).word()]
}
#[inline(always)]
pub fn approximate_bf16(a: u32) -> [u32; 2] {
    let a = <[bf16; 2]>::of(a);
    [math::ex2_ftz(a).word(), math::tanh(a).word()]
}

/// The exact functions of `f32`, then pairs of an approximation and its `_ftz`.
pub const OF_F32: usize = 14 + 20;
#[inline(always)]
pub fn of_f32(a: u32, b: u32, c: u32) -> [u32; OF_F32] {
    use ptx::math::Float;
    let [x, y, z] = [a, b, c].map(f32::from_bits);
    [
        math::add(x, y),
        math::sub(x, y),
        math::mul(x, y),
        math::fma(x, y, z),
        math::min(x, y),
        math::max(x, y),
        math::neg(x),
        math::abs(x),
        x.sqrt(),
        x.floor(),
        x.ceil(),
        x.trunc(),
        x.round(),
        x.round_ties_even(),
        math::rcp(x),
        math::rcp_ftz(x),
        math::sqrt_approx(x),
        math::sqrt_approx_ftz(x),
        math::rsqrt(x),
        math::rsqrt_ftz(x),
        math::sin(x),
        math::sin_ftz(x),
        math::cos(x),
        math::cos_ftz(x),
        math::lg2(x),
        math::lg2_ftz(x),
        math::ex2(x),
        math::ex2_ftz(x),
        math::exp(x),
        math::exp_ftz(x),
        math::ln(x),
        math::ln_ftz(x),
        math::tanh(x),
        x.tanh(),
    ]
    .map(f32::to_bits)
}

macro_rules! of_words {
    ($( $kernel:ident $function:ident $results:expr, ($($x:ident),+); )*) => { $(
        /// Writes the results of each thread's words behind one another.
        #[ptx::kernel(unsafe(uniform), threads = 128)]
        pub fn $kernel(cta: Cta, $( $x: Global<u32>, )+ results: GlobalElementsMut<u32>) {
            for (i, result) in results.elements(&cta) {
                let (word, which) = (i / $results, i % $results);
                $( let $x = $x.get(word).unwrap_or(0); )+
                let all = $function($($x),+);
                let mut one = 0;
                ptx::registers::unroll::<{ $results }>(|k| if k == which { one = all[k] });
                result.write(one);
            }
        }
    )* };
}
of_words! {
    all_exact_f16 exact_f16 EXACT, (a, b, c);
    all_exact_bf16 exact_bf16 EXACT, (a, b, c);
    all_of_f32 of_f32 OF_F32, (a, b, c);
    all_approximate_f16 approximate_f16 2, (a);
    all_approximate_bf16 approximate_bf16 2, (a);
}

/// y ← a·x + y by vectors of eight halves.
#[ptx::kernel(unsafe(uniform), threads = 256, instances(<f16>, <bf16>))]
pub fn axpy_halves<T>(cta: Cta, a: T, x: Global<T>, y: GlobalVectorsMut<T>)
where
    T: Half,
{
    let (vectors, rest) = y.vectors(&cta);
    for (i, y) in vectors {
        if let Some(x) = x.get_vector(i) {
            y.write(T::axpy(a, x, y.read()));
        }
    }
    for (i, y) in rest {
        if let Some(x) = x.get(i) {
            y.write(math::fma(a, x, y.read()));
        }
    }
}

/// A half, whose vectors are eight.
pub trait Half: Element<Vector = [Self; 8]> + Arithmetic + ptx::launch::Plain {
    fn axpy(a: Self, x: [Self; 8], y: [Self; 8]) -> [Self; 8];
}
macro_rules! halves {
    ($( $T:ident ),*) => { $(
        impl Half for $T {
            #[inline(always)]
            fn axpy(a: $T, x: [$T; 8], y: [$T; 8]) -> [$T; 8] {
                math::fma([a; 8], x, y)
            }
        }
    )* };
}
halves! { f16, bf16 }

ptx::shared_memory! {
    pub struct Partials { halves: ReduceMemory<f16>, pairs: ReduceMemory<[bf16; 2]> }
}

/// Reductions and scans of a warp and a block: of each thread's number and of the pair of it and its negative.
#[ptx::kernel(unsafe(uniform), threads = 128)]
pub fn reduced(cta: Cta, #[shared] smem: Partials, x: Global<f16>, results: GlobalElementsMut<f32, u32>) {
    let mut smem = smem;
    let rank = cta.thread_rank();
    let value = x.get(rank as usize).unwrap_or_default();
    let single: bf16 = convert(value);
    let pair = [single, math::neg(single)];
    let warp = cta.warp();
    let (sum, least) = (warp.reduce_add(pair), warp.reduce_min(pair));
    let upto = warp.inclusive_sum(value);
    let other = warp.shuffle_xor(pair, 1);
    let (of_block, most) = (smem.halves.reduce_add(&cta, value), smem.halves.reduce_max(&cta, value));
    let (before, all) = smem.pairs.exclusive_sum(&cta, pair);
    let all: [f32; 12] = [
        convert(sum[0]),
        convert(sum[1]),
        convert(least[0]),
        convert(least[1]),
        convert(upto),
        convert(of_block),
        convert(most),
        convert(before[0]),
        convert(before[1]),
        convert(all[0]),
        convert(other[0]),
        convert(other[1]),
    ];
    for (i, result) in results.elements(&cta) {
        let which = i / 128;
        let mut one = 0.0;
        ptx::registers::unroll::<12>(|k| {
            if k == which {
                one = all[k]
            }
        });
        result.write(one);
    }
}

/// A kernel for each operation of pairs: `tests/sass.rs` counts its instructions.
macro_rules! packed {
    ($( $name:ident $T:ident |$x:ident, $y:ident, $z:ident| $f:expr; )*) => { $(
        #[ptx::kernel(unsafe(uniform), threads = 128)]
        pub fn $name(cta: Cta, x: Global<[$T; 2]>, y: Global<[$T; 2]>, pairs: GlobalElementsMut<[$T; 2]>) {
            for (i, pair) in pairs.elements(&cta) {
                if let (Some($x), Some($y)) = (x.get(i), y.get(i)) {
                    let $z = pair.read();
                    pair.write($f);
                }
            }
        }
    )* };
}
packed! {
    packed_add_f16 f16 |x, y, _z| math::add(x, y);
    packed_sub_f16 f16 |x, y, _z| math::sub(x, y);
    packed_mul_f16 f16 |x, y, _z| math::mul(x, y);
    packed_fma_f16 f16 |x, y, z| math::fma(x, y, z);
    packed_fma_relu_f16 f16 |x, y, z| math::fma_relu(x, y, z);
    packed_fma_sat_f16 f16 |x, y, z| math::fma_sat(x, y, z);
    packed_min_f16 f16 |x, y, _z| math::min(x, y);
    packed_max_nan_f16 f16 |x, y, _z| math::max_nan(x, y);
    packed_relu_f16 f16 |x, _y, _z| math::relu(x);
    packed_select_f16 f16 |x, y, z| math::select(math::lt(x, y), x, z);
    packed_add_bf16 bf16 |x, y, _z| math::add(x, y);
    packed_sub_bf16 bf16 |x, y, _z| math::sub(x, y);
    packed_mul_bf16 bf16 |x, y, _z| math::mul(x, y);
    packed_fma_bf16 bf16 |x, y, z| math::fma(x, y, z);
    packed_fma_relu_bf16 bf16 |x, y, z| math::fma_relu(x, y, z);
    packed_min_bf16 bf16 |x, y, _z| math::min(x, y);
    packed_max_nan_bf16 bf16 |x, y, _z| math::max_nan(x, y);
    packed_relu_bf16 bf16 |x, _y, _z| math::relu(x);
    packed_select_bf16 bf16 |x, y, z| math::select(math::lt(x, y), x, z);
}
