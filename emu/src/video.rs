//! Video instructions (PTX ISA 9.7.18): scalar ones on selected parts of registers, and those on two or four lanes.

use crate::ast::Operand;
use crate::decode::Result;
use crate::lower::Lower;
use crate::op::{Op, Slot, Src, Type};
use crate::word::mask;
use crate::words::Words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
    Average,
    ShiftLeft {
        wraps: bool,
    },
    ShiftRight {
        wraps: bool,
    },
    /// `vset`: the results for less, equal and greater.
    Set([bool; 3]),
}

/// What becomes of the result of a scalar instruction and the operand `c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Secondary {
    /// The result replaces a part of `c`, or is all of `d`.
    Merge(Part),
    Add,
    Min,
    Max,
}

/// A part of a register: bits from a place on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// Whether it is in operand `b`.
    second: bool,
    shift: u32,
    bits: u32,
}

/// A source: the part of each lane, and whether the parts are signed.
#[derive(Debug)]
struct Source {
    parts: Vec<Part>,
    signed: bool,
}

impl Source {
    fn value(&self, lane: usize, operands: [u64; 2]) -> i128 {
        let Part { second, shift, bits } = self.parts[lane];
        extend(operands[usize::from(second)] >> shift, bits, self.signed)
    }
}

fn extend(value: u64, bits: u32, signed: bool) -> i128 {
    let value = i128::from(value & mask(bits));
    if signed && value >> (bits - 1) == 1 { value - (1 << bits) } else { value }
}

fn clamp(value: i128, bits: u32, signed: bool) -> i128 {
    if signed {
        value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        value.clamp(0, (1 << bits) - 1)
    }
}

#[derive(Debug)]
enum What {
    Scalar {
        function: Function,
        sources: [Source; 2],
        secondary: Secondary,
    },
    Lanes {
        function: Function,
        sources: [Source; 2],
        /// Whether the results are added to `c`. If not, they replace lanes of it.
        adds: bool,
        /// The part of the result of each lane. `None`: the lane is `c`'s.
        results: Vec<Option<Part>>,
    },
    /// `vmad`.
    MultiplyAdd {
        sources: [Source; 2],
        scale: u32,
        plus_one: bool,
        negate_product: bool,
        negate_c: bool,
    },
}

#[derive(Debug)]
pub struct Video {
    what: What,
    /// Whether the result is signed.
    signed: bool,
    saturates: bool,
    pub d: Slot,
    pub operands: [Src; 3],
}

/// sm_90a has none of these instructions: ptxas 13 writes each as a sequence of others, and the values are those of the sequence.
/// They are the text's (9.7.18) except where a comment says otherwise.
impl Video {
    pub fn compute(&self, [a, b, c]: [u64; 3]) -> u64 {
        match &self.what {
            What::Scalar { function, sources, secondary } => {
                self.scalar(*function, sources, *secondary, [a, b, c])
            }
            What::Lanes { function, sources, adds, results } => {
                self.lanes(*function, sources, *adds, results, [a, b, c])
            }
            What::MultiplyAdd { sources, scale, plus_one, negate_product, negate_c } => {
                let signed = sources[0].signed || sources[1].signed || *negate_product || *negate_c;
                // By the text a `.u32` factor or `c` is zero-extended. In the sequence, `IMAD.WIDE`, all 32 bits are one signed
                // number: -1 is 0xffffffff whatever its type.
                let factor = |i: usize| extend(sources[i].value(0, [a, b]) as u64, 32, true);
                let product = factor(0) * factor(1);
                let product = if *negate_product { -product } else { product };
                let c = if *negate_c { !c } else { c };
                let one = i128::from(*plus_one || *negate_c);
                let sum = (product + extend(c, 32, true) + one) as i64;
                let scaled = if signed { sum >> scale } else { (sum as u64 >> scale) as i64 }.into();
                let result = if self.saturates { clamp(scaled, 32, signed) } else { scaled };
                result as u64 & mask(32)
            }
        }
    }

