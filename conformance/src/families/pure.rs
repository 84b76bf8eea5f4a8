//! Instructions on registers alone: conversions and approximations.

use ptx_emu::float::Format;

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::form::Form;
use crate::values;

/// The stated error of an approximation (9.7.3.13 to .22, 9.7.4.9, 9.7.4.10), relative and absolute.
fn compare(form: &Form) -> Compare {
    let exp = |e: f64| e.exp2();
    let close = |format, relative, absolute| Compare::Close { format, relative, absolute };
    match (form.words().next().unwrap_or_default(), form.last()) {
        ("cvt", _) => Compare::Equal,
        ("rcp", "f32") => close(Format::F32, exp(-23.0), 0.0),
        ("sqrt", _) => close(Format::F32, exp(-23.0), 0.0),
        ("rsqrt", "f32") => close(Format::F32, exp(-22.9), 0.0),
        ("ex2", "f32") => close(Format::F32, exp(-22.0), 0.0),
        ("lg2", _) => close(Format::F32, exp(-22.0), exp(-22.6)),
        ("sin" | "cos", _) => close(Format::F32, 0.0, exp(-20.5)),
        ("tanh", "f32") => close(Format::F32, exp(-11.0), 0.0),
        ("tanh", "f16" | "f16x2") => close(Format::F16, 0.0, exp(-10.987)),
        ("tanh", _) => close(Format::Bf16, 0.0, exp(-8.0)),
        ("ex2", "f16" | "f16x2") => close(Format::F16, exp(-9.9), 0.0),
        ("ex2", _) => close(Format::Bf16, exp(-7.0), 0.0),
        // `rcp.approx.ftz.f64` and `rsqrt.approx.f64` have 20 bits of the fraction or more.
        _ => close(Format::F64, exp(-20.0), 0.0),
    }
}

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape { grid: [4, 1, 1], cluster: [1; 3], ..Shape::new(1, 512) });
    let classes = form.classes();
    let ty = form.last();
    // Random bits of stochastic rounding come last.
    let types: Vec<&str> = (1..classes.len())
        .map(|i| if form.has("rs") && i + 1 == classes.len() { "b32" } else { ty })
        .collect();
    let rows = values::rows(&types, b.shape.threads());
    let mut registers = vec![b.reg(classes[0])];
    for (k, class) in classes[1..].iter().enumerate() {
        registers.push(b.input(&format!("operand {}", k + 1), *class, |thread| rows[thread][k].into()));
    }
    b.line(form.with(&registers));
    b.output("d", classes[0], &registers[0], compare(form));
    vec![b.finish("")]
}
