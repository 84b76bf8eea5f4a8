//! Floating-point arithmetic (PTX ISA 9.7.3 to 9.7.5): each rounding mode, `.ftz`, `.sat`, and the packed types lane by lane.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, IeeeFloat, Semantics, Single};
use rustc_apfloat::{Float, FloatConvert, Round, StatusAnd};

/// A floating-point format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `.e4m3`.
    E4m3,
    /// `.e5m2`.
    E5m2,
    /// `.f16`.
    F16,
    /// `.bf16`.
    Bf16,
    /// `.f32`.
    F32,
    /// `.f64`.
    F64,
}

impl Format {
    /// Returns the number of bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::E4m3 | Self::E5m2 => 8,
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// Returns the number of bits of the significand without the leading one.
    fn fraction(self) -> u32 {
        match self {
            Self::E4m3 => 3,
            Self::E5m2 => 2,
            Self::F16 => 10,
            Self::Bf16 => 7,
            Self::F32 => 23,
            Self::F64 => 52,
        }
    }

    /// Returns a word whose bits of the format are set.
    #[must_use]
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    fn sign(self) -> u64 {
        1 << (self.bits() - 1)
    }

    fn exponents(self) -> u64 {
        self.mask() >> 1 & !((1 << self.fraction()) - 1)
    }

    /// Returns whether the bits are a NaN.
    #[must_use]
    pub fn is_nan(self, bits: u64) -> bool {
        match self {
            Self::E4m3 => bits & 0x7f == 0x7f,
            _ => bits & (self.mask() >> 1) > self.exponents(),
        }
    }

    /// Returns the bit that makes a NaN quiet.
    fn quiet(self) -> u64 {
        1 << (self.fraction() - 1)
    }

    fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = bits & (self.mask() >> 1);
        magnitude != 0 && magnitude & self.exponents() == 0
    }

    /// Returns the NaN of instructions: 0x7fffffff for `.f32` (PTX ISA 9.7.3), quiet with all bits set for the small formats.
    #[must_use]
    pub fn nan(self) -> u64 {
        match self {
            Self::F64 => 0x7ff8_0000_0000_0000,
            _ => self.mask() >> 1,
        }
    }

    /// Returns the largest finite value.
    fn largest(self) -> u64 {
        match self {
            Self::E4m3 => 0x7e,
            _ => self.exponents() - 1,
        }
    }

    /// Returns the bits of the fraction, and the least normal number.
    pub(crate) fn precision(self) -> (u32, f64) {
        (self.fraction(), self.to_f64(1 << self.fraction()))
    }

    /// Returns the exact value as an `f64`.
    #[must_use]
    pub fn to_f64(self, bits: u64) -> f64 {
        f64::from_bits(convert(self, Self::F64, bits, Round::NearestTiesToEven))
    }

    /// Returns the bits of the nearest value.
    #[must_use]
    pub fn from_f64(self, value: f64) -> u64 {
        convert(Self::F64, self, value.to_bits(), Round::NearestTiesToEven)
    }
}

/// The modifiers of a floating-point instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modifiers {
    pub round: Round,
    /// `.ftz`: subnormal operands and results are zero.
    pub ftz: bool,
    /// `.sat`: the result is clamped to 0 to 1, NaN is 0.
    pub sat: bool,
    /// `.relu`: a negative result is 0; NaN stays.
    pub relu: bool,
    /// `.pzo`: a zero is positive.
    pub pzo: bool,
    /// `.NaN`: NaN if an operand is NaN.
    pub nan: bool,
    /// `.xorsign.abs`: the extreme magnitude, with the product of the signs.
    pub xorsign: bool,
    /// `.oob`: the result is 0 if a factor is the NaN that stands for an element outside of a tensor.
    pub oob: bool,
}

impl Modifiers {
    /// Round to nearest even, and nothing else.
    pub const NEAREST: Self = Self {
        round: Round::NearestTiesToEven,
        ftz: false,
        sat: false,
        relu: false,
        pzo: false,
        nan: false,
        xorsign: false,
        oob: false,
    };
}

/// A comparison of `setp` and `set`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    less: bool,
    equal: bool,
    greater: bool,
    /// The result if an operand is NaN.
    unordered: bool,
}

