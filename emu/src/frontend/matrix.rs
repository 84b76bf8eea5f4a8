//! Decodes the instructions of matrices (PTX ISA 9.7.14, 9.7.15). Their words stand in one order.

use rustc_apfloat::Round;

use crate::frontend::ast::{Instruction, Operand};
use crate::frontend::decode::warp_op;
use crate::frontend::lower::{Lower, Result};
use crate::frontend::op::*;
use crate::frontend::operands::arg;
use crate::frontend::words::{Words, rounding};
use crate::numbers::float::Format;
use crate::numbers::matrix::{Element, Term};
use crate::numbers::narrow::Narrow;

/// The words of an opcode, taken from the first to the last.
pub struct Sequence<'a>(std::iter::Peekable<std::str::Split<'a, char>>);

impl<'a> Sequence<'a> {
    pub fn of(opcode: &'a str) -> Self {
        Self(opcode.split('.').peekable())
    }

    pub fn next(&mut self) -> &'a str {
        self.0.next().unwrap_or_default()
    }

    /// Takes the next word if it is this one.
    pub fn has(&mut self, word: &str) -> bool {
        self.0.next_if_eq(&word).is_some()
    }

    /// Takes these words, or nothing if others come next.
    pub fn all(&mut self, words: &[&str]) -> Option<()> {
        words.iter().all(|word| self.has(word)).then_some(())
    }

    /// Takes the next word if it has a meaning.
    pub fn one<T>(&mut self, of: impl Fn(&str) -> Option<T>) -> Option<T> {
        let found = of(self.0.peek()?)?;
        self.0.next();
        Some(found)
    }

    fn element(&mut self) -> Option<Element> {
        self.one(Element::named)
    }

    /// Returns `()` if no word is left.
    pub fn end(&mut self) -> Option<()> {
        self.0.next().is_none().then_some(())
    }
}

/// Decodes `ldmatrix`, `stmatrix`, `movmatrix`, `mma` and `wgmma`.
pub fn decode(l: &mut Lower<'_>, instruction: &Instruction, words: &Words<'_>) -> Result<Option<Op>> {
    words.whole();
    let opcode = Sequence::of(&instruction.opcode);
    match words.first() {
        "mma" => mma(l, opcode, words),
        "wgmma" => wgmma(l, opcode, words),
        "movmatrix" => {
            let is_known = instruction.opcode == "movmatrix.sync.aligned.m8n8.trans.b16";
            let registers = Fragments { d: vec![l.slot(arg(l, words, 0)?)?], ..Fragments::default() };
            let a = vec![l.src(arg(l, words, 1)?)?];
            Ok(is_known.then(|| of_warp(l, Matrix::Transpose, Fragments { a, ..registers })))
        }
        _ => tile(l, opcode, words),
    }
}

pub fn of_warp(l: &mut Lower<'_>, what: Matrix, fragments: Fragments) -> Op {
    let mask = l.constant(u64::from(u32::MAX));
    let of_warp = warp_op(l, Collective::Matrix(what), mask);
    Op::Warp(Box::new(WarpOp { fragments: Some(Box::new(fragments)), ..of_warp }))
}

