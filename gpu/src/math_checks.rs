//! Checks of the kernels that reduce, scan and approximate, against models on the host. Exact results must be equal; the others
//! must be within the errors that `ptx::math` states.

use anyhow::{Context as _, Result, ensure};
use ptx_host::Grid;

use crate::check::{self, Check, Finding};
use crate::device::Device;
use crate::guard::{POISON, compare_words};
use crate::kernels::{SEEDS, input};
use crate::options::Options;

/// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
pub const KERNELS: [&str; 2] = ["cta_reductions", "math_functions"];

type Run<D> = fn(&D, &<D as Device>::Loaded, u32) -> Result<()>;

fn runs<D: Device>() -> [Run<D>; 2] {
    [reductions, functions]
}

/// Runs a kernel of [`KERNELS`] with these seeds.
pub fn check<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str, seeds: &[u32]) -> Result<()> {
    let run = KERNELS.iter().zip(runs::<D>()).find(|(name, _)| **name == kernel);
    let (_, run) = run.with_context(|| format!("{kernel} has no check"))?;
    device.on_queue(|device| {
        seeds.iter().try_for_each(|&seed| run(device, loaded, seed).with_context(|| format!("seed {seed}")))
    })
}

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    let mut checks = Vec::new();
    let seeds = options.seeds_of(SEEDS, &[0, 1]);
    for kernel in KERNELS {
        checks.extend(check::for_each(options, kernel, |image| {
            let seeds = image.seeds(options, &seeds);
            vec![Check::new(format!("{kernel}/{}", image.label), options, move |device: &D| {
                check(device, &device.load(&image)?, kernel, &seeds)?;
                Ok(Finding::from(format!("{} seeds", seeds.len())))
            })]
        })?);
    }
    Ok(checks)
}

/// Runs a kernel that takes and writes words, by `launch`, and returns the `results * n` words of its output.
fn output<D: Device>(
    device: &D,
    words: &[u32],
    results: usize,
    launch: impl FnOnce(&D::Memory<u32>, &mut D::Memory<u32>) -> Result<()>,
) -> Result<Vec<u32>> {
    let source = device.memory(words)?;
    let mut target = device.memory(&vec![POISON; results * words.len()])?;
    launch(&source, &mut target)?;
    device.to_vec(&target)
}

/// Threads per CTA: less than a warp, a power of two of warps, other numbers of warps, and CTAs with an incomplete last warp.
const SIZES: [u32; 14] = [1, 20, 32, 33, 64, 96, 100, 128, 256, 480, 545, 992, 1000, 1024];
/// Results per thread of `cta_reductions`.
pub const RESULTS: usize = 44;

fn reductions<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    // Each seed takes every other size, so that two seeds cover all sizes.
    for threads in SIZES.into_iter().skip(seed as usize % 2).step_by(2) {
        let words = input(seed, 2 * threads as usize);
        let kernel = D::entry(loaded, ptx_kernels::reduce::cta_reductions)?;
        let have = output(device, &words, RESULTS, |source, target| {
            let n = words.len() as u32;
            let of_twin = (D::address(source), D::address(target), n);
            let arguments = (D::read(source), D::write(target), n);
            // SAFETY: the twin reads `n` words of the input, writes its results per word, and accesses nothing else.
            unsafe { kernel.launch(device, Grid::new(2).block(threads), arguments, of_twin) }
        })?;
        let n = words.len();
        let mut expected = vec![0; RESULTS * n];
        for (cta, words) in words.chunks(threads as usize).enumerate() {
            for thread in 0..words.len() {
                for (k, result) in expected_reductions(words, thread).into_iter().enumerate() {
                    expected[k * n + cta * threads as usize + thread] = result;
                }
            }
        }
        for k in 0..RESULTS {
            let part = k * n..(k + 1) * n;
            let (have, expected) = (&have[part.clone()], &expected[part]);
            compare_words(have, expected).with_context(|| format!("{threads} threads, result {k}"))?;
        }
    }
    Ok(())
}

fn then(first: u32, second: u32) -> u32 {
    let (a, b, c, d) = (first >> 16, first & 0xffff, second >> 16, second & 0xffff);
    a.wrapping_mul(c) << 16 | (b.wrapping_mul(c).wrapping_add(d) & 0xffff)
}

/// Returns the bits of the least and the greatest number among these floats.
fn extremes(words: &[u32]) -> [u32; 2] {
    let floats = || words.iter().map(|word| f32::from_bits(*word)).filter(|x| !x.is_nan());
    // If all are NaN, the result is a NaN. These are the NaNs of sm_90.
    let (least, greatest) = (floats().min_by(f32::total_cmp), floats().max_by(f32::total_cmp));
    [least.map_or(0x7fff_ffff, f32::to_bits), greatest.map_or(0xffff_ffff, f32::to_bits)]
}

