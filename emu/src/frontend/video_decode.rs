//! Decodes the video instructions: their parts, lanes and secondary operations.

use crate::frontend::ast::Operand;
use crate::frontend::lower::{Lower, Result};
use crate::frontend::op::{Op, Type, Video};
use crate::frontend::words::Words;
use crate::numbers::video::{Function, Operation, Part, Secondary, Source, What};

/// An operand without what a video instruction may add to it.
struct Selected<'a> {
    operand: Operand,
    /// The selector after the last dot of a register.
    selector: Option<&'a str>,
    negated: bool,
}

fn selected<'a>(l: &mut Lower<'_>, operand: &'a Operand) -> Selected<'a> {
    let (name, negated) = match operand {
        Operand::Name(name) => (name, false),
        Operand::Negated(name) => (name, true),
        operand => return Selected { operand: operand.clone(), selector: None, negated: false },
    };
    let (name, selector) = match name.rsplit_once('.') {
        Some((register, selector)) if l.register(name).is_err() => (register, Some(selector)),
        _ => (name.as_str(), None),
    };
    Selected { operand: Operand::Name(name.into()), selector, negated }
}

/// Returns the part of a register that `.b0` to `.b3`, `.h0` or `.h1` selects.
fn part(selector: &str) -> Option<Part> {
    let (kind, number) = selector.split_at_checked(1)?;
    let number: u32 = number.parse().ok()?;
    match (kind, number) {
        ("b", 0..4) => Some(Part { second: false, shift: 8 * number, bits: 8 }),
        ("h", 0..2) => Some(Part { second: false, shift: 16 * number, bits: 16 }),
        _ => None,
    }
}

/// Returns the parts that `.h10` or `.b3210` selects for the lanes, the last digit for the first lane.
fn parts(selector: &str, lanes: u32) -> Option<Vec<Part>> {
    let digits = selector.strip_prefix(if lanes == 2 { 'h' } else { 'b' })?;
    let bits = 32 / lanes;
    let of_digit = |digit: char| {
        let number = digit.to_digit(2 * lanes)?;
        Some(Part { second: number >= lanes, shift: number % lanes * bits, bits })
    };
    let parts: Vec<_> = digits.chars().rev().map(of_digit).collect::<Option<_>>()?;
    (parts.len() == lanes as usize).then_some(parts)
}

/// Returns the lanes of a mask `.h0`, `.h10`, `.b20`.
fn results(selector: Option<&str>, lanes: u32) -> Option<Vec<Option<Part>>> {
    let bits = 32 / lanes;
    let all = (0..lanes).map(|lane| Some(Part { second: false, shift: lane * bits, bits }));
    let Some(selector) = selector else { return Some(all.collect()) };
    let digits = selector.strip_prefix(if lanes == 2 { 'h' } else { 'b' })?;
    let chosen: Vec<_> = digits.chars().map(|digit| digit.to_digit(lanes)).collect::<Option<_>>()?;
    // The lanes of a mask are in falling order.
    let falls = chosen.is_sorted_by(|a, b| a > b) && !chosen.is_empty();
    falls.then(|| {
        all.enumerate().map(|(lane, part)| part.filter(|_| chosen.contains(&(lane as u32)))).collect()
    })
}

fn set(comparison: &str) -> Option<Function> {
    Some(Function::Set(match comparison {
        "eq" => [false, true, false],
        "ne" => [true, false, true],
        "lt" => [true, false, false],
        "le" => [true, true, false],
        "gt" => [false, false, true],
        "ge" => [false, true, true],
        _ => return None,
    }))
}

