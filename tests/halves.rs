//! Half precision: the same functions give the same results on the host and in the interpreter.

mod support;

use std::sync::LazyLock;

use halves::EXACT;
use ptx_emu::{Emulator, Kernels};
use support::ok;
use xtask::device::{Arch, Build};

static MODULE: LazyLock<String> =
    LazyLock::new(|| ok(Build::new("tests/device/halves", Arch::Sm90a).run()).text);

fn gpu() -> (Emulator, Kernels) {
    let gpu = Emulator::new();
    let kernels = ok(gpu.load(&[("sm_90a", MODULE.as_bytes())]).map_err(anyhow::Error::from));
    (gpu, kernels)
}

/// Words of two halves: special values in all combinations, then any bits.
fn words(specials: &[u16], seed: u64) -> Vec<u32> {
    let mut words: Vec<u32> = specials
        .iter()
        .flat_map(|&a| specials.iter().map(move |&b| u32::from(a) | u32::from(b) << 16))
        .collect();
    let mut state = seed;
    while words.len() < 1024 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        words.push((state >> 32) as u32);
    }
    words
}

/// Values around zero, the least and the greatest numbers, 1, infinity and NaN; by their exponent's bits.
fn specials(fraction: u32) -> Vec<u16> {
    let infinity = 0x7fff >> fraction << fraction;
    let one = (0x7fff_u16 >> (fraction + 1)) << fraction;
    let positive = [
        0,
        1,
        3,
        (1 << fraction) - 1,
        1 << fraction,
        one - 1,
        one,
        one + 1,
        one + (3 << (fraction - 1)),
        infinity - 1,
        infinity,
        0x7fff,
    ];
    positive.into_iter().flat_map(|bits| [bits, bits | 0x8000]).collect()
}

/// Compares words of which each half is a number of `T`, any NaN being as good as another; other words bit by bit.
fn same(on_host: u32, on_device: u32, infinity: u16) -> bool {
    let is_nan = |bits: u16| bits & 0x7fff > infinity;
    let halves = |word: u32| [word as u16, (word >> 16) as u16];
    std::iter::zip(halves(on_host), halves(on_device)).all(|(a, b)| a == b || is_nan(a) && is_nan(b))
}

macro_rules! exact {
    ($test:ident $kernel:ident $function:ident $fraction:literal) => {
        #[test]
        fn $test() {
            let (gpu, kernels) = gpu();
            let specials = specials($fraction);
            let (a, mut b) = (words(&specials, 1), words(&specials, 2));
            let c = words(&specials, 3).into_iter().rev().collect::<Vec<_>>();
            b.rotate_left(37);
            let mut results = gpu.slice(&vec![0_u32; EXACT * a.len()]);
            let kernel = ok(kernels.kernel(halves::$kernel).map_err(anyhow::Error::from));
            ok(kernel
                .launch(&gpu, 4, (&gpu.slice(&a), &gpu.slice(&b), &gpu.slice(&c), &mut results))
                .map_err(anyhow::Error::from));
            let infinity = 0x7fff_u16 >> $fraction << $fraction;
            for (i, of_word) in results.to_vec().chunks(EXACT).enumerate() {
                let on_host = halves::$function(a[i], b[i], c[i]);
                for (k, (&host, &device)) in std::iter::zip(&on_host, of_word).enumerate() {
                    assert!(
                        same(host, device, infinity),
                        "result {k} of {:08x} {:08x} {:08x}: {host:08x} on the host, {device:08x} in the interpreter",
                        a[i], b[i], c[i],
                    );
                }
            }
        }
    };
}
exact! { functions_of_f16_are_those_of_the_host all_exact_f16 exact_f16 10 }
exact! { functions_of_bf16_are_those_of_the_host all_exact_bf16 exact_bf16 7 }

/// Checks that an approximation in the interpreter differs from that of the host by at most `error`, relative to the result or
/// absolute.
macro_rules! approximate {
    ($test:ident $kernel:ident $function:ident $T:ident $fraction:literal $ex2:expr, $tanh:expr) => {
        #[test]
        fn $test() {
            let (gpu, kernels) = gpu();
            let a = words(&specials($fraction), 4);
            let mut results = gpu.slice(&vec![0_u32; 2 * a.len()]);
            let kernel = ok(kernels.kernel(halves::$kernel).map_err(anyhow::Error::from));
            ok(kernel.launch(&gpu, 2, (&gpu.slice(&a), &mut results)).map_err(anyhow::Error::from));
            let numbers =
                |word: u32| [word as u16, (word >> 16) as u16].map(|bits| half::$T::from_bits(bits).to_f64());
            for (of_word, &word) in std::iter::zip(results.to_vec().chunks(2), &a) {
                for (k, (on_host, &on_device)) in std::iter::zip(halves::$function(word), of_word).enumerate()
                {
                    for (host, device) in std::iter::zip(numbers(on_host), numbers(on_device)) {
                        let bound: fn(f64) -> f64 = [$ex2, $tanh][k];
                        let close = host == device
                            || host.is_nan() && device.is_nan()
                            || (host - device).abs() <= bound(host.abs());
                        assert!(
                            close,
                            "result {k} of {word:08x}: {host} on the host, {device} in the interpreter"
                        );
                    }
                }
            }
        }
    };
}
// The stated error, and half a place for the rounding of the host; of `f16` the error of the least normal number.
approximate! { approximations_of_f16_are_close all_approximate_f16 approximate_f16 f16 10
|host: f64| host.max(2_f64.powi(-14)) * (2_f64.powf(-9.9) + 2_f64.powi(-11)), |_| 2_f64.powf(-10.987) + 2_f64.powi(-12) }
approximate! { approximations_of_bf16_are_close all_approximate_bf16 approximate_bf16 bf16 7
|host: f64| host * (2_f64.powi(-7) + 2_f64.powi(-9)), |_| 2_f64.powi(-8) + 2_f64.powi(-9) }