/// Returns the results of a thread of a CTA, in the kernel's order.
fn expected_reductions(words: &[u32], thread: usize) -> Vec<u32> {
    let whole = |word: &u32| (word % 1024) as f32 - 512.0;
    let long = |word: &u32| u64::from(*word) << 29 ^ u64::from(!*word);
    // Sums of these numbers are exact in any order.
    let sum = |words: &[u32]| words.iter().map(whole).sum::<f32>() + 0.0;
    let add = |words: &[u32]| words.iter().fold(0_u32, |sum, word| sum.wrapping_add(*word));
    let maps = |words: &[u32]| words.iter().copied().reduce(then);
    let fold =
        |f: fn(u32, u32) -> u32, map: fn(u32) -> u32| words.iter().map(|word| map(*word)).reduce(f).unwrap();
    let (upto, before) = (&words[..=thread], &words[..thread]);

    let mut all = vec![add(words), fold(u32::min, |w| w), fold(u32::max, |w| w)];
    all.push(fold(|a, b| a & b, |w| w | 0xffff));
    all.push(fold(|a, b| a | b, |w| w & 0xff0));
    all.extend([fold(|a, b| a ^ b, |w| w); 2]);
    all.extend([add(upto), add(words), add(before), add(words)]);
    all.extend([maps(upto).unwrap(), maps(words).unwrap(), maps(before).unwrap_or(7), maps(words).unwrap()]);
    all.extend([sum(words).to_bits(); 2]);
    all.extend(extremes(words));
    all.extend([sum(upto).to_bits(), sum(before).to_bits(), sum(words).to_bits()]);
    let longs = || words.iter().map(long);
    let doubles = || words.iter().map(|word| f64::from(whole(word)));
    let wide = [
        longs().fold(0, u64::wrapping_add),
        longs().min().unwrap(),
        longs().max().unwrap(),
        (doubles().sum::<f64>() + 0.0).to_bits(),
        doubles().fold(f64::INFINITY, f64::min).to_bits(),
    ];
    all.extend(wide.iter().flat_map(|&wide| [wide as u32, (wide >> 32) as u32]));

    let (first, lane) = (thread / 32 * 32, thread % 32);
    let warp = &words[first..words.len().min(first + 32)];
    all.push(sum(warp).to_bits());
    all.push(warp.iter().map(|word| word.cast_signed()).max().unwrap().cast_unsigned());
    all.extend([sum(&warp[..=lane]).to_bits(), add(&warp[..lane])]);
    all.extend([maps(&warp[..lane]).unwrap_or(7), extremes(warp)[0]]);
    let alike = |words: &[u32]| -> Vec<u32> {
        words.iter().copied().filter(|word| word & 3 == warp[lane] & 3).collect()
    };
    let (group, up_to_lane, below) = (alike(warp), alike(&warp[..=lane]), alike(&warp[..lane]));
    all.extend([sum(&group).to_bits(), maps(&up_to_lane).unwrap(), sum(&below).to_bits()]);
    all.push(group.iter().map(whole).fold(f32::NEG_INFINITY, f32::max).to_bits());
    let tile = &warp[lane / 8 * 8..warp.len().min(lane / 8 * 8 + 8)];
    all.extend([sum(tile).to_bits(), maps(&tile[..lane % 8]).unwrap_or(7)]);
    assert_eq!(all.len(), RESULTS);
    all
}

/// A binary floating-point format: bits of the exponent and of the fraction, and the largest finite number.
#[derive(Debug, Clone, Copy)]
struct Format {
    exponent: i32,
    fraction: i32,
    greatest: f64,
}

