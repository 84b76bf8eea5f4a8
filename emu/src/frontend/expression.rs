//! Parses constants and constant expressions (PTX ISA 4.5), and computes their values.

use winnow::ascii::{digit0, digit1, hex_digit1};
use winnow::combinator::{alt, delimited, fail, not, opt, preceded, terminated};
use winnow::error::{AddContext, ContextError, ErrMode, StrContext};
use winnow::prelude::*;
use winnow::stream::Stream;
use winnow::token::{one_of, take_while};

use crate::frontend::ast::Operand;
use crate::frontend::tokens::{Input, is_in_name, nested, punctuation, token};

/// The value of a constant expression. Integers have 64 bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    /// The bits of a `0f` number, which is no operand of an expression.
    Single(u32),
}

use Value::{Float, Signed, Single, Unsigned};

impl Value {
    pub fn integer(self) -> Option<u64> {
        match self {
            Signed(number) => Some(number as u64),
            Unsigned(number) => Some(number),
            Float(_) | Single(_) => None,
        }
    }

    pub fn operand(self) -> Operand {
        match self {
            Signed(number) => Operand::Number(number as u64),
            Unsigned(number) => Operand::Number(number),
            Float(number) => Operand::Float64(number.to_bits()),
            Single(bits) => Operand::Float32(bits),
        }
    }
}

type Computed = Result<Value, &'static str>;

const INTEGERS: &str = "constant expression: its operator is for integers";

/// Fails for good: no other reading of the text is right.
fn invalid<O>(i: &Input<'_>, why: &'static str) -> ModalResult<O> {
    let error = ContextError::new().add_context(i, &i.checkpoint(), StrContext::Label(why));
    Err(ErrMode::Cut(error))
}

fn computed(i: &Input<'_>, value: Computed) -> ModalResult<Value> {
    value.or_else(|why| invalid(i, why))
}

fn radix(digits: &str, radix: u32) -> Computed {
    let number = u64::from_str_radix(digits, radix).map_err(|_| "number: it has more than 64 bits")?;
    Ok(i64::try_from(number).map_or(Unsigned(number), Signed))
}

fn decimal_float(text: &str) -> Computed {
    let number: f64 = text.parse().map_err(|_| "number")?;
    let digits = text.split(['e', 'E']).next().unwrap_or_default();
    let is_zero = !digits.contains(|c: char| ('1'..='9').contains(&c));
    if number.is_finite() && (number != 0.0 || is_zero) {
        return Ok(Float(number));
    }
    Err("number: it is out of the range of a double")
}

/// Parses a number.
pub fn literal(i: &mut Input<'_>) -> ModalResult<Value> {
    let bits = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let hex = |count| take_while(count, |c: char| c.is_ascii_hexdigit());
    let exponent = || (one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1).void();
    let fraction = (digit0, '.', digit0, opt(exponent())).take().verify(|text: &str| text != ".");
    let unsigned = |of: u32| {
        move |(digits, suffix): (&str, Option<_>)| {
            let value = radix(digits, of)?;
            Ok(if suffix.is_some() { Unsigned(value.integer().unwrap_or(0)) } else { value })
        }
    };
    let number = alt((
        preceded(alt(("0f", "0F")), hex(8)).verify_map(bits).map(|bits| Ok(Single(bits as u32))),
        preceded(alt(("0d", "0D")), hex(16)).verify_map(bits).map(|bits| Ok(Float(f64::from_bits(bits)))),
        preceded(alt(("0x", "0X")), (hex_digit1, opt('U'))).map(unsigned(16)),
        preceded(alt(("0b", "0B")), (take_while(1.., ['0', '1']), opt('U'))).map(unsigned(2)),
        alt((fraction, (digit1, exponent()).take())).map(decimal_float),
        preceded('0', (take_while(1.., '0'..='7'), opt('U'))).map(unsigned(8)),
        (digit1.verify(|digits: &str| digits == "0" || !digits.starts_with('0')), opt('U')).map(unsigned(10)),
    ));
    let value = token(terminated(number, not(one_of(is_in_name)))).parse_next(i)?;
    computed(i, value)
}

/// Parses a constant expression.
pub fn expression(i: &mut Input<'_>) -> ModalResult<Value> {
    let condition = binary(i, 0)?;
    if opt(punctuation('?')).parse_next(i)?.is_none() {
        return Ok(condition);
    }
    let (first, _, second) = nested((expression, punctuation(':'), expression)).parse_next(i)?;
    let value = match (condition.integer(), first.integer(), second.integer()) {
        (Some(condition), Some(_), Some(_)) => Ok(if condition != 0 { first } else { second }),
        _ => Err(INTEGERS),
    };
    computed(i, value)
}