pub fn decode(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let opcode = words.first();
    let (name, lanes) = match opcode.strip_suffix(['2', '4']) {
        Some(name) => (name, if opcode.ends_with('2') { 2 } else { 4 }),
        None => (opcode, 1),
    };
    let function = match name {
        "vadd" => Some(Function::Add),
        "vsub" => Some(Function::Sub),
        "vabsdiff" => Some(Function::AbsDiff),
        "vmin" => Some(Function::Min),
        "vmax" => Some(Function::Max),
        "vavrg" if lanes > 1 => Some(Function::Average),
        "vshl" | "vshr" if lanes == 1 => {
            let wraps = words.has("wrap");
            if !wraps && !words.has("clamp") {
                return Ok(None);
            }
            Some(if name == "vshl" { Function::ShiftLeft { wraps } } else { Function::ShiftRight { wraps } })
        }
        "vset" => words.find(set),
        "vmad" if lanes == 1 => None,
        _ => return Ok(None),
    };
    let is_signed = |ty: &Type| match ty {
        Type::Unsigned(32) => Some(false),
        Type::Signed(32) => Some(true),
        _ => None,
    };
    let signs: Option<Vec<bool>> = words.types().iter().map(is_signed).collect();
    let (signed, signs) = match (name, signs.as_deref()) {
        // The type of `a` is that of `c` too.
        ("vset", Some([a, b])) => (*a, [*a, *b]),
        ("vset", _) => return Ok(None),
        (_, Some([d, a, b])) => (*d, [*a, *b]),
        _ => return Ok(None),
    };
    let saturates = name != "vset" && words.has("sat");
    let all: Vec<_> = words.operands.iter().map(|operand| selected(l, operand)).collect();
    let [d, a, b, more @ ..] = &all[..] else { return Ok(None) };
    let c = match more {
        [] => None,
        [c @ Selected { selector: None, .. }] => Some(c),
        _ => return Ok(None),
    };
    if function.is_some() && all.iter().any(|operand| operand.negated) || d.negated {
        return Ok(None);
    }
    let source = |i: usize, signed: bool| {
        let parts = match (lanes, all[i].selector) {
            (1, None) => Some(vec![Part { second: i == 2, shift: 0, bits: 32 }]),
            (1, Some(selector)) => part(selector).map(|part| vec![Part { second: i == 2, ..part }]),
            (2, selector) => parts(selector.unwrap_or(["h10", "h32"][i - 1]), 2),
            (_, selector) => parts(selector.unwrap_or(["b3210", "b7654"][i - 1]), 4),
        };
        parts.map(|parts| Source { parts, signed })
    };
    let (Some(first), Some(second)) = (source(1, signs[0]), source(2, signs[1])) else { return Ok(None) };
    let sources = [first, second];
    let what = match function {
        Some(function) if lanes == 1 => {
            let register = Part { second: false, shift: 0, bits: 32 };
            let secondary = match () {
                () if words.has("add") => Secondary::Add,
                () if words.has("min") => Secondary::Min,
                () if words.has("max") => Secondary::Max,
                () => match d.selector.map_or(Some(register), part) {
                    Some(part) => Secondary::Merge(part),
                    None => return Ok(None),
                },
            };
            let merges = matches!(secondary, Secondary::Merge(_));
            // A result without a selector and a secondary operation needs no `c`.
            if d.selector.is_some() && !merges || c.is_some() != (!merges || d.selector.is_some()) {
                return Ok(None);
            }
            What::Scalar { function, sources, secondary }
        }
        Some(function) => {
            let adds = words.has("add");
            let Some(results) = results(d.selector, lanes) else { return Ok(None) };
            if saturates && adds || c.is_none() {
                return Ok(None);
            }
            // No operand is a number.
            for operand in &all {
                l.slot(&operand.operand)?;
            }
            What::Lanes { function, sources, adds, results }
        }
        None if d.selector.is_none() && c.is_some() => {
            let plus_one = words.has("po");
            let negate_product = a.negated != b.negated;
            let negate_c = c.is_some_and(|c| c.negated);
            if plus_one && all.iter().any(|operand| operand.negated) {
                return Err(l.error(format!("`{opcode}` with `.po` negates no operand")));
            }
            if negate_product && negate_c {
                return Err(l.error(format!("`{opcode}` negates the product or the last operand, not both")));
            }
            let scale = words.find(|word| match word {
                "shr7" => Some(7),
                "shr15" => Some(15),
                _ => None,
            });
            What::MultiplyAdd { sources, scale: scale.unwrap_or(0), plus_one, negate_product, negate_c }
        }
        None => return Ok(None),
    };
    let mut operands = [l.constant(0); 3];
    for (src, operand) in operands.iter_mut().zip(&all[1..]) {
        *src = l.src_of(&operand.operand, 32)?;
    }
    let d = l.slot(&d.operand)?;
    let operation = Operation { what, signed, saturates };
    Ok(Some(Op::Video(Box::new(Video { operation, d, operands }))))
}
