//! Runs the instructions that concern registers alone.

use crate::address::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::execution::thread::Frame;
use crate::frontend::op::*;
use crate::numbers::float::{self, Format};
use crate::numbers::integer::{self, mask};
use crate::numbers::narrow::{Element, Narrow};

pub enum Plain {
    Next,
    Jump(u32),
    Other,
}

fn canonical(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits().into() }
}

/// The registers that instructions on registers alone read and write.
pub trait Bank {
    fn value(&self, src: Src) -> u64;
    fn get(&self, slot: Slot) -> u64;
    fn set(&mut self, slot: Slot, bits: u64);
    fn carry(&self) -> u64;
    fn set_carry(&mut self, bits: u64);
}

/// The state that instructions on registers alone read and write.
pub struct Registers<'a> {
    constants: &'a [u64],
    pub all: &'a mut [u64],
    /// The address of the frame in local memory. `shared` is the address of shared memory.
    local: u64,
    shared: u64,
    carry: &'a mut u64,
}

impl<'a> Registers<'a> {
    pub fn new(
        constants: &'a [u64],
        registers: &'a mut [u64],
        frame: Frame,
        shared: u64,
        carry: &'a mut u64,
    ) -> Self {
        let (all, local) = (&mut registers[frame.registers..], frame.local as u64);
        Self { constants, all, local, shared, carry }
    }
}

impl Bank for Registers<'_> {
    #[inline(always)]
    fn value(&self, src: Src) -> u64 {
        let index = (src.0 & !(3 << 30)) as usize;
        match src.0 >> 30 {
            0 => self.all[index],
            1 => self.constants[index],
            3 => self.constants[index] + self.shared,
            _ => self.local + index as u64,
        }
    }

    #[inline(always)]
    fn get(&self, slot: Slot) -> u64 {
        self.all[slot as usize]
    }

    #[inline(always)]
    fn set(&mut self, slot: Slot, bits: u64) {
        self.all[slot as usize] = bits;
    }

    #[inline(always)]
    fn carry(&self) -> u64 {
        *self.carry
    }

    #[inline(always)]
    fn set_carry(&mut self, bits: u64) {
        *self.carry = bits;
    }
}