const F16: Format = Format { exponent: 5, fraction: 10, greatest: 65504.0 };
const BF16: Format = Format { exponent: 8, fraction: 7, greatest: 3.389_531_389_251_535e38 };
const E4M3: Format = Format { exponent: 4, fraction: 3, greatest: 448.0 };
const E5M2: Format = Format { exponent: 5, fraction: 2, greatest: 57344.0 };

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Returns the finite number with these bits.
    fn number(self, bits: u32) -> f64 {
        let field = (bits >> self.fraction & ((1 << self.exponent) - 1)) as i32;
        let fraction = f64::from(bits & ((1 << self.fraction) - 1)) / f64::from(1 << self.fraction);
        let magnitude = match field {
            0 => fraction * 2_f64.powi(1 - self.bias()),
            _ => (1.0 + fraction) * 2_f64.powi(field - self.bias()),
        };
        if bits >> (self.exponent + self.fraction) & 1 == 1 { -magnitude } else { magnitude }
    }

    /// Returns the distance between adjacent numbers of the format around `x`.
    fn step(self, x: f64) -> f64 {
        let exponent = if x == 0.0 { i32::MIN } else { x.abs().log2().floor() as i32 };
        // `log2` may have rounded up to the next power.
        let exponent = if x.abs() < 2_f64.powi(exponent.max(-1000)) { exponent - 1 } else { exponent };
        2_f64.powi(exponent.max(1 - self.bias()) - self.fraction)
    }

    /// Rounds `x` to the nearest number or towards zero. A result beyond the largest number becomes that number.
    fn round(self, x: f64, to_nearest: bool) -> f64 {
        if x == 0.0 {
            return x;
        }
        let steps = x / self.step(x);
        let steps = if to_nearest { steps.round_ties_even() } else { steps.trunc() };
        (steps * self.step(x)).clamp(-self.greatest, self.greatest)
    }
}

/// Results of `math_functions` per word, and a zero.
pub const FUNCTIONS: usize = 36;

/// Maximum error of a result.
#[derive(Debug, Clone, Copy)]
enum Error {
    Absolute(f64),
    Relative(f64),
}
use Error::{Absolute, Relative};

impl Error {
    fn admits(self, have: f64, exact: f64) -> bool {
        match self {
            Absolute(most) => (have - exact).abs() <= most,
            Relative(most) => (have - exact).abs() <= most * exact.abs(),
        }
    }
}

fn functions<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let (ctas, threads) = (1 + seed * 7 % 20, 256);
    let words = input(seed, (ctas * threads) as usize);
    let n = words.len();
    let kernel = D::entry(loaded, ptx_kernels::math::math_functions)?;
    let have = output(device, &words, FUNCTIONS, |source, target| {
        let of_twin = (D::address(source), D::address(target), words.len() as u32);
        let arguments = (D::read(source), D::write(target), of_twin.2);
        // SAFETY: the twin reads `n` words of the input, writes its results per word, and accesses nothing else.
        unsafe { kernel.launch(device, ctas, arguments, of_twin) }
    })?;
    for (i, &word) in words.iter().enumerate() {
        let result = |k: usize| have[4 * (k / 4 * n + i) + k % 4];
        check_functions(word, result).with_context(|| format!("word {word:#010x}"))?;
    }
    Ok(())
}