/// Parses the operands of binary operators that bind at least as tightly as `weakest`.
pub fn binary(i: &mut Input<'_>, weakest: u32) -> ModalResult<Value> {
    let mut left = unary(i)?;
    loop {
        let start = i.checkpoint();
        match opt(operator).parse_next(i)? {
            Some((operator, strength)) if strength >= weakest => {
                let right = nested(|i: &mut Input<'_>| binary(i, strength + 1)).parse_next(i)?;
                left = computed(i, combine(operator, left, right))?;
            }
            _ => {
                i.reset(&start);
                return Ok(left);
            }
        }
    }
}

/// The binary operators, with how tightly they bind. An operator stands before those that begin it.
const OPERATORS: [(&str, u32); 18] = [
    ("||", 0),
    ("&&", 1),
    ("==", 5),
    ("!=", 5),
    ("<=", 6),
    (">=", 6),
    ("<<", 7),
    (">>", 7),
    ("|", 2),
    ("^", 3),
    ("&", 4),
    ("<", 6),
    (">", 6),
    ("+", 8),
    ("-", 8),
    ("*", PRODUCT),
    ("/", PRODUCT),
    ("%", PRODUCT),
];

/// How tightly `*` binds.
pub const PRODUCT: u32 = 9;

/// Parses a binary operator.
fn operator(i: &mut Input<'_>) -> ModalResult<(&'static str, u32)> {
    let Some((operator, strength)) = OPERATORS.into_iter().find(|(text, _)| i.starts_with(text)) else {
        return fail.parse_next(i);
    };
    // `%r1` is a name.
    let is_name = |text: &Input<'_>| operator == "%" && text[1..].starts_with(is_in_name);
    if is_name(i) {
        return fail.parse_next(i);
    }
    token(operator).parse_next(i)?;
    Ok((operator, strength))
}

fn unary(i: &mut Input<'_>) -> ModalResult<Value> {
    let sign = opt(token(one_of(['+', '-', '!', '~']))).parse_next(i)?;
    if let Some(sign) = sign {
        let value = nested(unary).parse_next(i)?;
        return computed(i, apply(sign, value));
    }
    let cast =
        delimited(punctuation('('), token(alt((".s64".value(true), ".u64".value(false)))), punctuation(')'));
    if let Some(signed) = opt(cast).parse_next(i)? {
        let value = nested(unary).parse_next(i)?;
        let number = value.integer().ok_or("cast: it is for integers");
        return computed(
            i,
            number.map(|number| if signed { Signed(number as i64) } else { Unsigned(number) }),
        );
    }
    alt((
        nested(delimited(punctuation('('), expression, punctuation(')'))),
        token(("WARP_SZ", not(one_of(is_in_name)))).value(Signed(32)),
        literal,
    ))
    .parse_next(i)
}

fn apply(sign: char, value: Value) -> Computed {
    Ok(match (sign, value) {
        (_, Single(_)) => return Err("constant expression: a `0f` number stands alone"),
        ('+', value) => value,
        ('-', Signed(number)) => Signed(number.wrapping_neg()),
        ('-', Unsigned(number)) => Unsigned(number.wrapping_neg()),
        ('-', Float(number)) => Float(-number),
        ('!', Signed(0) | Unsigned(0)) => Signed(1),
        ('!', Signed(_) | Unsigned(_)) => Signed(0),
        ('~', Signed(number)) => Unsigned(!number as u64),
        ('~', Unsigned(number)) => Unsigned(!number),
        _ => return Err(INTEGERS),
    })
}

/// Computes a binary operator. The types of results are those of the table in PTX ISA 4.5.6.
fn combine(operator: &str, a: Value, b: Value) -> Computed {
    if let (Float(a), Float(b)) = (a, b) {
        return Ok(match operator {
            "+" => Float(a + b),
            "-" => Float(a - b),
            "*" => Float(a * b),
            "/" if b == 0.0 => return Err(BY_ZERO),
            "/" => Float(a / b),
            "==" => Signed((a == b).into()),
            "!=" => Signed((a != b).into()),
            "<" => Signed((a < b).into()),
            "<=" => Signed((a <= b).into()),
            ">" => Signed((a > b).into()),
            ">=" => Signed((a >= b).into()),
            _ => return Err(INTEGERS),
        });
    }
    let (Some(x), Some(y)) = (a.integer(), b.integer()) else {
        return Err("constant expression: it mixes integers and floats");
    };
    let signed = matches!((a, b), (Signed(_), Signed(_)));
    let typed = |bits: u64| if signed { Signed(bits as i64) } else { Unsigned(bits) };
    let order = if signed { (x as i64).cmp(&(y as i64)) } else { x.cmp(&y) };
    let shift = y as u32 % 64;
    Ok(match operator {
        "+" => typed(x.wrapping_add(y)),
        "-" => typed(x.wrapping_sub(y)),
        "*" => typed(x.wrapping_mul(y)),
        "/" | "%" if y == 0 => return Err(BY_ZERO),
        "/" if signed => Signed((x as i64).wrapping_div(y as i64)),
        "/" => Unsigned(x / y),
        "%" => Unsigned(x % y),
        "<<" if matches!(a, Signed(_)) => Signed((x << shift) as i64),
        "<<" => Unsigned(x << shift),
        ">>" if matches!(a, Signed(_)) => Signed(x as i64 >> shift),
        ">>" => Unsigned(x >> shift),
        "&" => Unsigned(x & y),
        "|" => Unsigned(x | y),
        "^" => Unsigned(x ^ y),
        "&&" => Signed((x != 0 && y != 0).into()),
        "||" => Signed((x != 0 || y != 0).into()),
        "==" => Signed(order.is_eq().into()),
        "!=" => Signed(order.is_ne().into()),
        "<" => Signed(order.is_lt().into()),
        "<=" => Signed(order.is_le().into()),
        ">" => Signed(order.is_gt().into()),
        _ => Signed(order.is_ge().into()),
    })
}

const BY_ZERO: &str = "constant expression: it divides by zero";
