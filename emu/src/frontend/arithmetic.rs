//! Decodes arithmetic, comparisons and conversions (PTX ISA 9.7.1 to 9.7.8, 9.7.9.21): integer instructions by a table of whole
//! opcodes, the others by the modifiers that they have.

use rustc_apfloat::Round;

use crate::frontend::ast::Operand;
use crate::frontend::lower::{Lower, Result};
use crate::frontend::op::*;
use crate::frontend::operands::{arg, slot};
use crate::frontend::video_decode;
use crate::frontend::words::Words;
use crate::numbers::float::{Comparison, Format, Function, Modifiers, Property};
use crate::numbers::integer::{self, Product};
use crate::numbers::narrow::Element;

pub fn decode(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let float = match words.ty() {
        Some(Type::Float(format)) => Some((format, 1)),
        Some(Type::Packed(format, count)) => Some((format, count)),
        _ => None,
    };
    match (words.first(), float) {
        ("add" | "sub" | "fma", Some((half @ (Format::F16 | Format::Bf16), 1)))
            if words.seek(|word| word == "f32").is_some() =>
        {
            mixed(l, words, half)
        }
        ("cvt", _) if words.starts(&["cvt", "pack"]) => cvt_pack(l, words),
        ("cvt", _) => cvt(l, words),
        ("setp", _) => setp(l, words),
        ("set", _) => set(l, words),
        ("selp", _) => selp(l, words),
        ("slct", _) => slct(l, words),
        ("testp", Some((format, 1))) => testp(l, words, format),
        ("lop3", _) if words.at(1) != "b32" => lop3_predicate(l, words),
        ("addc" | "subc" | "madc", _) => carry(l, words),
        ("add" | "sub" | "mad", None) if words.has("cc") => carry(l, words),
        (opcode, _) if opcode.starts_with('v') => video_decode::decode(l, words),
        (_, Some((format, lanes))) => self::float(l, words, format, lanes),
        _ => integer(l, words),
    }
}

/// Lowers an operand of a number of bits.
fn src(l: &mut Lower<'_>, words: &Words<'_>, i: usize, bits: u32) -> Result<Src> {
    l.src_of(arg(l, words, i)?, bits.min(64))
}

/// Lowers a predicate. Returns whether it is negated.
fn predicate(l: &mut Lower<'_>, words: &Words<'_>, i: usize) -> Result<(Src, bool)> {
    Ok(match arg(l, words, i)? {
        Operand::Not(name) => (Src(l.register(name)?), true),
        operand => (l.src(operand)?, false),
    })
}

fn integer(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    enum Kind {
        Unary(integer::Unary),
        Binary(integer::Binary),
        Ternary(integer::Ternary),
        Insert,
        Logic3,
    }
    let bits = words.ty().map_or(32, Type::bits);
    let all = words.whole();
    // The bits of the sources, to which a number is cut: amounts and positions have 32, whatever the type.
    let (kind, sources) = match all {
        ["bfi", "b32" | "b64"] => (Kind::Insert, [bits, bits, 32, 32]),
        ["lop3", "b32"] => (Kind::Logic3, [32; 4]),
        _ => {
            let kind = match words.operands.len() {
                2 => integer::unary(all).map(Kind::Unary),
                3 => integer::binary(all).map(Kind::Binary),
                4 => integer::ternary(all).map(Kind::Ternary),
                _ => None,
            };
            let Some(kind) = kind else { return Ok(None) };
            let sources = match all[..] {
                // ptxas cuts the number of a 16-bit shift to the type, though a register has 32 bits.
                ["shl" | "shr", ..] => [bits, bits.min(32), 0, 0],
                ["szext", ..] => [bits, 32, 0, 0],
                ["bfe", ..] => [bits, 32, 32, 0],
                ["mad", "wide", ..] => [bits, bits, 2 * bits, 0],
                _ => [bits; 4],
            };
            (kind, sources)
        }
    };
    let mut operands = [Src(0); 4];
    for (i, operand) in operands.iter_mut().enumerate().take(words.operands.len().saturating_sub(1)) {
        *operand = src(l, words, i + 1, sources[i])?;
    }
    let [a, b, c, _] = operands;
    let Some(d) = l.sink(arg(l, words, 0)?)? else { return Ok(Some(Op::Nop)) };
    Ok(Some(match kind {
        Kind::Unary(f) => Op::Unary(f, d, a),
        Kind::Binary(f) => Op::Binary(f, d, a, b),
        Kind::Ternary(f) => Op::Ternary(f, d, a, b, c),
        Kind::Insert if words.operands.len() == 5 => Op::Insert(bits, d, operands),
        Kind::Logic3 if words.operands.len() == 5 => Op::Logic3(d, operands),
        Kind::Insert | Kind::Logic3 => return Ok(None),
    }))
}