fn check_functions(word: u32, result: impl Fn(usize) -> u32) -> Result<()> {
    let x = word.cast_signed() as f32 * (6.0 / 2_147_483_648.0);
    let positive = f32::from_bits((((word >> 24) % 200 + 27) << 23) | (word & 0x7f_ffff));
    let subnormal = f32::from_bits((word & 0x7f_ffff) | 1);
    let y = f64::from(x * 0.375 - 1.0);
    let scaled = f64::from(x * 100.0);
    let (x, p) = (f64::from(x), f64::from(positive));

    let root = Relative(2_f64.powf(-22.9));
    let two = |absolute: i32, relative: f64| match p {
        0.5..2.0 => Absolute(2_f64.powi(absolute)),
        _ => Relative(2_f64.powf(relative)),
    };
    // The PTX ISA states 2^-20.5. An H200 returns 0.18952784 for the cosine of -4.9030709, which is 1.1e-8 more.
    let angle = Absolute(1.05 * 2_f64.powf(-20.5));
    let ulps = |ulps: f64| Relative(ulps * 2_f64.powi(-23));
    let exact = [
        (1.0 / p, ulps(1.0)),
        (p.sqrt(), Relative(2_f64.powi(-23))),
        (1.0 / p.sqrt(), root),
        (p.log2(), two(-22, -22.0)),
        (p.ln(), two(-22, -21.5)),
        (x.sin(), angle),
        (x.cos(), angle),
        (x.exp2(), ulps(2.0)),
        (x.exp(), ulps(2.0 + 1.23 * x.abs())),
    ];
    for (k, (exact, error)) in exact.into_iter().enumerate() {
        for k in [2 * k, 2 * k + 1] {
            let have = f64::from(f32::from_bits(result(k)));
            ensure!(error.admits(have, exact), "function {k}: {have:e} for {exact:e}, not {error:?}");
        }
    }
    let have = f64::from(f32::from_bits(result(18)));
    ensure!(Relative(2_f64.powi(-11)).admits(have, x.tanh()), "tanh: {have:e} for {:e}", x.tanh());
    let have = f64::from(f32::from_bits(result(19)));
    let exact = f64::from(subnormal).sqrt();
    ensure!(Relative(2_f64.powi(-23)).admits(have, exact), "sqrt: {have:e} for {exact:e}");
    ensure!(result(20) == 0, "sqrt_ftz of a subnormal number: {:#x}", result(20));

    // The first of two packed values is in the high bits.
    let both = |word: u32, bits: u32| [word >> bits, word & ((1 << bits) - 1)];
    let pairs = [
        (both(result(21), 16), F16, [F16.round(x, true), F16.round(y, true)]),
        (both(result(22), 16), BF16, [BF16.round(x, true), BF16.round(y, true)]),
        (both(result(23), 16), F16, [F16.round(p, false), F16.round(y, false).max(0.0)]),
        (both(result(24), 16), BF16, [BF16.round(p, false), BF16.round(y, false)]),
        (both(result(27) & 0xffff, 8), E4M3, [E4M3.round(scaled, true), E4M3.round(y, true)]),
        (both(result(27) >> 16, 8), E5M2, [E5M2.round(p, true), E5M2.round(y, true).max(0.0)]),
        (both(result(28), 16), F16, [E4M3.round(scaled, true), E4M3.round(y, true)]),
        (both(result(29), 16), F16, [E5M2.round(p, true), E5M2.round(y, true).max(0.0)]),
        (both(result(30), 8), E4M3, [x, y].map(|x| E4M3.round(F16.round(x, true), true))),
    ];
    for (k, (bits, format, exact)) in pairs.into_iter().enumerate() {
        let have = bits.map(|bits| format.number(bits));
        ensure!(have == exact, "conversion {k}: {have:?} for {exact:?}");
    }
    let (f16, bf16) = (F16.round(y, true), BF16.round(y, true));
    ensure!(f64::from(f32::from_bits(result(25))) == f16, "`f32` of {f16:e}: {:#x}", result(25));
    ensure!(f64::from(f32::from_bits(result(26))) == bf16, "`f32` of {bf16:e}: {:#x}", result(26));

    let halves = |k: usize, format: Format| both(result(k), 16).map(|bits| format.number(bits));
    let operands = |format: Format| [x, y].map(|x| format.round(x, true));
    let of_halves = [
        (31, F16, f64::exp2 as fn(f64) -> f64, Relative(2_f64.powf(-9.9))),
        (32, BF16, f64::exp2, Relative(2_f64.powi(-7))),
        (33, F16, f64::tanh, Absolute(2_f64.powf(-10.987))),
        // The PTX ISA states 2^-8. An H200 returns 0.62890625 for 0.74609375, which is 2.6e-7 more.
        (34, BF16, f64::tanh, Absolute(1.01 * 2_f64.powi(-8))),
    ];
    for (k, format, function, error) in of_halves {
        for (have, operand) in halves(k, format).into_iter().zip(operands(format)) {
            let exact = function(operand);
            ensure!(error.admits(have, exact), "function {k} of {operand:e}: {have:e} for {exact:e}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_round_to_their_numbers() {
        for (x, format, to_nearest, rounded) in [
            (0.0, F16, true, 0.0),
            (1.0 + 1.0 / 2048.0, F16, true, 1.0),
            (1.0 + 3.0 / 2048.0, F16, true, 1.0 + 1.0 / 512.0),
            (1.0 + 3.0 / 2048.0, F16, false, 1.0 + 1.0 / 1024.0),
            (1e9, E4M3, true, 448.0),
            (-0.0009, E4M3, true, 0.0),
            (0.003, E4M3, true, 2.0 / 512.0),
            (70000.0, E5M2, true, 57344.0),
        ] {
            assert_eq!(format.round(x, to_nearest), rounded, "{x} in {format:?}");
        }
        for (bits, format, number) in
            [(0x3c00, F16, 1.0), (0xbf80, BF16, -1.0), (0x7e, E4M3, 448.0), (1, E5M2, 2_f64.powi(-16))]
        {
            assert_eq!(format.number(bits), number);
        }
    }

    #[test]
    fn an_error_above_the_greatest_is_none() {
        assert!(Relative(0.125).admits(1.125, 1.0) && !Relative(0.125).admits(1.25, 1.0));
        assert!(Absolute(0.125).admits(8.125, 8.0) && !Absolute(0.125).admits(8.25, 8.0));
        assert!(!Absolute(1.0).admits(f64::NAN, 0.0));
    }

    #[test]
    fn the_model_of_a_thread() {
        let results = expected_reductions(&[5, 6, 7], 1);
        assert_eq!(results[..3], [18, 5, 7]);
        assert_eq!(results[7..11], [11, 18, 5, 18]);
        assert_eq!(results[15], (18.0_f32 - 3.0 * 512.0).to_bits());
    }
}
