//! Words of memory, and what atomic operations make of them.

use std::cmp::Ordering;

use crate::frontend::op::{Rmw, Type};
use crate::numbers::float::{self, Format, Modifiers};
use crate::numbers::integer::mask;

/// Returns the little-endian word of up to 8 bytes.
#[inline]
pub fn word(bytes: &[u8]) -> u64 {
    match *bytes {
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        }
    }
}

/// Copies the bytes of an access. Most are of these lengths, for which the copy needs no call.
#[inline]
pub fn copy(to: &mut [u8], from: &[u8]) {
    match from.len() {
        4 => to[..4].copy_from_slice(from),
        8 => to[..8].copy_from_slice(from),
        16 => to[..16].copy_from_slice(from),
        _ => to.copy_from_slice(from),
    }
}

/// Returns what an atomic operation leaves in memory (PTX ISA 9.7.13.5).
pub fn combine(rmw: Rmw, ty: Type, old: u64, operand: u64) -> u64 {
    let operand = operand & mask(ty.bits());
    let (format, lanes) = match ty {
        Type::Float(format) | Type::InMemory(format) => (Some(format), 1),
        Type::Packed(format, lanes) => (Some(format), lanes),
        _ => (None, 1),
    };
    if let Some(format) = format {
        let function = match rmw {
            Rmw::Add => float::Function::Add,
            Rmw::Min => float::Function::Min,
            Rmw::Max => float::Function::Max,
            _ => return bitwise(rmw, old, operand),
        };
        if let (Rmw::Add, Type::InMemory(Format::F64)) = (rmw, ty)
            && let Some(nan) = [operand, old].into_iter().find(|bits| Format::F64.is_nan(*bits))
        {
            return nan;
        }
        let ftz = ty == Type::InMemory(Format::F32);
        let modifiers = Modifiers { ftz, ..Modifiers::NEAREST };
        return float::packed(function, format, lanes, [old, operand, 0], &modifiers);
    }
    let bits = ty.bits();
    let signed = |value: u64| (value << (64 - bits)) as i64 >> (64 - bits);
    let less = |a: u64, b: u64| match ty {
        Type::Signed(_) => signed(a).cmp(&signed(b)) == Ordering::Less,
        _ => a < b,
    };
    match rmw {
        Rmw::Add => old.wrapping_add(operand) & mask(bits),
        Rmw::Min => {
            if less(operand, old) {
                operand
            } else {
                old
            }
        }
        Rmw::Max => {
            if less(old, operand) {
                operand
            } else {
                old
            }
        }
        Rmw::Inc => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        Rmw::Dec => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        _ => bitwise(rmw, old, operand),
    }
}

fn bitwise(rmw: Rmw, old: u64, operand: u64) -> u64 {
    match rmw {
        Rmw::And => old & operand,
        Rmw::Or => old | operand,
        Rmw::Xor => old ^ operand,
        _ => operand,
    }
}