/// Decodes `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc` and `madc` (PTX ISA 9.7.2).
fn carry(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let (bits, signed) = match words.ty() {
        Some(Type::Unsigned(bits)) => (bits, false),
        Some(Type::Signed(bits)) => (bits, true),
        _ => return Ok(None),
    };
    let product = if words.first().starts_with("mad") {
        if words.has("lo") {
            Some(Product::Low)
        } else if words.has("hi") {
            if bits == 16 {
                return Err(l.error(format!(
                    "`{}` is no instruction of the ISA, whose `madc` has 32 or 64 bits (9.7.2.6): ptxas takes it, and adds no \
                     product. Use `madc.lo`, or 32 bits",
                    words.whole().join(".")
                )));
            }
            Some(Product::High { signed })
        } else {
            return Ok(None);
        }
    } else {
        None
    };
    Ok(Some(Op::Carry(Box::new(Carry {
        product,
        subtract: words.first().starts_with("sub"),
        bits,
        uses_carry: words.first().ends_with('c'),
        sets_carry: words.has("cc"),
        d: slot(l, words, 0)?,
        a: src(l, words, 1, bits)?,
        b: src(l, words, 2, bits)?,
        c: if product.is_some() { Some(src(l, words, 3, bits)?) } else { None },
    }))))
}

/// Decodes `lop3.BoolOp.b32 d|p, a, b, c, immLut, q`.
fn lop3_predicate(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let combine: integer::Binary = match words.whole() {
        ["lop3", "or", "b32"] => |a, b| a | b,
        ["lop3", "and", "b32"] => |a, b| a & b,
        _ => return Ok(None),
    };
    let Operand::Pair(d, p) = arg(l, words, 0)? else { return Ok(None) };
    let (d, p) = (l.sink(d)?, l.slot(p)?);
    let mut operands = [Src(0); 4];
    for (i, operand) in operands.iter_mut().enumerate() {
        *operand = src(l, words, i + 1, 32)?;
    }
    let (q, negated) = predicate(l, words, 5)?;
    Ok(Some(Op::Logic3Predicate(Box::new(Logic3Predicate { d, p, operands, combine, q, negated }))))
}

fn selp(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let bits = words.ty().map_or(64, Type::bits);
    let d = slot(l, words, 0)?;
    let (a, b) = (src(l, words, 1, bits)?, src(l, words, 2, bits)?);
    let p = l.src(arg(l, words, 3)?)?;
    Ok(Some(Op::Select(d, a, b, p)))
}

/// Decodes `slct{.ftz}.dtype.f32` and `slct.dtype.s32`.
fn slct(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let [ty, by] = words.types()[..] else { return Ok(None) };
    let sign = match by {
        Type::Float(Format::F32) => Sign::Float { ftz: words.has("ftz") },
        Type::Signed(32) => Sign::Integer,
        _ => return Ok(None),
    };
    let d = slot(l, words, 0)?;
    let (a, b) = (src(l, words, 1, ty.bits())?, src(l, words, 2, ty.bits())?);
    let c = src(l, words, 3, 32)?;
    Ok(Some(Op::SelectBySign(d, a, b, c, sign)))
}

fn testp(l: &mut Lower<'_>, words: &Words<'_>, format: Format) -> Result<Option<Op>> {
    let Some(property) = words.find(Property::named) else { return Ok(None) };
    let (d, a) = (slot(l, words, 0)?, src(l, words, 1, format.bits())?);
    Ok(Some(Op::TestProperty(d, property, format, a)))
}

