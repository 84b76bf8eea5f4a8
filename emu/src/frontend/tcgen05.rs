//! Decodes `tcgen05` (PTX ISA 9.7.16). Its words stand in one order.

use crate::frontend::ast::{Instruction, Operand};
use crate::frontend::lower::{Lower, Result};
use crate::frontend::matrix::{Sequence, of_warp, read, written};
use crate::frontend::op::*;
use crate::frontend::operands::arg;
use crate::frontend::words::Words;
use crate::numbers::float::Format;

/// What the PTX ISA does not say: whether a row that is shifted goes to the next lane or comes from it.
const NOT_MODELLED: [&str; 2] = ["ashift", "shift"];

pub fn decode(l: &mut Lower<'_>, instruction: &Instruction, words: &Words<'_>) -> Result<Option<Op>> {
    if let Some(word) = words.seek(|word| NOT_MODELLED.contains(&word)) {
        return Err(l.error(format!("`.{word}` of `{}` is not modelled", instruction.opcode)));
    }
    words.whole();
    let mut opcode = Sequence::of(&instruction.opcode);
    opcode.next();
    match opcode.next() {
        "alloc" => alloc(l, opcode, words),
        "dealloc" => {
            let Some(pair) = cta_group(&mut opcode) else { return Ok(None) };
            let Some(()) = opcode.all(&["sync", "aligned", "b32"]).and_then(|()| opcode.end()) else {
                return Ok(None);
            };
            let base = l.src_of(arg(l, words, 0)?, 32)?;
            let fragments = Fragments {
                taddr: Some(Address { base, offset: 0, space: Space::Global }),
                columns: Some(l.src_of(arg(l, words, 1)?, 32)?),
                ..Fragments::default()
            };
            Ok(Some(of_warp(l, Matrix::Tensor(TensorWarp::Deallocate { pair }), fragments)))
        }
        "relinquish_alloc_permit" => {
            let Some(pair) = cta_group(&mut opcode) else { return Ok(None) };
            let end = opcode.all(&["sync", "aligned"]).and_then(|()| opcode.end());
            let what = Matrix::Tensor(TensorWarp::Relinquish { pair });
            Ok(end.map(|()| of_warp(l, what, Fragments::default())))
        }
        "wait::ld" => wait(l, opcode, false),
        "wait::st" => wait(l, opcode, true),
        "ld" => load(l, opcode, words),
        "st" => store(l, opcode, words),
        "fence::before_thread_sync" => Ok(opcode.end().map(|()| tensor(Tcgen05::Fence { before: true }))),
        "fence::after_thread_sync" => Ok(opcode.end().map(|()| tensor(Tcgen05::Fence { before: false }))),
        "commit" => commit(l, opcode, words),
        "cp" => copy(l, opcode, words),
        "mma" => multiply(l, opcode, words),
        _ => Ok(None),
    }
}

fn tensor(op: Tcgen05) -> Op {
    Op::Tcgen05(Box::new(op))
}

/// Takes `.cta_group`. Returns whether it is that of a pair.
fn cta_group(opcode: &mut Sequence<'_>) -> Option<bool> {
    opcode.one(|word| match word {
        "cta_group::1" => Some(false),
        "cta_group::2" => Some(true),
        _ => None,
    })
}

/// Lowers an address of tensor memory.
fn taddr(l: &mut Lower<'_>, words: &Words<'_>, at: usize) -> Result<Address> {
    l.address(arg(l, words, at)?, Space::Global)
}

fn alloc(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let Some(pair) = cta_group(&mut opcode) else { return Ok(None) };
    let Some(()) = opcode.all(&["sync", "aligned"]) else { return Ok(None) };
    let space = if opcode.has("shared::cta") { Space::SharedCta } else { Space::Generic };
    let Some(()) = opcode.all(&["b32"]).and_then(|()| opcode.end()) else { return Ok(None) };
    let fragments = Fragments {
        address: Some(l.address(arg(l, words, 0)?, space)?),
        columns: Some(l.src_of(arg(l, words, 1)?, 32)?),
        ..Fragments::default()
    };
    Ok(Some(of_warp(l, Matrix::Tensor(TensorWarp::Allocate { pair }), fragments)))
}

fn wait(l: &mut Lower<'_>, mut opcode: Sequence<'_>, stores: bool) -> Result<Option<Op>> {
    let end = opcode.all(&["sync", "aligned"]).and_then(|()| opcode.end());
    Ok(end.map(|()| of_warp(l, Matrix::Tensor(TensorWarp::Wait { stores }), Fragments::default())))
}

/// Takes the shape and the repetitions of a load or a store, and whether halves are packed.
fn tile(opcode: &mut Sequence<'_>, packs: &str) -> Option<TensorTile> {
    let shape = opcode.one(|word| {
        Some(match word {
            "32x32b" => TensorShape::Lanes32,
            "16x64b" => TensorShape::Bits64,
            "16x128b" => TensorShape::Bits128,
            "16x256b" => TensorShape::Bits256,
            "16x32bx2" => TensorShape::Split,
            _ => return None,
        })
    })?;
    let count: u32 = opcode.one(|word| word.strip_prefix('x')?.parse().ok())?;
    let packed = opcode.has(packs);
    let tile = TensorTile { shape, count, packed, offset: 0 };
    (count.is_power_of_two() && count <= 128 && tile.registers() <= 128).then_some(tile)
}

