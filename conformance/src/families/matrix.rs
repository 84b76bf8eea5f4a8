//! Instructions of matrices of a warp. The inputs are small, so that each sum is exact in any order.

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::form::{Class, Form};
use crate::values;

/// Two warps, with values of their own.
const THREADS: u32 = 64;
/// The bytes of the rows of a warp.
const ROWS: usize = 32 * 16;

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    match form.family.as_str() {
        "ldmatrix" => tile(form, true),
        "stmatrix" => tile(form, false),
        "movmatrix" => transpose(form),
        _ => multiply(form),
    }
}

/// Returns the case of `ldmatrix` or `stmatrix`. The rows of a warp are in an order of its own.
fn tile(form: &Form, loads: bool) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let bytes = 2 * ROWS;
    let compare = (!loads).then_some(Compare::Equal);
    let rows = b.memory("rows", 4, 16, compare, &values::noise(bytes, 11));
    let shared = b.shared(bytes, 16);
    b.stage_in(rows, shared, bytes);
    b.sync();
    let row = b.input("the lane's row", Class::B32, |thread| {
        let (warp, lane) = (thread / 32, thread % 32);
        (ROWS * warp + 16 * ((5 + 2 * warp) * lane % 32) + shared) as u128
    });
    let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {row}"));
    let address = match form.has("shared::cta") {
        true => own,
        false => {
            let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {own}"));
            b.set(Class::B64, format!("cvta.shared.u64 {{}}, {wide}"))
        }
    };
    let count = form.classes().len() - 1;
    if loads {
        let registers: Vec<_> = (0..count).map(|_| b.reg(Class::B32)).collect();
        b.line(form.with(&registers.iter().chain([&address]).collect::<Vec<_>>()));
        for register in registers {
            b.output("r", Class::B32, &register, Compare::Equal);
        }
    } else {
        let values = values::noise(4 * count * THREADS as usize, 12);
        let word = |i: usize| u32::from_le_bytes(std::array::from_fn(|byte| values[4 * i + byte]));
        let input = |b: &mut Builder<'_>, i: usize| {
            b.input("r", Class::B32, |thread| word(i * THREADS as usize + thread).into())
        };
        let registers: Vec<_> = (0..count).map(|i| input(&mut b, i)).collect();
        b.line(form.with(&[&address].into_iter().chain(&registers).collect::<Vec<_>>()));
        b.sync();
        b.stage_out(rows, shared, bytes);
    }
    vec![b.finish("")]
}

fn transpose(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let values = values::noise(4 * THREADS as usize, 13);
    let a = b.input("a", Class::B32, |thread| {
        u32::from_le_bytes(std::array::from_fn(|byte| values[4 * thread + byte])).into()
    });
    let d = b.reg(Class::B32);
    b.line(form.with(&[&d, &a]));
    b.output("d", Class::B32, &d, Compare::Equal);
    vec![b.finish("")]
}

/// Values that each format of floats has. Sums of 256 of their products are exact in each format of sums.
const SMALL: [f64; 10] = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5];

/// Returns the bits of a value in a type of elements, and the bits that an element takes in a register. `in_bytes`: a byte.
pub fn element(ty: &str, value: f64, in_bytes: bool) -> (u64, u32) {
    // The bits of the exponent and of the fraction.
    let (exponent, fraction) = match ty {
        "f64" => return (value.to_bits(), 64),
        "f32" | "tf32" => return ((value as f32).to_bits().into(), 32),
        "s32" | "s8" | "s4" | "u8" | "u4" | "b1" => {
            let bits = values::bits(ty);
            return (value as i64 as u64 & (u64::MAX >> (64 - bits)), bits);
        }
        "f16" => (5, 10),
        "bf16" => (8, 7),
        "e4m3" => (4, 3),
        "e5m2" => (5, 2),
        "e3m2" => (3, 2),
        "e2m3" => (2, 3),
        _ => (2, 1),
    };
    let bits = 1 + exponent + fraction;
    let bias = (1i64 << (exponent - 1)) - 1;
    let single = value.abs().to_bits();
    let power = (single >> 52) as i64 - 1023;
    let magnitude = if value == 0.0 {
        0
    } else if power < 1 - bias {
        // A subnormal number: 0.5 of `.e2m1` and `.e2m3`.
        (value.abs() * ((bias - 1 + i64::from(fraction)) as f64).exp2()) as u64
    } else {
        ((power + bias) as u64) << fraction | (single >> (52 - fraction) & ((1 << fraction) - 1))
    };
    let encoded = u64::from(value < 0.0) << (bits - 1) | magnitude;
    match (in_bytes, ty) {
        (true, "e2m1") => (encoded << 2, 8),
        (true, _) => (encoded, 8),
        _ => (encoded, bits),
    }
}