/// Checks the functions of `f32`: what rounds to the nearest bit by bit, approximations by their stated errors.
#[test]
fn functions_of_f32_are_those_of_the_host() {
    const EXACT: usize = 14;
    let specials = [
        0.0,
        1e-45,
        1e-39,
        f32::MIN_POSITIVE,
        0.3,
        0.5,
        1.0,
        1.5,
        2.5,
        6.0,
        100.0,
        1e30,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    let specials: Vec<u32> = specials.into_iter().flat_map(|x: f32| [x.to_bits(), (-x).to_bits()]).collect();
    let pairs = |swap: bool| -> Vec<u32> {
        let of = |a: u32, b: u32| if swap { b } else { a };
        specials.iter().flat_map(|&a| specials.iter().map(move |&b| of(a, b))).collect()
    };
    let (a, b) = (pairs(false), pairs(true));
    let mut c = b.clone();
    c.rotate_left(31);
    let (gpu, kernels) = gpu();
    let mut results = gpu.slice(&vec![0_u32; halves::OF_F32 * a.len()]);
    let kernel = ok(kernels.kernel(halves::all_of_f32).map_err(anyhow::Error::from));
    let arguments = (&gpu.slice(&a), &gpu.slice(&b), &gpu.slice(&c), &mut results);
    ok(kernel.launch(&gpu, 4, arguments).map_err(anyhow::Error::from));
    for (i, of_word) in results.to_vec().chunks(halves::OF_F32).enumerate() {
        let x = f32::from_bits(a[i]);
        for (k, (on_host, &on_device)) in
            std::iter::zip(halves::of_f32(a[i], b[i], c[i]), of_word).enumerate()
        {
            let (host, device) = (f32::from_bits(on_host), f32::from_bits(on_device));
            let function = k.saturating_sub(EXACT) / 2;
            // The places that the stated error and the host's rounding make, and an absolute error.
            let (places, absolute) = match function {
                _ if k < EXACT => (0.0, 0.0),
                3 | 4 if x.abs() > 315.0 => continue,
                3 | 4 => (0.0, 2_f64.powf(-14.7)),
                5 | 8 => (8.0, 2_f64.powi(-21)),
                7 => (4.0 + 3.0 * f64::from(x).abs(), 0.0),
                9 => (8192.0, 0.0),
                _ => (4.0, 0.0),
            };
            // A subnormal number is a place of its own, which `_ftz` flushes.
            let bound = places * f64::from(host.abs()) * 2_f64.powi(-23) + absolute;
            let bound = if k < EXACT { 0.0 } else { bound.max(f64::from(f32::MIN_POSITIVE)) };
            let close = on_host == on_device
                || host.is_nan() && device.is_nan()
                || k >= EXACT && (host == device || (f64::from(host) - f64::from(device)).abs() <= bound);
            assert!(close, "result {k} of {x:e}: {host:e} on the host, {device:e} in the interpreter");
        }
    }
}

#[test]
fn an_axpy_of_halves_is_right() {
    let (gpu, kernels) = gpu();
    let axpy = ok(kernels.kernel(halves::axpy_halves::<half::bf16>).map_err(anyhow::Error::from));
    for len in [0, 1, 7, 8, 9, 4096 + 5] {
        let x: Vec<_> = (0..len).map(|i| half::bf16::from_f32(i as f32 / 64.0)).collect();
        let y: Vec<_> = (0..len).map(|i| half::bf16::from_f32(7.0 - i as f32)).collect();
        let a = half::bf16::from_f32(1.5);
        let mut on_device = gpu.slice(&y);
        ok(axpy.launch(&gpu, 2, (a, &gpu.slice(&x), &mut on_device)).map_err(anyhow::Error::from));
        let on_host: Vec<_> = std::iter::zip(&x, &y).map(|(&x, &y)| ptx::math::fma(a, x, y)).collect();
        assert_eq!(on_device.to_vec(), on_host);
    }
}

/// Checks reductions and scans of values whose sums are exact.
#[test]
fn halves_are_reduced_and_scanned() {
    let (gpu, kernels) = gpu();
    let numbers: Vec<f32> = (0..128).map(|i| (i * 7 % 16) as f32 - 8.0).collect();
    let x: Vec<_> = numbers.iter().map(|&x| half::f16::from_f32(x)).collect();
    let mut results = gpu.slice(&vec![0.0_f32; 12 * 128]);
    let kernel = ok(kernels.kernel(halves::reduced).map_err(anyhow::Error::from));
    ok(kernel.launch(&gpu, 1, (&gpu.slice(&x), &mut results)).map_err(anyhow::Error::from));
    let results = results.to_vec();
    for i in 0..128 {
        let warp = &numbers[i / 32 * 32..][..32];
        let sum = |of: &[f32]| of.iter().sum::<f32>();
        let least = |of: &[f32]| of.iter().copied().fold(f32::INFINITY, f32::min);
        let negative: Vec<f32> = warp.iter().map(|x| -x).collect();
        let other = numbers[i ^ 1];
        let expected = [
            sum(warp),
            -sum(warp),
            least(warp),
            least(&negative),
            sum(&warp[..=i % 32]),
            sum(&numbers),
            7.0,
            sum(&numbers[..i]),
            -sum(&numbers[..i]),
            sum(&numbers),
            other,
            -other,
        ];
        let on_device: Vec<f32> = (0..12).map(|k| results[128 * k + i]).collect();
        assert_eq!(on_device, expected, "thread {i}");
    }
}