/// Returns `immHalfSplitoff`, of a shape that has one.
fn offset(l: &Lower<'_>, words: &Words<'_>, shape: TensorShape, at: usize) -> Result<u32> {
    match (shape, words.operands.get(at)) {
        (TensorShape::Split, Some(Operand::Number(number))) => Ok(*number as u32),
        (TensorShape::Split, _) => Err(l.error("`immHalfSplitoff` is a number")),
        _ => Ok(0),
    }
}

fn load(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let reduces = opcode.has("red");
    let Some(()) = opcode.all(&["sync", "aligned"]) else { return Ok(None) };
    let Some(tile) = tile(&mut opcode, "pack::16b") else { return Ok(None) };
    let mut reduction = None;
    if reduces {
        let Some(found) = reduction_of(&mut opcode, tile) else { return Ok(None) };
        reduction = Some(found);
    } else if opcode.all(&["b32"]).is_none() {
        return Ok(None);
    }
    if opcode.end().is_none() {
        return Ok(None);
    }
    let at = usize::from(reduces);
    let mut d = written(l, words, 0, tile.registers())?;
    if reduces {
        d.push(l.slot(arg(l, words, 1)?)?);
    }
    let tile = TensorTile { offset: offset(l, words, tile.shape, at + 2)?, ..tile };
    let fragments = Fragments { d, taddr: Some(taddr(l, words, at + 1)?), ..Fragments::default() };
    Ok(Some(of_warp(l, Matrix::Tensor(TensorWarp::Load(tile, reduction)), fragments)))
}

fn reduction_of(opcode: &mut Sequence<'_>, tile: TensorTile) -> Option<TensorReduction> {
    let is_max = opcode.one(|word| ["min", "max"].contains(&word).then_some(word == "max"))?;
    let (abs, nan) = (opcode.has("abs"), opcode.has("NaN"));
    let ty = opcode.one(|word| {
        Some(match word {
            "f32" => Type::Float(Format::F32),
            "u32" => Type::Unsigned(32),
            "s32" => Type::Signed(32),
            _ => return None,
        })
    })?;
    let is_float = matches!(ty, Type::Float(_));
    let has_shape = matches!(tile.shape, TensorShape::Lanes32 | TensorShape::Split);
    let fits = has_shape && !tile.packed && tile.count > 1 && (is_float || !abs && !nan);
    let rmw = if is_max { Rmw::Max } else { Rmw::Min };
    fits.then_some(TensorReduction { rmw, ty, abs, nan })
}

fn store(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let Some(()) = opcode.all(&["sync", "aligned"]) else { return Ok(None) };
    let Some(tile) = tile(&mut opcode, "unpack::16b") else { return Ok(None) };
    let Some(()) = opcode.all(&["b32"]).and_then(|()| opcode.end()) else { return Ok(None) };
    let at = if tile.shape == TensorShape::Split { 2 } else { 1 };
    let tile = TensorTile { offset: offset(l, words, tile.shape, 1)?, ..tile };
    let a = read(l, words, at, tile.registers())?;
    let fragments = Fragments { a, taddr: Some(taddr(l, words, 0)?), ..Fragments::default() };
    Ok(Some(of_warp(l, Matrix::Tensor(TensorWarp::Store(tile)), fragments)))
}

fn commit(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let Some(pair) = cta_group(&mut opcode) else { return Ok(None) };
    let Some(()) = opcode.all(&["mbarrier::arrive::one"]) else { return Ok(None) };
    let space = if opcode.has("shared::cluster") { Space::SharedCluster } else { Space::Generic };
    let multicast = opcode.has("multicast::cluster");
    let Some(()) = opcode.all(&["b64"]).and_then(|()| opcode.end()) else { return Ok(None) };
    let mbarrier = l.address(arg(l, words, 0)?, space)?;
    let mask = match multicast {
        true => Some(Multicast { mask: l.src_of(arg(l, words, 1)?, 16)?, bits: 16 }),
        false => None,
    };
    Ok(Some(tensor(Tcgen05::Commit { pair, mbarrier, mask })))
}

