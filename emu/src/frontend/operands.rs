//! The operands of an instruction, by their number.

use crate::frontend::ast::Operand;
use crate::frontend::lower::{Lower, Result};
use crate::frontend::op::{Slot, Src, Type};
use crate::frontend::words::Words;

pub fn arg<'a>(l: &Lower<'_>, words: &Words<'a>, i: usize) -> Result<&'a Operand> {
    words
        .operands
        .get(i)
        .ok_or_else(|| l.error(format!("operand {i} of `{}` is missing", words.whole().join("."))))
}

pub fn slot(l: &mut Lower<'_>, words: &Words<'_>, i: usize) -> Result<Slot> {
    l.slot(arg(l, words, i)?)
}

pub fn src(l: &mut Lower<'_>, words: &Words<'_>, i: usize) -> Result<Src> {
    let bits = words.ty().map_or(64, Type::bits);
    l.src_of(arg(l, words, i)?, bits.min(64))
}