    fn scalar(
        &self,
        function: Function,
        sources: &[Source; 2],
        secondary: Secondary,
        [a, b, c]: [u64; 3],
    ) -> u64 {
        let [x, y] = [&sources[0], &sources[1]].map(|source| source.value(0, [a, b]));
        let value = function.of(x, y);
        let value = if self.saturates { self.saturated(function, secondary, value) } else { value };
        let extreme = |is_min: bool| {
            // By the text the intermediate result of 34 bits is compared. In the sequence a sum, a difference and a shift with
            // `.sat` are registers of 32 bits, whose highest bit is a sign; if `c` is unsigned, so is the comparison of 64 bits.
            let of_register = match function {
                Function::Add | Function::Sub => true,
                Function::ShiftLeft { .. } | Function::ShiftRight { .. } => self.saturates,
                _ => false,
            };
            let value = if of_register { extend(value as u64, 32, true) } else { value };
            let c = extend(c, 32, self.signed);
            let is_less = if self.signed { (value as i64) < c as i64 } else { (value as u64) < c as u64 };
            if is_less == is_min { value as u64 } else { c as u64 }
        };
        let all = match secondary {
            Secondary::Merge(Part { shift, bits, .. }) => {
                c & !(mask(bits) << shift) | (value as u64 & mask(bits)) << shift
            }
            Secondary::Add => c.wrapping_add(value as u64),
            Secondary::Min => extreme(true),
            Secondary::Max => extreme(false),
        };
        all & mask(32)
    }

    /// Returns what `.sat` makes of a result. By the text it is clamped to the range of the destination's type and part.
    fn saturated(&self, function: Function, secondary: Secondary, value: i128) -> i128 {
        let shifts = matches!(function, Function::ShiftLeft { .. } | Function::ShiftRight { .. });
        match secondary {
            // The bits above the 34 of the intermediate result are lost, and a part is not clamped to its own range.
            _ if shifts => clamp(extend(value as u64, 34, true), 32, self.signed),
            // What does not fit, negative or not, becomes the largest number.
            Secondary::Merge(Part { bits, .. }) if bits < 32 => {
                let largest = i128::from(mask(bits - u32::from(self.signed)));
                if (0..=largest).contains(&value) { value } else { largest }
            }
            _ if self.signed => clamp(value, 32, true),
            // There is no upper bound: the result wraps.
            _ => value.max(0),
        }
    }

    fn lanes(
        &self,
        function: Function,
        sources: &[Source; 2],
        adds: bool,
        results: &[Option<Part>],
        [a, b, c]: [u64; 3],
    ) -> u64 {
        let mut all = c & mask(32);
        for (lane, result) in results.iter().enumerate() {
            let Some(Part { shift, bits, .. }) = *result else { continue };
            let [x, y] = [&sources[0], &sources[1]].map(|source| source.value(lane, [a, b]));
            let value = function.of(x, y);
            if adds {
                all = all.wrapping_add(value as u64) & mask(32);
            } else {
                let value = if self.saturates { clamp(value, bits, self.signed) } else { value };
                all = all & !(mask(bits) << shift) | (value as u64 & mask(bits)) << shift;
            }
        }
        all
    }
}

impl Function {
    fn of(self, a: i128, b: i128) -> i128 {
        // An amount is an unsigned number of 32 bits at most.
        let amount = |wraps: bool| if wraps { b & 31 } else { b.min(32) } as u32;
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::AbsDiff => (a - b).abs(),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            // Ties are rounded away from zero.
            Self::Average => (a + b + i128::from(a + b >= 0)) >> 1,
            Self::ShiftLeft { wraps } => a << amount(wraps),
            Self::ShiftRight { wraps } => a >> amount(wraps),
            Self::Set([less, equal, greater]) => match a.cmp(&b) {
                std::cmp::Ordering::Less => less,
                std::cmp::Ordering::Equal => equal,
                std::cmp::Ordering::Greater => greater,
            }
            .into(),
        }
    }
}

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
    Ok(Some(Op::Video(Box::new(Video { what, signed, saturates, d, operands }))))
}