fn copy(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let Some(pair) = cta_group(&mut opcode) else { return Ok(None) };
    let shape = match opcode.next() {
        "128x256b" => CopyShape::Lanes128 { chunks: 2 },
        "128x128b" => CopyShape::Lanes128 { chunks: 1 },
        "64x128b" => match opcode.next() {
            "warpx2::02_13" => CopyShape::Lanes64 { beside: false },
            "warpx2::01_23" => CopyShape::Lanes64 { beside: true },
            _ => return Ok(None),
        },
        "32x128b" if opcode.has("warpx4") => CopyShape::Lanes32,
        "4x256b" => CopyShape::Lanes4,
        _ => return Ok(None),
    };
    let mut source = Source::Bytes;
    if opcode.has("b8x16") {
        let narrow = opcode.one(|word| match word {
            "b6x16_p32" => Some(Source::Bits6),
            "b4x16_p64" => Some(Source::Bits4),
            _ => None,
        });
        let Some(narrow) = narrow else { return Ok(None) };
        source = narrow;
    }
    let Some(()) = opcode.end() else { return Ok(None) };
    let (to, from) = (taddr(l, words, 0)?, l.src_of(arg(l, words, 1)?, 64)?);
    Ok(Some(tensor(Tcgen05::Copy { pair, shape, source, to, from })))
}

fn multiply(l: &mut Lower<'_>, mut opcode: Sequence<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let weight_stationary = opcode.has("ws");
    let is_sparse = opcode.has("sp");
    let Some(pair) = cta_group(&mut opcode).filter(|pair| !(weight_stationary && *pair)) else {
        return Ok(None);
    };
    let kind = opcode.one(|word| {
        Some(match word {
            "kind::f16" => Kind::F16,
            "kind::tf32" => Kind::Tf32,
            "kind::f8f6f4" => Kind::F8f6f4,
            "kind::i8" => Kind::I8,
            "kind::mxf8f6f4" => Kind::Mxf8f6f4,
            "kind::mxf4" => Kind::Mxf4,
            "kind::mxf4nvf4" => Kind::Mxf4nvf4,
            _ => return None,
        })
    });
    let Some(kind) = kind else { return Ok(None) };
    let mut factors = 0;
    if opcode.has("block_scale") != kind.has_scales() {
        return Ok(None);
    }
    if kind.has_scales() {
        let size = opcode.one(|word| {
            let is_size = word.starts_with("scale_vec::") || ["block16", "block32"].contains(&word);
            is_size.then(|| word.to_owned())
        });
        factors = match (kind, size.as_deref()) {
            (Kind::Mxf8f6f4, None | Some("scale_vec::1X" | "block32")) => 1,
            (Kind::Mxf4, None) | (Kind::Mxf4 | Kind::Mxf4nvf4, Some("scale_vec::2X" | "block32")) => 2,
            (Kind::Mxf4nvf4, Some("scale_vec::4X" | "block16")) => 4,
            _ => return Ok(None),
        };
    }
    // What a buffer of the tensor cores holds changes no result.
    _ = opcode.one(|word| {
        let (buffer, op) = word.strip_prefix("collector::")?.split_once("::")?;
        let has_buffer = match weight_stationary {
            true => ["b0", "b1", "b2", "b3"].contains(&buffer),
            false => buffer == "a",
        };
        (has_buffer && ["fill", "use", "lastuse", "discard"].contains(&op)).then_some(())
    });
    let Some(()) = opcode.end() else { return Ok(None) };
    let d = taddr(l, words, 0)?;
    let a = match arg(l, words, 1)? {
        Operand::Address(_) => MatrixA::Tensor(taddr(l, words, 1)?),
        operand => MatrixA::Shared(l.src_of(operand, 64)?),
    };
    let b = l.src_of(arg(l, words, 2)?, 64)?;
    let mut at = 3;
    let mut metadata = None;
    if is_sparse {
        metadata = Some(taddr(l, words, at)?);
        at += 1;
    }
    let idesc = l.src_of(arg(l, words, at)?, 32)?;
    at += 1;
    let mut scales = None;
    if kind.has_scales() {
        scales = Some([taddr(l, words, at)?, taddr(l, words, at + 1)?]);
        at += 2;
    }
    let mut lanes = Vec::new();
    if let Operand::Vector(all) = arg(l, words, at)? {
        if all.len() != if pair { 8 } else { 4 } {
            return Err(l.error(format!("a mask of {} words for `disable-output-lane`", all.len())));
        }
        lanes = read(l, words, at, all.len())?;
        at += 1;
    }
    let enable = l.src(arg(l, words, at)?)?;
    let (mut scale_d, mut zero_columns) = (0, None);
    match words.operands.get(at + 1) {
        None => {}
        Some(Operand::Number(number @ 0..=15))
            if [Kind::F16, Kind::Tf32].contains(&kind) && !weight_stationary =>
        {
            scale_d = *number as u32;
        }
        Some(Operand::Number(_)) => {
            return Err(
                l.error("`scale-input-d` is a number from 0 to 15, for `.kind::f16` and `.kind::tf32`")
            );
        }
        Some(operand) if weight_stationary => zero_columns = Some(l.src_of(operand, 64)?),
        Some(_) => return Ok(None),
    }
    let what = TensorMultiply {
        pair,
        weight_stationary,
        kind,
        factors,
        d,
        a,
        b,
        metadata,
        idesc,
        scales,
        lanes,
        enable,
        scale_d,
        zero_columns,
    };
    Ok(Some(tensor(Tcgen05::Multiply(what))))
}