impl Comparison {
    pub fn named(name: &str) -> Option<Self> {
        let (less, equal, greater, unordered) = match name {
            "eq" => (false, true, false, false),
            "ne" => (true, false, true, false),
            "lt" => (true, false, false, false),
            "le" => (true, true, false, false),
            "gt" => (false, false, true, false),
            "ge" => (false, true, true, false),
            "equ" => (false, true, false, true),
            "neu" => (true, false, true, true),
            "ltu" => (true, false, false, true),
            "leu" => (true, true, false, true),
            "gtu" => (false, false, true, true),
            "geu" => (false, true, true, true),
            "num" => (true, true, true, false),
            "nan" => (false, false, false, true),
            _ => return None,
        };
        Some(Self { less, equal, greater, unordered })
    }

    fn accepts(self, order: Option<Ordering>) -> bool {
        match order {
            Some(Ordering::Less) => self.less,
            Some(Ordering::Equal) => self.equal,
            Some(Ordering::Greater) => self.greater,
            None => self.unordered,
        }
    }

    /// Compares two values of a format. With `ftz`, subnormal values are zero.
    pub fn holds(self, format: Format, [a, b]: [u64; 2], ftz: bool) -> bool {
        let value = |bits: u64| if ftz { flush(format, bits) } else { bits };
        self.accepts(match format {
            Format::F32 => {
                let value = |bits| f32::from_bits(value(bits) as u32);
                value(a).partial_cmp(&value(b))
            }
            _ => format.to_f64(value(a)).partial_cmp(&format.to_f64(value(b))),
        })
    }
}

/// A property of `testp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