/// Runs an instruction that concerns registers alone.
#[inline(always)]
pub fn plain(t: &mut impl Bank, op: &Op) -> Plain {
    macro_rules! v {
        ($src:expr) => {
            t.value($src)
        };
    }
    macro_rules! set {
        ($d:expr, $bits:expr) => {{
            let bits = $bits;
            t.set($d, bits);
        }};
    }
    let f32_of = |bits: u64| f32::from_bits(bits as u32);
    match op {
        Op::Move(d, a) => set!(*d, v!(*a)),
        Op::Unary(f, d, a) => set!(*d, f(v!(*a))),
        Op::Binary(f, d, a, b) => set!(*d, f(v!(*a), v!(*b))),
        Op::Ternary(f, d, a, b, c) => set!(*d, f(v!(*a), v!(*b), v!(*c))),
        Op::Select(d, a, b, p) => set!(*d, if v!(*p) & 1 == 1 { v!(*a) } else { v!(*b) }),
        Op::Branch(to) => return Plain::Jump(*to),
        Op::Setp(setp) => {
            let (a, b) = (v!(setp.a), v!(setp.b));
            let (first, second) = match &setp.compare {
                Compare::Integer(test) => {
                    let holds = test(a, b);
                    (holds, !holds)
                }
                Compare::Float { format, lanes: 1, comparison, ftz } => {
                    let holds = comparison.holds(*format, [a, b], *ftz);
                    (holds, !holds)
                }
                Compare::Float { format, comparison, ftz, .. } => {
                    let lane = |shift: u32| [a, b].map(|bits| bits >> shift & format.mask());
                    let holds = |shift| comparison.holds(*format, lane(shift), *ftz);
                    (holds(0), holds(format.bits()))
                }
            };
            let with = |holds: bool| match &setp.combine {
                Some((f, p, negated)) => f(holds.into(), (v!(*p) ^ u64::from(*negated)) & 1) & 1,
                None => holds.into(),
            };
            let (first, second) = (with(first), with(second));
            match setp.to {
                Truth::Predicates(d, other) => {
                    if let Some(d) = d {
                        set!(d, first);
                    }
                    if let Some(d) = other {
                        set!(d, second);
                    }
                }
                Truth::Value { d, truth, bits } => {
                    let packed = matches!(setp.compare, Compare::Float { lanes: 2, .. });
                    let upper = if packed && second == 1 { truth << bits } else { 0 };
                    let lower = if first == 1 { truth } else { 0 };
                    set!(d, upper | lower);
                }
            }
        }
        Op::AddF32(d, a, b) => set!(*d, canonical(f32_of(v!(*a)) + f32_of(v!(*b)))),
        Op::MulF32(d, a, b) => set!(*d, canonical(f32_of(v!(*a)) * f32_of(v!(*b)))),
        Op::FmaF32(d, a, b, c) => set!(*d, canonical(f32_of(v!(*a)).mul_add(f32_of(v!(*b)), f32_of(v!(*c))))),
        Op::AddF64(d, a, b) => set!(*d, (f64::from_bits(v!(*a)) + f64::from_bits(v!(*b))).to_bits()),
        Op::MulF64(d, a, b) => set!(*d, (f64::from_bits(v!(*a)) * f64::from_bits(v!(*b))).to_bits()),
        Op::FmaF64(d, a, b, c) => {
            set!(
                *d,
                f64::from_bits(v!(*a)).mul_add(f64::from_bits(v!(*b)), f64::from_bits(v!(*c))).to_bits()
            );
        }
        Op::Float(op) => {
            let widened = |i: usize, bits: u64| match op.narrower {
                Some(from) if i + 1 < op.operands.len() => {
                    float::convert(from, op.format, bits & from.mask(), op.modifiers.round)
                }
                _ => bits,
            };
            let operands = std::array::from_fn(|i| op.operands.get(i).map_or(0, |src| widened(i, v!(*src))));
            set!(op.d, float::packed(op.function, op.format, op.lanes, operands, &op.modifiers));
        }
        Op::Cvt(op) => {
            let operands = std::array::from_fn(|i| op.operands.get(i).map_or(0, |src| v!(*src)));
            let [random, scale] = [op.random, op.scale.map(|(src, _)| src)].map(|src| src.map(|src| v!(src)));
            set!(op.d, convert(op, operands, random, scale));
        }
        Op::CvtPack(op) => {
            let c = op.c.map_or(0, |c| v!(c));
            set!(op.d, integer::pack(v!(op.a), v!(op.b), c, op.bits, op.signed));
        }
        Op::Video(op) => set!(op.d, op.operation.compute(op.operands.map(|src| v!(src)))),
        Op::Carry(op) => {
            // A difference is the sum with the complement, and the flag is the carry of that sum.
            let (a, b) = (v!(op.a) & mask(op.bits), v!(op.b) & mask(op.bits));
            let (a, b) = match op.product {
                Some(half) => (integer::half(half, a, b, op.bits), op.c.map_or(0, |c| v!(c)) & mask(op.bits)),
                None if op.subtract => (a, !b & mask(op.bits)),
                None => (a, b),
            };
            let carry = if op.uses_carry { t.carry() } else { op.subtract.into() };
            let sum = u128::from(a) + u128::from(b) + u128::from(carry);
            if op.sets_carry {
                t.set_carry((sum > u128::from(mask(op.bits))).into());
            }
            set!(op.d, sum as u64 & mask(op.bits));
        }
        Op::Insert(bits, d, [a, b, c, e]) => set!(*d, integer::insert(v!(*a), v!(*b), v!(*c), v!(*e), *bits)),
        Op::Logic3(d, [a, b, c, e]) => set!(*d, integer::logic3(v!(*a), v!(*b), v!(*c), v!(*e))),
        Op::Logic3Predicate(op) => {
            let [a, b, c, table] = op.operands.map(|src| v!(src));
            let bits = integer::logic3(a, b, c, table);
            let q = (v!(op.q) ^ u64::from(op.negated)) & 1;
            if let Some(d) = op.d {
                set!(d, bits);
            }
            set!(op.p, (op.combine)((bits != 0).into(), q));
        }
        Op::SelectBySign(d, a, b, c, sign) => {
            let c = v!(*c) as u32;
            let first = match sign {
                Sign::Float { ftz } => f32::from_bits(c) >= 0.0 || *ftz && f32::from_bits(c).is_subnormal(),
                Sign::Integer => c as i32 >= 0,
            };
            set!(*d, if first { v!(*a) } else { v!(*b) });
        }
        Op::TestProperty(d, property, format, a) => set!(*d, property.holds(*format, v!(*a)).into()),
        Op::Move128(d, a) => {
            let (low, high) = (t.get(*a), t.get(*a + 1));
            set!(*d, low);
            set!(*d + 1, high);
        }
        Op::Pack(d, from, 64) => {
            for (d, from) in (*d..).zip(from) {
                set!(d, v!(*from));
            }
        }
        Op::Pack(d, from, bits) => {
            let packed = from.iter().rev().fold(0, |all, src| all << bits | v!(*src) & mask(*bits));
            set!(*d, packed);
        }
        Op::Unpack(to, from, 64) => {
            for (i, d) in to.iter().enumerate() {
                if let Some(d) = d {
                    set!(*d, v!(Src(from.0 + i as u32)));
                }
            }
        }
        Op::Unpack(to, from, bits) => {
            let from = v!(*from);
            for (i, d) in to.iter().enumerate() {
                if let Some(d) = d {
                    set!(*d, from >> (i as u32 * bits) & mask(*bits));
                }
            }
        }
        Op::ToGeneric(d, a, space) => {
            let window = match space {
                Space::SharedCta | Space::SharedCluster => SHARED_WINDOW,
                Space::Local => LOCAL_WINDOW,
                _ => 0,
            };
            set!(*d, v!(*a).wrapping_add(window));
        }
        Op::BranchIndex(index, labels) => {
            if let Some(to) = labels.get(v!(*index) as u32 as usize) {
                return Plain::Jump(*to);
            }
        }
        Op::Policy(d, bits) => set!(*d, *bits),
        Op::QueryCanceled(d, response) => {
            set!(*d, t.get(*response + 1) >> 63);
        }
        Op::QueryCtaid { d, response, dimension } => {
            let (low, high) = (t.get(*response), t.get(*response + 1));
            let index = [low as u32, (low >> 32) as u32, high as u32];
            match (dimension, d.as_slice()) {
                (Some(dimension), [Some(d)]) => set!(*d, index[*dimension].into()),
                (_, all) => {
                    for (d, index) in all.iter().zip(index) {
                        if let Some(d) = d {
                            set!(*d, index.into());
                        }
                    }
                }
            }
        }
        Op::Nop => {}
        _ => return Plain::Other,
    }
    Plain::Next
}