/// Returns the operands of `{a, b}`, which are `count`.
fn vector<'a>(l: &Lower<'_>, operand: &'a Operand, count: usize) -> Result<&'a [Operand]> {
    let all = match operand {
        Operand::Vector(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    match all.len() {
        len if len == count => Ok(all),
        len => Err(l.error(format!("a vector of {len} registers, not of {count}"))),
    }
}

pub fn read(l: &mut Lower<'_>, words: &Words<'_>, at: usize, count: usize) -> Result<Vec<Src>> {
    let operands = vector(l, arg(l, words, at)?, count)?;
    operands.iter().map(|operand| l.src(operand)).collect()
}

pub fn written(l: &mut Lower<'_>, words: &Words<'_>, at: usize, count: usize) -> Result<Vec<Slot>> {
    let operands = vector(l, arg(l, words, at)?, count)?;
    operands.iter().map(|operand| l.slot(operand)).collect()
}

/// Decodes `ldmatrix` and `stmatrix`.
fn tile(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let loads = opcode.next() == "ldmatrix";
    let Some((tile, space)) = tile_of(&mut opcode, loads) else { return Ok(None) };
    let count = tile.registers();
    let (address, registers) = if loads { (1, 0) } else { (0, 1) };
    let mut fragments =
        Fragments { address: Some(l.address(arg(l, words, address)?, space)?), ..Fragments::default() };
    if loads {
        fragments.d = written(l, words, registers, count)?;
    } else {
        fragments.a = read(l, words, registers, count)?;
    }
    let what = if loads { Matrix::Load(tile) } else { Matrix::Store(tile) };
    Ok(Some(of_warp(l, what, fragments)))
}

fn tile_of(opcode: &mut Sequence<'_>, loads: bool) -> Option<(Tile, Space)> {
    opcode.all(&["sync", "aligned"])?;
    let shape = opcode.one(|word| {
        Some(match (word, loads) {
            ("m8n8", _) => TileShape::M8n8,
            ("m8n16", true) => TileShape::M8n16,
            ("m16n16", true) => TileShape::M16n16,
            ("m16n8", false) => TileShape::M16n8,
            _ => return None,
        })
    })?;
    let count = opcode
        .one(|word| ["x1", "x2", "x4"].contains(&word).then(|| usize::from(word.as_bytes()[1] - b'0')))?;
    let trans = opcode.has("trans");
    let space = opcode.one(|word| ["shared", "shared::cta"].contains(&word).then_some(Space::SharedCta));
    let source = match (opcode.next(), shape) {
        ("b16", TileShape::M8n8) => Source::Bytes,
        ("b8", TileShape::M16n16 | TileShape::M16n8) => Source::Bytes,
        ("b8x16", TileShape::M8n16 | TileShape::M16n16) => match opcode.next() {
            "b6x16_p32" => Source::Bits6,
            "b4x16_p64" => Source::Bits4,
            _ => return None,
        },
        ("s8", TileShape::M8n16) => opcode.all(&["s4"]).map(|()| Source::Signed4)?,
        _ => return None,
    };
    opcode.end()?;
    let transposes = match shape {
        TileShape::M8n8 => trans,
        TileShape::M8n16 => false,
        TileShape::M16n16 | TileShape::M16n8 => true,
    };
    let fits = shape != TileShape::M16n16 || count < 4;
    (trans == transposes && fits)
        .then_some((Tile { shape, count, trans, source }, space.unwrap_or(Space::Generic)))
}

/// Returns the numbers of a shape `m16n8k16`.
fn shape(word: &str) -> Option<[usize; 3]> {
    let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    let numbers = [m.parse().ok()?, n.parse().ok()?, k.parse().ok()?];
    // No shape is larger, and none has no elements.
    numbers.iter().all(|number| (1..=256).contains(number)).then_some(numbers)
}

fn mma(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let Some(what) = multiply(&mut opcode) else { return Ok(None) };
    let [a, b, c] = what.registers();
    let mut fragments = Fragments {
        d: written(l, words, 0, what.count(what.d))?,
        a: read(l, words, 1, a)?,
        b: read(l, words, 2, b)?,
        c: read(l, words, 3, c)?,
        ..Fragments::default()
    };
    if what.sparse.is_some() {
        fragments.metadata = Some(l.src(arg(l, words, 4)?)?);
        let Operand::Number(selector @ 0..=3) = *arg(l, words, 5)? else {
            return Err(l.error("the sparsity selector is a number from 0 to 3"));
        };
        fragments.selector = selector as usize;
    }
    if what.scale.is_some() {
        let at = if what.sparse.is_some() { 6 } else { 4 };
        let mut selectors = |at: usize| -> Result<Scale> {
            let of = vector(l, arg(l, words, at)?, 2)?;
            Ok(Scale { byte: l.src_of(&of[0], 16)?, thread: l.src_of(&of[1], 16)? })
        };
        fragments.scales = Some([selectors(at + 1)?, selectors(at + 3)?]);
        fragments.factors = [read(l, words, at, 1)?, read(l, words, at + 2, 1)?].concat();
    }
    Ok(Some(of_warp(l, Matrix::Multiply(what), fragments)))
}

fn multiply(opcode: &mut Sequence<'_>) -> Option<Multiply> {
    opcode.all(&["mma"])?;
    let sparse = opcode.one(|word| match word {
        "sp" => Some(false),
        "sp::ordered_metadata" => Some(true),
        _ => None,
    });
    opcode.all(&["sync", "aligned"])?;
    let shape = opcode.one(shape)?;
    let layout = |opcode: &mut Sequence<'_>| {
        opcode.one(|word| ["row", "col"].contains(&word).then_some(word == "row"))
    };
    let rows = [layout(opcode)?, layout(opcode)?];
    let kind = opcode.one(|word| {
        ["f8f6f4", "mxf8f6f4", "mxf4", "mxf4nvf4"]
            .into_iter()
            .find(|kind| word.strip_prefix("kind::") == Some(kind))
    });
    let scaled = opcode.has("block_scale");
    let size = opcode.one(|word| match word {
        "scale_vec::1X" => Some(1),
        "scale_vec::2X" => Some(2),
        "scale_vec::4X" => Some(4),
        _ => None,
    });
    let satfinite = opcode.has("satfinite");
    let round = opcode.one(rounding);
    let [d, a, b, c] = [opcode.element()?, opcode.element()?, opcode.element()?, opcode.element()?];
    let mut term = Term::Product;
    if a.bits() == 1 {
        term = opcode.one(|word| match word {
            "xor" => Some(Term::Xor),
            "and" => Some(Term::Product),
            _ => None,
        })?;
        opcode.all(&["popc"])?;
    }
    let factor = if scaled { Some(opcode.element()?) } else { None };
    opcode.end()?;
    // The sizes and types of scale factors of a kind (9.7.14.3), of which the first size is the default.
    let power = Element::Narrow(Narrow::Ue8m0);
    let scale = match (kind, size, factor) {
        (None | Some("f8f6f4"), None, None) => None,
        (Some("mxf8f6f4"), None | Some(1), Some(factor)) if factor == power => Some((1, factor)),
        (Some("mxf4"), None | Some(2), Some(factor)) if factor == power => Some((2, factor)),
        (Some("mxf4nvf4"), Some(2), Some(factor)) if factor == power => Some((2, factor)),
        (Some("mxf4nvf4"), Some(4), Some(factor @ Element::Narrow(Narrow::Ue8m0 | Narrow::Ue4m3))) => {
            Some((4, factor))
        }
        _ => return None,
    };
    let in_bytes = kind.is_some_and(|kind| kind.ends_with("f8f6f4"));
    let what = Multiply {
        shape,
        rows,
        a,
        b,
        c,
        d,
        in_bytes,
        scale,
        sparse,
        satfinite,
        term,
        round: round.unwrap_or(Round::NearestTiesToEven),
    };
    let is_rounded = round.is_none() || d == Element::Float(Format::F64);
    (is_rounded && what.is_legal()).then_some(what)
}

fn wgmma(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    opcode.next();
    let none = Fragments::default();
    match opcode.next() {
        "mma_async" => warpgroup(l, opcode, words),
        "fence" if opcode.all(&["sync", "aligned"]).is_some() => Ok(Some(of_warp(l, Matrix::Fence, none))),
        "commit_group" if opcode.all(&["sync", "aligned"]).is_some() => {
            Ok(Some(of_warp(l, Matrix::Commit, none)))
        }
        "wait_group" if opcode.all(&["sync", "aligned"]).is_some() => match *arg(l, words, 0)? {
            Operand::Number(pending) => {
                let pending = u32::try_from(pending).unwrap_or(u32::MAX);
                Ok(Some(of_warp(l, Matrix::Wait(pending), none)))
            }
            _ => Err(l.error("the number of pending groups of `wgmma.wait_group` is a constant")),
        },
        _ => Ok(None),
    }
}

/// Decodes `wgmma.mma_async`.
fn warpgroup(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let Some(what) = warpgroup_multiply(&mut opcode) else { return Ok(None) };
    // A warp has a quarter of the rows.
    let (count, of_a) = (what.count(what.d) / 4, what.registers()[0] / 4);
    let mut fragments =
        Fragments { d: written(l, words, 0, count)?, c: read(l, words, 0, count)?, ..Fragments::default() };
    match arg(l, words, 1)? {
        Operand::Vector(_) => fragments.a = read(l, words, 1, of_a)?,
        operand => fragments.descriptors[0] = Some(l.src_of(operand, 64)?),
    }
    fragments.descriptors[1] = Some(l.src_of(arg(l, words, 2)?, 64)?);
    let mut at = 3;
    if what.sparse.is_some() {
        fragments.metadata = Some(l.src_of(arg(l, words, 3)?, 32)?);
        let Operand::Number(selector @ 0..=3) = *arg(l, words, 4)? else {
            return Err(l.error("the sparsity selector is a number from 0 to 3"));
        };
        fragments.selector = selector as usize;
        at = 5;
    }
    // The short form has neither `scale-d` nor what follows it.
    if words.operands.len() > at {
        fragments.scale_d = Some(l.src(arg(l, words, at)?)?);
        at += 1;
    }
    let is_float = !matches!(what.a, Element::Integer { .. });
    if is_float && words.operands.len() > at {
        let minus_one = |number: u64| number as i64 == -1 || number == u64::from(u32::MAX);
        for negated in &mut fragments.negated {
            match *arg(l, words, at)? {
                Operand::Number(1) => {}
                Operand::Number(number) if minus_one(number) => *negated = true,
                _ => return Err(l.error("`imm-scale-a` and `imm-scale-b` are 1 or -1")),
            }
            at += 1;
        }
    }
    // A in registers has no order in shared memory.
    let in_memory = if fragments.descriptors[0].is_some() { 0..2 } else { 1..2 };
    if is_float && what.a.bits() == 16 && words.operands.len() > at {
        for mn_major in &mut fragments.mn_major[in_memory] {
            match *arg(l, words, at)? {
                Operand::Number(number @ 0..=1) => *mn_major = number == 1,
                _ => return Err(l.error("`imm-trans-a` and `imm-trans-b` are 0 or 1")),
            }
            at += 1;
        }
    }
    match words.operands.len() {
        count if count == at => Ok(Some(of_warp(l, Matrix::Warpgroup(what), fragments))),
        count => Err(l.error(format!("{count} operands of `wgmma.mma_async` that has {at}"))),
    }
}

fn warpgroup_multiply(opcode: &mut Sequence<'_>) -> Option<Multiply> {
    let sparse = opcode.one(|word| (word == "sp").then_some(false));
    opcode.all(&["sync", "aligned"])?;
    let shape = opcode.one(shape)?;
    let [d, a, b] = [opcode.element()?, opcode.element()?, opcode.element()?];
    let satfinite = opcode.has("satfinite");
    if a.bits() == 1 {
        opcode.all(&["and", "popc"])?;
    }
    opcode.end()?;
    let [m, n, k] = shape;
    let depth = if sparse.is_some() { k / 2 } else { k };
    let float = |format: Format| Element::Float(format);
    let is_byte = |element: Element| [float(Format::E4m3), float(Format::E5m2)].contains(&element);
    let is_half = d == float(Format::F16);
    let is_single = d == float(Format::F32);
    let fits = match a {
        Element::Float(Format::F16) => b == a && (is_half || is_single),
        Element::Float(Format::Bf16) | Element::Tf32 => b == a && is_single,
        Element::Float(Format::E4m3 | Format::E5m2) => is_byte(b) && (is_half || is_single),
        Element::Integer { bits: bits @ (1 | 8), .. } => {
            matches!(b, Element::Integer { .. })
                && b.bits() == bits
                && d == Element::Integer { bits: 32, signed: true }
                && (n % 16 == 0 || n < 32)
                && !(bits == 1 && (satfinite || sparse.is_some()))
        }
        _ => false,
    };
    let is_integer = matches!(a, Element::Integer { .. });
    // A row of A has 32 bytes in each instruction.
    let fits =
        fits && m == 64 && n % 8 == 0 && depth * a.bits() as usize == 256 && (is_integer || !satfinite);
    let rows = [true, false];
    let what = Multiply {
        shape,
        rows,
        a,
        b,
        c: d,
        d,
        in_bytes: false,
        scale: None,
        sparse,
        satfinite,
        term: Term::Product,
        round: Round::NearestTiesToEven,
    };
    fits.then_some(what)
}

impl Multiply {
    /// Returns whether the ISA has the instruction (9.7.14.1).
    fn is_legal(&self) -> bool {
        let [m, n, k] = self.shape;
        let float = |format: Format| Element::Float(format);
        let of =
            |element: Element, formats: &[Format]| formats.iter().any(|format| element == float(*format));
        let (f16, f32, f64) = (float(Format::F16), float(Format::F32), float(Format::F64));
        let in_quads = self.is_in_quads();
        // The depth of a dense product, of which a sparse one has twice.
        let depth = |depths: &[usize]| match self.sparse {
            Some(_) => m == 16 && depths.iter().any(|depth| 2 * depth == k),
            None => depths.contains(&k),
        };
        let is_alike = self.a.bits() == self.b.bits();
        let sums = |sums: &[Element]| sums.contains(&self.c) && sums.contains(&self.d);
        let is_integer = |element: Element| matches!(element, Element::Integer { .. });
        let bytes = |element: Element| of(element, &[Format::E4m3, Format::E5m2]);
        let floats = self.c == self.d && !self.satfinite && self.term == Term::Product;
        let fits = if self.in_bytes {
            let small = |element: Element| {
                bytes(element)
                    || matches!(element, Element::Narrow(Narrow::E2m1 | Narrow::E2m3 | Narrow::E3m2))
            };
            let sums = if self.scale.is_some() { sums(&[f32]) } else { sums(&[f16, f32]) };
            m == 16 && depth(&[32]) && small(self.a) && small(self.b) && floats && sums
        } else if self.scale.is_some() {
            let e2m1 = Element::Narrow(Narrow::E2m1);
            m == 16 && depth(&[64]) && self.a == e2m1 && self.b == e2m1 && floats && sums(&[f32])
        } else if is_integer(self.a) {
            let depths: &[usize] = match (self.a.bits(), m) {
                (8, 8) => &[16],
                (8, _) => &[16, 32],
                (4, 8) => &[32],
                (4, _) => &[32, 64],
                (1, 8) => &[128],
                _ => &[128, 256],
            };
            let is_one_bit = self.a.bits() == 1;
            let s32 = Element::Integer { bits: 32, signed: true };
            is_integer(self.b)
                && is_alike
                && self.a.bits() <= 8
                && depth(depths)
                && sums(&[s32])
                && !(is_one_bit && (self.satfinite || self.sparse.is_some()))
        } else if in_quads {
            !self.satfinite
                && self.a == f16
                && self.b == f16
                && sums(&[f16, f32])
                && (self.c != f32 || self.d == f32)
        } else {
            let product = match self.a {
                Element::Float(Format::F16) => {
                    self.b == self.a && m == 16 && depth(&[8, 16]) && sums(&[f16, f32])
                }
                Element::Float(Format::Bf16) => {
                    self.b == self.a && m == 16 && depth(&[8, 16]) && sums(&[f32])
                }
                Element::Tf32 => self.b == self.a && m == 16 && depth(&[4, 8]) && sums(&[f32]),
                Element::Float(Format::F64) => {
                    let depths: &[usize] = if m == 8 { &[4] } else { &[4, 8, 16] };
                    self.b == self.a && self.sparse.is_none() && depth(depths) && sums(&[f64])
                }
                Element::Float(Format::E4m3 | Format::E5m2) => {
                    let depths: &[usize] = if self.sparse.is_some() { &[32] } else { &[16, 32] };
                    bytes(self.b) && m == 16 && depth(depths) && sums(&[f16, f32])
                }
                _ => false,
            };
            product && floats
        };
        fits && [8, 16].contains(&m) && n == 8 && (in_quads || self.rows == [true, false])
    }
}