impl Property {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "finite" => Self::Finite,
            "infinite" => Self::Infinite,
            "number" => Self::Number,
            "notanumber" => Self::NotANumber,
            "normal" => Self::Normal,
            "subnormal" => Self::Subnormal,
            _ => return None,
        })
    }

    pub fn holds(self, format: Format, bits: u64) -> bool {
        let (is_nan, is_subnormal) = (format.is_nan(bits), format.is_subnormal(bits));
        let is_infinite = bits & (format.mask() >> 1) == format.exponents();
        match self {
            Self::Finite => !is_nan && !is_infinite,
            Self::Infinite => is_infinite,
            Self::Number => !is_nan,
            Self::NotANumber => is_nan,
            // Zeros are normal (PTX ISA 9.7.3.1).
            Self::Normal => !is_nan && !is_infinite && !is_subnormal,
            Self::Subnormal => is_subnormal,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    Add,
    Sub,
    Mul,
    Div,
    /// `div.approx`: the product with the reciprocal.
    DivApprox,
    Fma,
    Min,
    Max,
    Neg,
    Abs,
    Copysign,
    Sqrt,
    Rsqrt,
    Rcp,
    Sin,
    Cos,
    /// `sin.approx.2pi` and `cos.approx.2pi`: of whole turns.
    SinOfTurns,
    CosOfTurns,
    Lg2,
    Ex2,
    Tanh,
}

macro_rules! each_format {
    ($format:expr, $F:ident => $result:expr) => {
        match $format {
            Format::E4m3 => {
                type $F = Float8E4M3FN;
                $result
            }
            Format::E5m2 => {
                type $F = Float8E5M2;
                $result
            }
            Format::F16 => {
                type $F = Half;
                $result
            }
            Format::Bf16 => {
                type $F = BFloat;
                $result
            }
            Format::F32 => {
                type $F = Single;
                $result
            }
            Format::F64 => {
                type $F = Double;
                $result
            }
        }
    };
}

fn of<F: Float>(bits: u64) -> F {
    F::from_bits(bits.into())
}

/// The formats with `.ftz`, with the exponents of wider ones: results keep the precision that they have above the subnormal values.
struct WideSingle;
struct WideHalf;

impl Semantics for WideSingle {
    const BITS: usize = 1 + 11 + 23;
    const EXP_BITS: usize = 11;
}

impl Semantics for WideHalf {
    const BITS: usize = 1 + 8 + 10;
    const EXP_BITS: usize = 8;
}

/// Returns whether `.ftz` makes a result zero: whether it is below the normal numbers once it is rounded to the precision of a normal
/// number. So does ptxas when it folds constants, and an H100.
fn is_tiny(function: Function, format: Format, operands: [u64; 3], round: Round) -> bool {
    fn wide<F, W>(function: Function, format: Format, operands: [u64; 3], round: Round) -> bool
    where
        F: Float + FloatConvert<IeeeFloat<W>>,
        W: Semantics,
    {
        let widen = |bits: u64| of::<F>(bits).convert(&mut false).value;
        let result = calculate::<IeeeFloat<W>>(function, operands.map(widen), round);
        let least = widen(1 << format.fraction());
        result.is_finite() && result.abs() < least
    }
    match format {
        Format::F32 => wide::<Single, WideSingle>(function, format, operands, round),
        Format::F16 => wide::<Half, WideHalf>(function, format, operands, round),
        _ => false,
    }
}

fn calculate<F: Float>(function: Function, [a, b, c]: [F; 3], round: Round) -> F {
    let result: StatusAnd<F> = match function {
        Function::Add => a.add_r(b, round),
        Function::Sub => a.sub_r(b, round),
        Function::Mul => a.mul_r(b, round),
        Function::Div => a.div_r(b, round),
        _ => a.mul_add_r(b, c, round),
    };
    result.value
}

fn arithmetic<F: Float>(function: Function, operands: [u64; 3], round: Round) -> u64 {
    calculate::<F>(function, operands.map(of), round).to_bits() as u64
}

/// Converts a NaN as an H100 does: to and from `.f64`, it keeps its sign and the upper bits of its payload and becomes quiet, `.bf16`
/// becomes the upper half of an `.f32`, `.f32` and `.f64` stay, and others become the NaN of instructions.
fn convert_nan(from: Format, to: Format, bits: u64) -> u64 {
    match (from, to) {
        (Format::F64, Format::F64) | (Format::F32, Format::F32) => bits,
        (Format::F64, Format::F32 | Format::F16 | Format::Bf16) | (_, Format::F64) => {
            let sign = (bits & from.sign()) >> (from.bits() - 1) << (to.bits() - 1);
            let payload = match to.fraction().checked_sub(from.fraction()) {
                Some(more) => bits << more,
                None => bits >> (from.fraction() - to.fraction()),
            };
            sign | to.exponents() | to.quiet() | payload & (to.quiet() - 1)
        }
        (Format::Bf16, Format::F32) => bits << 16,
        _ => to.nan(),
    }
}

/// Converts a value between formats.
pub fn convert(from: Format, to: Format, bits: u64, round: Round) -> u64 {
    if from.is_nan(bits) {
        return convert_nan(from, to, bits);
    }
    if from == to {
        return bits;
    }
    fn step<A: Float + FloatConvert<B>, B: Float>(bits: u64, round: Round) -> u64 {
        let value: StatusAnd<B> = of::<A>(bits).convert_r(round, &mut false);
        value.value.to_bits() as u64
    }
    each_format!(from, A => each_format!(to, B => step::<A, B>(bits, round)))
}

/// Converts a value to `.f32`, with `.ftz`.
pub fn convert_flushed(from: Format, to: Format, bits: u64, round: Round) -> u64 {
    let result = convert(from, to, bits, round);
    let is_tiny = from == Format::F64 && {
        let wide: IeeeFloat<WideSingle> = of::<Double>(bits).convert_r(round, &mut false).value;
        wide.is_finite() && wide.abs() < of::<Single>(1 << Format::F32.fraction()).convert(&mut false).value
    };
    match () {
        () if is_tiny => result & to.sign(),
        // With `.ftz`, `.bf16` is converted by an instruction that does not keep NaN.
        () if from != Format::F64 && to.is_nan(result) => to.nan(),
        () => flush(to, result),
    }
}

/// Converts a float to an integer of `bits` bits, clamped to its range. NaN becomes 0; from `.f64` and to 64 bits, it becomes the
/// integer whose top bit alone is set (PTX ISA 9.7.9.21).
pub fn to_integer(from: Format, value: u64, bits: u32, signed: bool, round: Round) -> u64 {
    if from.is_nan(value) {
        return if from == Format::F64 || bits == 64 { 1 << (bits - 1) } else { 0 };
    }
    let mask = u64::MAX >> (64 - bits);
    each_format!(from, F => if signed {
        of::<F>(value).to_i128_r(bits as usize, round, &mut false).value as u64 & mask
    } else {
        of::<F>(value).to_u128_r(bits as usize, round, &mut false).value as u64 & mask
    })
}

/// Converts an integer to a float. `value` is sign-extended to 64 bits if it is signed.
pub fn from_integer(to: Format, value: u64, signed: bool, round: Round) -> u64 {
    each_format!(to, F => if signed {
        F::from_i128_r((value as i64).into(), round).value.to_bits() as u64
    } else {
        F::from_u128_r(value.into(), round).value.to_bits() as u64
    })
}

/// Rounds a float to an integral value of its own format.
pub fn round_to_integral(format: Format, bits: u64, round: Round) -> u64 {
    if format.is_nan(bits) {
        return format.nan();
    }
    each_format!(format, F => of::<F>(bits).round_to_integral(round).value.to_bits() as u64)
}

/// Replaces a subnormal value with zero.
pub fn flush(format: Format, bits: u64) -> u64 {
    if format.is_subnormal(bits) { bits & format.sign() } else { bits }
}

/// Clamps for `.sat`, `.relu` and `.pzo`.
pub fn clamp(format: Format, bits: u64, modifiers: &Modifiers) -> u64 {
    let negative = bits & format.sign() != 0;
    if modifiers.sat {
        let value = format.to_f64(bits);
        return if value.is_nan() || value <= 0.0 {
            0
        } else if value >= 1.0 {
            format.from_f64(1.0)
        } else {
            bits
        };
    }
    let clears = modifiers.relu && negative && !format.is_nan(bits) || modifiers.pzo && bits == format.sign();
    if clears { 0 } else { bits }
}

/// Replaces infinity, or NaN in `.e4m3`, which has no infinity, with the largest finite value of the same sign.
pub fn satfinite(format: Format, bits: u64) -> u64 {
    let magnitude = bits & (format.mask() >> 1);
    if magnitude <= format.largest() { bits } else { bits & format.sign() | format.largest() }
}

/// Rounds the exact square root once. Negative `.f64` values have the root 0xfff8000000000000, and a NaN keeps its payload.
fn square_root(format: Format, bits: u64, round: Round) -> u64 {
    let (sign, magnitude) = (bits & format.sign(), bits & (format.mask() >> 1));
    if format.is_nan(bits) {
        return if format == Format::F64 { bits | format.quiet() } else { format.nan() };
    }
    if magnitude == 0 || bits == format.exponents() {
        return bits;
    }
    if sign != 0 {
        return if format == Format::F64 { sign | format.nan() } else { format.nan() };
    }
    // The value is `fraction * 2^exponent`.
    let fraction_bits = format.fraction();
    let field = (magnitude >> fraction_bits) as i32;
    let leading = u64::from(field > 0) << fraction_bits;
    let fraction = u128::from(magnitude & ((1 << fraction_bits) - 1) | leading);
    let bias = (format.exponents() >> (fraction_bits + 1)) as i32;
    let exponent = field.max(1) - bias - fraction_bits as i32;
    // Two more bits of the root than the format has, and one that says whether there are others.
    let mut shift = 2 * (fraction_bits as i32 + 3) - (128 - fraction.leading_zeros() as i32);
    shift += (exponent - shift) & 1;
    let scaled = fraction << shift;
    let root = scaled.isqrt();
    let sticky = root << 1 | u128::from(root * root != scaled);
    let scale = (exponent - shift) / 2 - 1;
    each_format!(format, F => F::from_u128_r(sticky, round).value.scalbn(scale).to_bits() as u64)
}

/// Returns the exact value, rounded to nearest, of a function that hardware approximates.
fn approximate(function: Function, format: Format, bits: u64) -> u64 {
    let x = format.to_f64(bits);
    let y = match function {
        Function::Rsqrt => 1.0 / x.sqrt(),
        Function::Rcp => 1.0 / x,
        Function::Sqrt => x.sqrt(),
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::SinOfTurns => (std::f64::consts::TAU * x.fract()).sin(),
        Function::CosOfTurns => (std::f64::consts::TAU * x.fract()).cos(),
        Function::Lg2 => x.log2(),
        Function::Ex2 => x.exp2(),
        _ => x.tanh(),
    };
    format.from_f64(y)
}

/// Computes `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` (PTX ISA 9.7.3.14, 9.7.3.17) from the upper words alone. The
/// result's lower word is zero. Each NaN becomes 0x7fffffff00000000.
fn approximate_upper_word(function: Function, bits: u64) -> u64 {
    let upper = |bits: u64| flush(Format::F64, bits & !0xffff_ffff);
    let exact = approximate(function, Format::F64, upper(bits));
    if Format::F64.is_nan(exact) {
        return 0x7fff_ffff_0000_0000;
    }
    // Infinity has no fraction, so nothing is carried into it.
    upper(exact + 0x8000_0000)
}

fn extreme(function: Function, format: Format, [a, b]: [u64; 2], modifiers: &Modifiers) -> u64 {
    let (nan_a, nan_b) = (format.is_nan(a), format.is_nan(b));
    if modifiers.nan && (nan_a || nan_b) || nan_a && nan_b {
        return format.nan();
    }
    let sign = (a ^ b) & format.sign();
    let (a, b) = if modifiers.xorsign { (a & !format.sign(), b & !format.sign()) } else { (a, b) };
    let signed = |result: u64| if modifiers.xorsign { result | sign } else { result };
    if nan_a || nan_b {
        return signed(if nan_a { b } else { a });
    }
    // Integers of the same order, so that -0 is less than +0.
    let key = |bits: u64| {
        let magnitude = (bits & (format.mask() >> 1)) as i64;
        if bits & format.sign() == 0 { magnitude } else { -1 - magnitude }
    };
    let a_first = key(a) <= key(b);
    signed(if a_first == (function == Function::Min) { a } else { b })
}

/// The NaN that a tensor copy writes for 16 bits outside of the tensor. To `.oob`, its sign does not matter.
const OUT_OF_BOUNDS: u64 = 0x7ff7;

/// Computes one lane.
pub fn compute(function: Function, format: Format, operands: [u64; 3], modifiers: &Modifiers) -> u64 {
    use Function::*;
    let operands = if modifiers.ftz { operands.map(|bits| flush(format, bits)) } else { operands };
    let [a, b, _] = operands;
    if modifiers.oob && [a, b].map(|bits| bits & !format.sign()).contains(&OUT_OF_BOUNDS) {
        return 0;
    }
    let result = match function {
        // An H100 computes both by an addition of zero, in which an `.f64` NaN keeps its sign.
        Neg | Abs if format.is_nan(a) => a | format.quiet(),
        Neg => a ^ format.sign(),
        Abs => a & !format.sign(),
        // PTX copies the sign of the first operand to the second.
        Copysign => b & !format.sign() | a & format.sign(),
        Min | Max => extreme(function, format, [a, b], modifiers),
        Add | Sub | Mul | Div | Fma => {
            let result = each_format!(format, F => arithmetic::<F>(function, operands, modifiers.round));
            // A sum that is subnormal is exact.
            let rounds = matches!(function, Mul | Div | Fma);
            if modifiers.ftz && rounds && is_tiny(function, format, operands, modifiers.round) {
                result & format.sign()
            } else {
                result
            }
        }
        // The reciprocal of a value above 2^126 is zero (PTX ISA 9.7.3.8).
        DivApprox => {
            let exponent = (b >> format.fraction()) & 0xff;
            let is_above = exponent == 0xfd && b & 0x7f_ffff != 0 || exponent == 0xfe;
            let (function, b) = if is_above { (Mul, b & format.sign()) } else { (Div, b) };
            each_format!(format, F => arithmetic::<F>(function, [a, b, 0], modifiers.round))
        }
        Sqrt => square_root(format, a, modifiers.round),
        Rcp | Rsqrt if format == Format::F64 && modifiers.ftz => approximate_upper_word(function, a),
        Rcp => {
            let one = format.from_f64(1.0);
            each_format!(format, F => arithmetic::<F>(Div, [one, a, 0], modifiers.round))
        }
        _ => approximate(function, format, a),
    };
    let result = if format.is_nan(result) && format != Format::F64 && function != Copysign {
        format.nan()
    } else {
        result
    };
    let result = if modifiers.ftz { flush(format, result) } else { result };
    clamp(format, result, modifiers)
}

/// Computes `lanes` lanes of a packed register.
pub fn packed(
    function: Function,
    format: Format,
    lanes: u32,
    operands: [u64; 3],
    modifiers: &Modifiers,
) -> u64 {
    (0..lanes)
        .map(|lane| {
            let shift = lane * format.bits();
            let of_lane = operands.map(|bits| bits >> shift & format.mask());
            compute(function, format, of_lane, modifiers) << shift
        })
        .fold(0, |all, lane| all | lane)
}

/// Rounds `.f32` to `.tf32`, "to nearest even" (PTX ISA 5.5.1): the fraction loses 13 bits. Subnormals stay, on an H200 for
/// `.tf32.ftz` too.
pub fn round_to_tf32(bits: u32) -> u32 {
    to_tf32(bits, &Modifiers::NEAREST, false)
}

/// Converts `.f32` to `.tf32` (PTX ISA 9.7.9.21).
pub fn to_tf32(bits: u32, modifiers: &Modifiers, satfinite: bool) -> u32 {
    const DROPPED: u32 = 0x1fff;
    // `.rna` is a sequence of integer instructions, in which a NaN keeps the upper bits of its payload.
    if modifiers.round == Round::NearestTiesToAway {
        let is_finite = f32::from_bits(bits).is_finite();
        let rounded = (if is_finite { bits + 0x1000 } else { bits }) & !DROPPED;
        let overflows = satfinite && !f32::from_bits(rounded).is_finite();
        return if overflows { rounded - (DROPPED + 1) } else { rounded };
    }
    if f32::from_bits(bits).is_nan() {
        return 0x7fff_e000;
    }
    let rounded = match modifiers.round {
        Round::TowardZero => bits & !DROPPED,
        _ => (bits + 0xfff + (bits >> 13 & 1)) & !DROPPED,
    };
    let overflows = satfinite && !f32::from_bits(rounded).is_finite();
    let rounded = if overflows { rounded - (DROPPED + 1) } else { rounded };
    clamp(Format::F32, rounded.into(), modifiers) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximations_of_f64_with_ftz_are_of_upper_words() {
        let modifiers = Modifiers { ftz: true, ..Modifiers::NEAREST };
        let f64 = |function, bits| compute(function, Format::F64, [bits, 0, 0], &modifiers);
        let [one, infinity, nan] = [1f64.to_bits(), f64::INFINITY.to_bits(), 0x7fff_ffff_0000_0000];
        for function in [Function::Rcp, Function::Rsqrt] {
            assert_eq!([f64(function, one), f64(function, one + 0xffff_ffff)], [one, one]);
            // A NaN may differ from infinity in the lower word alone.
            assert_eq!([f64(function, infinity + 1), f64(function, infinity | 1 << 51)], [0, nan]);
            // Subnormal operands are zero.
            assert_eq!(
                [f64(function, 0xf_ffff_ffff_ffff), f64(function, 1 << 63 | 1)],
                [infinity, 1 << 63 | infinity]
            );
        }
        assert_eq!(f64(Function::Rcp, 3f64.to_bits()), 0x3fd5_5555_0000_0000);
        assert_eq!(f64(Function::Rcp, 1.5f64.to_bits()), 0x3fe5_5555_0000_0000);
        // Subnormal results are zero.
        assert_eq!(f64(Function::Rcp, (-f64::MAX).to_bits()), 1 << 63);
        assert_eq!(f64(Function::Rsqrt, (-1f64).to_bits()), nan);
    }

    #[test]
    fn a_nan_keeps_its_sign_and_payload_in_f64() {
        let f64 = |from, bits| convert(from, Format::F64, bits, Round::NearestTiesToEven);
        // The last is what ptxas computes of a constant.
        for (from, bits, result) in [
            (Format::F16, 0x7fff, 0x7fff_fc00_0000_0000),
            (Format::F16, 0xfc01, 0xfff8_0400_0000_0000),
            (Format::Bf16, 0x7fff, 0x7fff_e000_0000_0000),
            (Format::Bf16, 0xff81, 0xfff8_2000_0000_0000),
            (Format::F32, 0xff80_0123, 0xfff8_0024_6000_0000),
        ] {
            assert_eq!(f64(from, bits), result, "{from:?} {bits:#x}");
        }
    }

    #[test]
    fn tf32_is_rounded_as_on_an_h200() {
        for (from, to) in [
            (0, 0),
            (0x8000_0000, 0x8000_0000),
            // Subnormals.
            (0x0000_0001, 0),
            (0x0040_0000, 0x0040_0000),
            (0x807f_ffff, 0x8080_0000),
            (0x3766_d400, 0x3766_e000),
            (0x404c_5f0c, 0x404c_6000),
            (0xbf80_0001, 0xbf80_0000),
            (0x7f7f_ffff, 0x7f80_0000),
            (0xff80_0000, 0xff80_0000),
            (0xff80_0001, 0x7fff_e000),
            (0x7fff_ffff, 0x7fff_e000),
        ] {
            assert_eq!(round_to_tf32(from), to, "{from:#x}");
        }
        // Ties go to the even neighbor.
        assert_eq!(round_to_tf32(0x3f80_1000), 0x3f80_0000);
        assert_eq!(round_to_tf32(0x3f80_3000), 0x3f80_4000);
    }
}