/// Computes `cvt` (PTX ISA 9.7.9.21).
fn convert(op: &Cvt, operands: [u64; 4], random: Option<u64>, scale: Option<u64>) -> u64 {
    let a = operands[0];
    let round = op.modifiers.round;
    // `.ftz` concerns `.f32` alone (PTX ISA 9.7.9.21). An H100 converts subnormal values to `.f16` as they are. Others it multiplies
    // by 1, which makes a NaN that of instructions.
    let flush = |format: Format, bits: u64| {
        let flushes = op.modifiers.ftz && format == Format::F32 && op.to != Number::Float(Format::F16);
        match flushes {
            true if format.is_nan(bits) => format.nan(),
            true => float::flush(format, bits),
            false => bits,
        }
    };
    let to_float = |to: Format, from: Format, bits: u64| {
        let bits = flush(from, bits);
        let was_nan = from.is_nan(bits);
        let bits = match () {
            () if op.integral && to == from => float::round_to_integral(to, bits, round),
            () if op.modifiers.ftz && to == Format::F32 => float::convert_flushed(from, to, bits, round),
            () => float::convert(from, to, bits, round),
        };
        let bits = if op.satfinite && !was_nan { float::satfinite(to, bits) } else { bits };
        float::clamp(to, bits, &op.modifiers)
    };
    // Element `i` of a packed register, the lowest first, from the bits of a value. Down from halves or `.f32`, a value is divided by
    // its scale factor, up to `.bf16` multiplied by it.
    let to_element = |to: Element, from: Element, i: u32, bits: u64, random: Option<(u64, u32)>| {
        let bits = match (from, op.scale) {
            (Element::Float(format), Some((_, 1))) => float::flush(format, bits),
            (Element::Float(format), _) => flush(format, bits),
            _ => bits,
        };
        let value = from.value(bits);
        let value = match (op.scale, scale) {
            (Some((_, count)), Some(scale)) => {
                let factor = Narrow::Ue8m0.value(scale >> (8 * (i % count)));
                if to == Element::Float(Format::Bf16) { value * factor } else { value / factor }
            }
            _ => value,
        };
        to.converted(value, &op.modifiers, op.satfinite, random) << (i * to.place())
    };
    match (op.to, op.from) {
        (Number::Integer { bits, signed }, Number::Integer { bits: from, signed: from_signed }) => {
            let a = a & mask(from);
            let wide = if from_signed { i128::from(extend(a, from, true) as i64) } else { i128::from(a) };
            let wide = match (op.modifiers.sat, signed) {
                (false, _) => wide,
                (true, false) => wide.clamp(0, i128::from(mask(bits))),
                (true, true) => wide.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            };
            extend(wide as u64 & mask(bits), bits, signed) & mask(op.width)
        }
        (Number::Integer { bits, signed }, Number::Float(from)) => {
            let integer = float::to_integer(from, flush(from, a & from.mask()), bits, signed, round);
            extend(integer, bits, signed) & mask(op.width)
        }
        (Number::Float(to), Number::Integer { bits, signed }) => {
            let a = extend(a & mask(bits), bits, signed);
            float::clamp(to, float::from_integer(to, a, signed, round), &op.modifiers)
        }
        (Number::Tf32, Number::Float(Format::F32)) => {
            float::to_tf32(a as u32, &op.modifiers, op.satfinite).into()
        }
        (Number::Float(to), Number::Float(from)) => to_float(to, from, a & from.mask()),
        // The first operand is the upper half.
        (Number::Packed(to, count), Number::Float(from)) => {
            (0..count).zip(operands).fold(0, |all, (first, operand)| {
                let random = random.map(|random| random_bits(to, count, first, random));
                all | to_element(to, Element::Float(from), count - 1 - first, operand & from.mask(), random)
            })
        }
        (Number::Packed(to, count), Number::Packed(from, _)) => (0..count).fold(0, |all, i| {
            let bits = a >> (i * from.place()) & mask(from.place());
            all | to_element(to, from, i, bits, None)
        }),
        _ => 0,
    }
}

/// Returns the random bits of operand `i` of a conversion with `.rs`, and their number. The upper half of the operand is for the
/// first half of the operands; of `.e2m1x4`, the upper bytes of both halves are. A conversion to `.f16` drops 13 bits, so 13 of
/// the 16 bits count.
fn random_bits(to: Element, count: u32, i: u32, random: u64) -> (u64, u32) {
    let is_first = i < count / 2;
    let word = match (to, is_first) {
        (Element::Narrow(Narrow::E2m1), true) => random >> 16 & 0xff00 | random >> 8 & 0xff,
        (Element::Narrow(Narrow::E2m1), false) => random >> 8 & 0xff00 | random & 0xff,
        (_, true) => random >> 16,
        (_, false) => random,
    };
    let bits = if to == Element::Float(Format::F16) { 13 } else { 16 };
    (word & mask(bits), bits)
}

/// Extends the sign of a signed integer of a number of bits.
fn extend(integer: u64, bits: u32, signed: bool) -> u64 {
    if signed { ((integer << (64 - bits)) as i64 >> (64 - bits)) as u64 } else { integer }
}
