//! Video instructions (PTX ISA 9.7.18): scalar ones on selected parts of registers, and those on two or four lanes.

use crate::numbers::integer::mask;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
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
pub enum Secondary {
    /// The result replaces a part of `c`, or is all of `d`.
    Merge(Part),
    Add,
    Min,
    Max,
}

/// A part of a register: bits from a place on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Whether it is in operand `b`.
    pub second: bool,
    pub shift: u32,
    pub bits: u32,
}

/// A source: the part of each lane, and whether the parts are signed.
#[derive(Debug)]
pub struct Source {
    pub parts: Vec<Part>,
    pub signed: bool,
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
pub enum What {
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

/// What an instruction computes of its operands.
#[derive(Debug)]
pub struct Operation {
    pub what: What,
    /// Whether the result is signed.
    pub signed: bool,
    pub saturates: bool,
}

/// sm_90a has none of these instructions: ptxas 13 writes each as a sequence of others, and the values are those of the sequence.
/// They are the text's (9.7.18) except where a comment says otherwise.
impl Operation {
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