fn compare(words: &Words<'_>) -> Option<Compare> {
    let (format, lanes) = match words.ty()? {
        Type::Float(format) => (format, 1),
        Type::Packed(format, lanes) => (format, lanes),
        _ => {
            let ty = words.last();
            return words.find(|word| integer::test(word, ty)).map(Compare::Integer);
        }
    };
    let (comparison, ftz) = (words.find(Comparison::named)?, words.has("ftz"));
    Some(Compare::Float { format, lanes, comparison, ftz })
}

/// Decodes `.and`, `.or` or `.xor` with a predicate.
fn combination(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<(integer::Binary, Src, bool)>> {
    const WORDS: [(&str, integer::Binary); 3] =
        [("and", |a, b| a & b), ("or", |a, b| a | b), ("xor", |a, b| a ^ b)];
    match WORDS.into_iter().find(|(word, _)| words.has(word)) {
        Some((_, combine)) => {
            let (p, negated) = predicate(l, words, 3)?;
            Ok(Some((combine, p, negated)))
        }
        None => Ok(None),
    }
}

fn setp(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let (Some(compare), Some(ty)) = (compare(words), words.ty()) else { return Ok(None) };
    let (d, not_d) = match arg(l, words, 0)? {
        Operand::Pair(d, not_d) => (l.sink(d)?, l.sink(not_d)?),
        d => (l.sink(d)?, None),
    };
    let combine = combination(l, words)?;
    let (a, b) = (src(l, words, 1, ty.bits())?, src(l, words, 2, ty.bits())?);
    Ok(Some(Op::Setp(Box::new(Setp { compare, a, b, to: Truth::Predicates(d, not_d), combine }))))
}

/// Decodes `set`. Its result for true is 1.0 in a float, all ones in an integer.
fn set(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let [to, from] = words.types()[..] else { return Ok(None) };
    let Some(compare) = compare(words) else { return Ok(None) };
    let lanes = if let Compare::Float { lanes, .. } = compare { lanes } else { 1 };
    let bits = match (to, lanes) {
        // Each half of a `.u32` or `.s32` holds the result of its lane.
        (Type::Unsigned(32) | Type::Signed(32), 2) => 16,
        (Type::Packed(format, 2), 2) => format.bits(),
        (Type::Float(_) | Type::Unsigned(16 | 32) | Type::Signed(16 | 32), 1) => to.bits(),
        _ => return Ok(None),
    };
    let truth = match to {
        Type::Float(format) | Type::Packed(format, _) => format.from_f64(1.0),
        _ => u64::MAX >> (64 - bits),
    };
    let d = slot(l, words, 0)?;
    let combine = combination(l, words)?;
    let (a, b) = (src(l, words, 1, from.bits())?, src(l, words, 2, from.bits())?);
    Ok(Some(Op::Setp(Box::new(Setp { compare, a, b, to: Truth::Value { d, truth, bits }, combine }))))
}

fn float(l: &mut Lower<'_>, words: &Words<'_>, format: Format, lanes: u32) -> Result<Option<Op>> {
    let function = match words.first() {
        "add" => Function::Add,
        "sub" => Function::Sub,
        "mul" => Function::Mul,
        "div" => Function::Div,
        "fma" | "mad" => Function::Fma,
        "min" => Function::Min,
        "max" => Function::Max,
        "neg" => Function::Neg,
        "abs" => Function::Abs,
        "copysign" => Function::Copysign,
        "sqrt" => Function::Sqrt,
        "rsqrt" => Function::Rsqrt,
        "rcp" => Function::Rcp,
        "sin" => Function::Sin,
        "cos" => Function::Cos,
        "lg2" => Function::Lg2,
        "ex2" => Function::Ex2,
        "tanh" => Function::Tanh,
        _ => return Ok(None),
    };
    // The modifiers of the instruction: others stay, and refuse the module.
    let mut function = function;
    let takes_ftz = format != Format::F64 || matches!(function, Function::Rcp | Function::Rsqrt);
    let mut modifiers = Modifiers { ftz: takes_ftz && words.has("ftz"), ..Modifiers::NEAREST };
    let mut count = 1;
    match function {
        Function::Add | Function::Sub | Function::Mul | Function::Fma => {
            modifiers.round = words.round().unwrap_or(modifiers.round);
            modifiers.sat = words.has("sat");
            count = 2;
            if function == Function::Fma {
                let is_half = format.bits() == 16;
                if format == Format::Bf16 && modifiers.round != Round::NearestTiesToEven {
                    return Err(l.error(format!(
                        "`{}` is no instruction of the ISA, whose `fma` of `.bf16` has `.rn` alone (9.7.4.4): ptxas takes it, \
                         and computes `.f16` or rounds to nearest. Use `.rn`",
                        words.whole().join(".")
                    )));
                }
                modifiers.relu = is_half && words.has("relu");
                modifiers.oob = is_half && words.has("oob");
                count = 3;
            }
        }
        Function::Div => {
            count = 2;
            if words.has("approx") {
                function = Function::DivApprox;
            } else if !words.has("full") {
                let Some(round) = words.round() else { return Ok(None) };
                modifiers.round = round;
            }
        }
        Function::Min | Function::Max => {
            modifiers.nan = words.has("NaN");
            modifiers.xorsign = words.has("xorsign") && words.has("abs");
            count = 2;
        }
        Function::Sin | Function::Cos if words.has("2pi") && words.has("approx") => {
            function = if function == Function::Sin { Function::SinOfTurns } else { Function::CosOfTurns };
        }
        Function::Copysign => count = 2,
        Function::Neg | Function::Abs => {}
        _ if words.has("approx") => {}
        Function::Rcp | Function::Sqrt => {
            modifiers.round = words.round().unwrap_or(modifiers.round);
            // ptxas takes `rcp.rn.ftz.f64`, whose subnormal operands and results stay.
            modifiers.ftz &= format != Format::F64;
        }
        _ => return Ok(None),
    }
    if words.operands.len() != count + 1 {
        return Ok(None);
    }
    let d = slot(l, words, 0)?;
    let mut operands = Vec::new();
    for i in 1..=count {
        operands.push(src(l, words, i, format.bits() * lanes)?);
    }
    let plain = modifiers == Modifiers::NEAREST && lanes == 1;
    Ok(Some(match (function, format, &operands[..]) {
        (Function::Add, Format::F32, [a, b]) if plain => Op::AddF32(d, *a, *b),
        (Function::Mul, Format::F32, [a, b]) if plain => Op::MulF32(d, *a, *b),
        (Function::Fma, Format::F32, [a, b, c]) if plain => Op::FmaF32(d, *a, *b, *c),
        (Function::Add, Format::F64, [a, b]) if plain => Op::AddF64(d, *a, *b),
        (Function::Mul, Format::F64, [a, b]) if plain => Op::MulF64(d, *a, *b),
        (Function::Fma, Format::F64, [a, b, c]) if plain => Op::FmaF64(d, *a, *b, *c),
        _ => Op::Float(Box::new(FloatOp { function, format, lanes, modifiers, d, operands, narrower: None })),
    }))
}

/// Decodes `add`, `sub` and `fma` in mixed precision (PTX ISA 9.7.5).
fn mixed(l: &mut Lower<'_>, words: &Words<'_>, half: Format) -> Result<Option<Op>> {
    if words.types() != [Type::Float(Format::F32), Type::Float(half)] {
        return Ok(None);
    }
    let (function, count) = match words.first() {
        "add" => (Function::Add, 2),
        "sub" => (Function::Sub, 2),
        _ => (Function::Fma, 3),
    };
    if words.operands.len() != count + 1 {
        return Ok(None);
    }
    let round = words.round().unwrap_or(Round::NearestTiesToEven);
    let modifiers = Modifiers { round, sat: words.has("sat"), ..Modifiers::NEAREST };
    let d = slot(l, words, 0)?;
    let bits = |i: usize| if i == count { 32 } else { 16 };
    let operands = (1..=count).map(|i| src(l, words, i, bits(i))).collect::<Result<Vec<_>>>()?;
    let format = Format::F32;
    Ok(Some(Op::Float(Box::new(FloatOp {
        function,
        format,
        lanes: 1,
        modifiers,
        d,
        operands,
        narrower: Some(half),
    }))))
}

fn number(ty: Type) -> Option<Number> {
    Some(match ty {
        Type::Float(format) => Number::Float(format),
        Type::Packed(format, count) => Number::Packed(Element::Float(format), count),
        Type::Narrow(narrow, count) => Number::Packed(Element::Narrow(narrow), count),
        Type::Signed(bits) => Number::Integer { bits, signed: true },
        Type::Unsigned(bits) => Number::Integer { bits, signed: false },
        Type::Bits(_) | Type::InMemory(_) => return None,
    })
}

fn is_integer(number: Number) -> bool {
    matches!(number, Number::Integer { .. })
}

fn cvt(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let mut numbers: Vec<_> = words.types().into_iter().filter_map(number).collect();
    if words.has("tf32") {
        numbers.insert(0, Number::Tf32);
    }
    let [to, from] = numbers[..] else { return Ok(None) };
    let source_bits = match from {
        Number::Integer { bits, .. } => bits,
        Number::Float(format) => format.bits(),
        Number::Packed(element, count) => element.place() * count,
        Number::Tf32 => return Ok(None),
    };
    let is_random = words.has("rs");
    // What a conversion does not do, it does not read, and so refuses.
    let takes_integral = match (to, from) {
        (Number::Integer { .. }, Number::Float(_)) => true,
        (Number::Float(to), Number::Float(from)) => to == from,
        _ => false,
    };
    let takes_round = !is_random && !takes_integral && !(is_integer(to) && is_integer(from));
    let takes_ftz = [to, from].contains(&Number::Float(Format::F32));
    let is_finite_alone = matches!(to, Number::Packed(..) | Number::Tf32);
    let takes_relu =
        is_finite_alone || matches!(to, Number::Float(format) if format.bits() == 16 && !takes_integral);
    let integral = if takes_integral { words.integral_round() } else { None };
    let round = if takes_round { words.round() } else { integral };
    let mut operands = Vec::new();
    for operand in words.operands.iter().skip(1) {
        match operand {
            Operand::Vector(elements) => {
                for element in elements {
                    operands.push(l.src_of(element, source_bits)?);
                }
            }
            operand => operands.push(l.src_of(operand, if is_random { 32 } else { source_bits })?),
        }
    }
    let random = if is_random { operands.pop() } else { None };
    let factors = match () {
        () if words.has("scaled::n1::ue8m0") => Some(1),
        () if words.has("scaled::n2::ue8m0") => Some(2),
        () => None,
    };
    let scale = match factors {
        Some(count) => {
            Some((operands.pop().ok_or_else(|| l.error("`.scaled` without scale factors"))?, count))
        }
        None => None,
    };
    let modifiers = Modifiers {
        round: round.unwrap_or(Round::NearestTiesToEven),
        ftz: takes_ftz && words.has("ftz"),
        sat: !is_finite_alone && words.has("sat"),
        relu: takes_relu && words.has("relu"),
        pzo: takes_relu && words.has("pzo"),
        ..Modifiers::NEAREST
    };
    let expected = match (to, from) {
        (Number::Packed(_, count), Number::Float(_)) => count as usize,
        _ => 1,
    };
    if operands.len() != expected {
        return Ok(None);
    }
    Ok(Some(Op::Cvt(Box::new(Cvt {
        to,
        from,
        integral: integral.is_some(),
        modifiers,
        satfinite: takes_relu && words.has("satfinite"),
        width: l.bits_of(arg(l, words, 0)?),
        d: slot(l, words, 0)?,
        operands,
        random,
        scale,
    }))))
}

/// Decodes `cvt.pack.sat.type.s32 d, a, b` and `cvt.pack.sat.type.s32.b32 d, a, b, c`.
fn cvt_pack(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let (signed, bits, has_c) = match words.whole() {
        ["cvt", "pack", "sat", "u16", "s32"] => (false, 16, false),
        ["cvt", "pack", "sat", "s16", "s32"] => (true, 16, false),
        ["cvt", "pack", "sat", ty, "s32", "b32"] => match *ty {
            "u8" => (false, 8, true),
            "s8" => (true, 8, true),
            "u4" => (false, 4, true),
            "s4" => (true, 4, true),
            "u2" => (false, 2, true),
            "s2" => (true, 2, true),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(Some(Op::CvtPack(Box::new(CvtPack {
        bits,
        signed,
        d: slot(l, words, 0)?,
        a: src(l, words, 1, 32)?,
        b: src(l, words, 2, 32)?,
        c: if has_c { Some(src(l, words, 3, 32)?) } else { None },
    }))))
}
