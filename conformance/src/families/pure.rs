//! Instructions on registers alone: conversions, arithmetic in half precision and approximations.

use std::f32::consts::PI;

use ptx_emu::Format;

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::form::{Class, Form};
use crate::values;

fn compare(form: &Form) -> Compare {
    match form.words().next().unwrap_or_default() {
        "cvt" if form.words().nth(1) == Some("f32") => Compare::Float(Format::F32),
        "cvt" => Compare::Equal,
        _ if ["half_precision", "mixed_precision"].contains(&form.family.as_str()) => Compare::Equal,
        head => stated_error(head, form.last(), form.has("ftz")),
    }
}

/// Returns the comparison with the stated error of an approximation (9.7.3.8, 9.7.3.13 to .22, 9.7.4.9, 9.7.4.10).
pub fn stated_error(head: &str, ty: &str, ftz: bool) -> Compare {
    let exp = |e: f64| e.exp2();
    let close = |format, relative, absolute| Compare::Close { format, relative, absolute };
    match (head, ty) {
        ("div", _) => Compare::Places { format: Format::F32, count: 2 },
        ("sin" | "cos", _) => close(Format::F32, 0.0, exp(RANGES[0].2)),
        // As of `ex2` below: the least normal number is 2^-126.
        ("rcp", "f32") => close(Format::F32, exp(-23.0), exp(-126.0 - 23.0)),
        ("sqrt", _) => close(Format::F32, exp(-23.0), 0.0),
        ("rsqrt", "f32") => close(Format::F32, exp(-22.9), 0.0),
        ("ex2", "f32") => Compare::Places { format: Format::F32, count: 2 },
        ("lg2", _) => close(Format::F32, exp(-22.0), exp(-22.6)),
        ("tanh", "f32") => close(Format::F32, exp(-11.0), 0.0),
        ("tanh", "f16" | "f16x2") => close(Format::F16, 0.0, exp(-10.987)),
        ("tanh", _) => close(Format::Bf16, 0.0, exp(-8.0)),
        // No subnormal result can have this relative error: its error is that of the least normal number.
        ("ex2", "f16" | "f16x2") => close(Format::F16, exp(-9.9), exp(-14.0 - 9.9)),
        ("ex2", _) => close(Format::Bf16, exp(-7.0), 0.0),
        // The result has 20 bits of the fraction, and the interpreter has rounded to 20 bits too.
        _ if ftz => close(Format::F64, exp(-20.0) + exp(-21.0), 0.0),
        // `rsqrt.approx.f64`, whose error is not stated.
        _ => close(Format::F64, exp(-20.0), 0.0),
    }
}

/// Returns true if the instruction uses only upper words of `.f64`: `rcp.approx.ftz.f64`, `rsqrt.approx.ftz.f64`.
fn is_upper_word(form: &Form) -> bool {
    form.has("ftz") && form.last() == "f64"
}

/// The ranges of `sin` and `cos` with a stated absolute error (9.7.3.18, 9.7.3.19). No error is stated beyond them.
const RANGES: [(&str, f32, f64); 2] = [("to 2 pi", 2.0 * PI, -20.5), ("to 100 pi", 100.0 * PI, -14.7)];

/// Returns the cases of a form that computes from registers alone.
pub fn cases(form: &Form) -> Vec<Case<'_>> {
    if form.words().any(|word| ["sin", "cos"].contains(&word)) {
        // Of whole turns.
        let turns = [("to a turn", 1.0, RANGES[0].2)];
        let ranges = if form.has("2pi") { &turns[..] } else { &RANGES[..] };
        let ranges = ranges.iter().map(|&(variant, limit, error)| {
            let compare = Compare::Close { format: Format::F32, relative: 0.0, absolute: error.exp2() };
            // Infinities and NaN stay as they are.
            let within = |bits: u64| match f32::from_bits(bits as u32) {
                x if x.is_finite() => (x % limit).to_bits().into(),
                _ => bits,
            };
            case(form, variant, compare, within)
        });
        return ranges.collect();
    }
    vec![case(form, "", compare(form), |bits| bits)]
}

fn case<'f>(
    form: &'f Form,
    variant: &'static str,
    compare: Compare,
    within: impl Fn(u64) -> u64,
) -> Case<'f> {
    let mut b = Builder::new(form, Shape { grid: [4, 1, 1], cluster: [1; 3], ..Shape::new(1, 512) });
    let classes = form.classes();
    let ty = form.last();
    // Random bits of stochastic rounding, scale factors, or the sum of mixed precision are the last operand.
    let last = [("rs", "b32"), ("scaled::n1::ue8m0", "b8"), ("scaled::n2::ue8m0", "b16"), ("f32", "f32")];
    let last =
        last.iter().find(|(word, _)| form.has(word) && (*word != "f32" || form.family == "mixed_precision"));
    let last = last.map_or(ty, |(_, ty)| ty);
    let types: Vec<&str> =
        (1..classes.len()).map(|i| if i + 1 == classes.len() { last } else { ty }).collect();
    let rows = values::rows(&types, b.shape.threads());
    let mut registers = vec![b.reg(classes[0])];
    for (k, class) in classes[1..].iter().enumerate() {
        let value = |thread: usize| within(rows[thread][k]).into();
        registers.push(b.input(&format!("operand {}", k + 1), *class, value));
    }
    b.line(form.with(&registers));
    b.output("d", classes[0], &registers[0], compare);
    if is_upper_word(form) {
        let (low, high) = (b.reg(Class::B32), b.reg(Class::B32));
        b.line(format!("mov.b64 {{{low}, {high}}}, {}", registers[0]));
        b.output("lower word", Class::B32, &low, Compare::Equal);
    }
    b.finish(variant)
}