/// Returns a register of random elements: of floats small ones, of integers any.
pub fn register(rng: &mut fastrand::Rng, ty: &str, bits: usize, in_bytes: bool) -> u64 {
    if !matches!(ty.as_bytes(), [b'f' | b't', ..] | [b'b', b'f', ..] | [b'e', ..]) {
        return rng.u64(..) & (u64::MAX >> (64 - bits));
    }
    let (_, width) = element(ty, 0.0, in_bytes);
    (0..bits as u32 / width).fold(0, |word, i| {
        let value = SMALL[rng.usize(..SMALL.len())];
        word | element(ty, value, in_bytes).0 << (i * width)
    })
}

/// Returns a word of metadata of a sparse matrix, whose indices increase.
pub fn metadata(rng: &mut fastrand::Rng, ty: &str) -> u64 {
    let all: &[u64] = match ty {
        "tf32" => &[0b0100, 0b1110],
        _ => &[0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110],
    };
    (0..8).fold(0, |word, _| word << 4 | all[rng.usize(..all.len())])
}

fn multiply(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let words: Vec<&str> = form.words().collect();
    let in_bytes = form.has("kind::f8f6f4") || form.has("kind::mxf8f6f4");
    let is_sparse = form.family == "mma_sp";
    let types: Vec<&str> = words.iter().copied().filter(|word| is_type(word)).collect();
    let [d, a_type, b_type, c] = types[..] else { panic!("four types of {form}") };
    // The registers of D, A, B and C, by the braces of the text.
    let counts: Vec<usize> = form
        .text
        .split('{')
        .skip(1)
        .map(|list| list.split('}').next().unwrap_or_default())
        .map(|list| list.split(',').count())
        .collect();
    let classes = form.classes();
    let results: Vec<_> = classes[..counts[0]].iter().map(|class| (b.reg(*class), *class)).collect();
    let mut registers: Vec<String> = results.iter().map(|(register, _)| register.clone()).collect();
    let mut at = counts[0];
    for (operand, (ty, count)) in [("a", a_type), ("b", b_type), ("c", c)]
        .into_iter()
        .zip(&counts[1..])
        .map(|((name, ty), count)| (name, (ty, *count)))
    {
        for class in &classes[at..at + count] {
            let mut rng = fastrand::Rng::with_seed(registers.len() as u64);
            // Sums of integers near the limits are clamped or wrap.
            let values: Vec<u64> = (0..THREADS)
                .map(|_| match ty {
                    "s32" if rng.bool() => {
                        (i32::MAX as u64).wrapping_sub(rng.u64(..1000))
                            ^ if rng.bool() { u32::MAX.into() } else { 0 }
                    }
                    _ => register(&mut rng, ty, 8 * class.bytes(), in_bytes && operand != "c"),
                })
                .collect();
            registers.push(b.input(operand, *class, |thread| values[thread].into()));
        }
        at += count;
    }
    if is_sparse {
        let mut rng = fastrand::Rng::with_seed(77);
        let values: Vec<u64> = (0..THREADS).map(|_| metadata(&mut rng, a_type)).collect();
        registers.push(b.input("metadata", Class::B32, |thread| values[thread].into()));
    }
    if form.has("block_scale") {
        // Factors from 1/2 to 2, and selectors that choose the last of them.
        let all: &[u64] = if form.has("ue4m3") { &[0x30, 0x38, 0x3c, 0x40] } else { &[0x7e, 0x7f, 0x80] };
        let byte = if form.has("scale_vec::1X") {
            3
        } else if form.has("scale_vec::2X") {
            2
        } else {
            0
        };
        for (name, lanes) in [("scale_a", 1u128), ("scale_b", 3)] {
            let mut rng = fastrand::Rng::with_seed(lanes as u64);
            let values: Vec<u64> = (0..THREADS)
                .map(|_| (0..4).fold(0, |word, _| word << 8 | all[rng.usize(..all.len())]))
                .collect();
            registers.push(b.input(name, Class::B32, |thread| values[thread].into()));
            registers.push(b.input("the byte", Class::B16, |_| byte));
            registers.push(b.input("the lanes", Class::B16, |_| lanes));
        }
    }
    b.line(form.with(&registers));
    for (register, class) in results {
        b.output(d, class, &register, Compare::Equal);
    }
    vec![b.finish("")]
}

/// Returns whether a word of an opcode is the type of a matrix.
pub fn is_type(word: &str) -> bool {
    let types = [
        "f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "s8", "u8", "s4", "u4",
        "b1", "s32",
    ];
    types.contains(&word)
}
