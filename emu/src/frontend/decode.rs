//! Decodes an opcode and its operands into an operation.

use crate::frontend::arithmetic;
use crate::frontend::ast::{Instruction, Operand};
use crate::frontend::lower::{Lower, Result};
use crate::frontend::matrix;
use crate::frontend::op::*;
use crate::frontend::operands::{arg, slot, src};
use crate::frontend::tcgen05;
use crate::frontend::words::Words;
use crate::numbers::float::Format;

/// Decodes an instruction.
pub fn decode(l: &mut Lower<'_>, instruction: &Instruction) -> Result<Op> {
    let words = Words::new(&instruction.opcode, &instruction.operands);
    if let Some(word) = not_modelled(&words) {
        return Err(l.error(format!("`.{word}` of `{}` is not modelled", instruction.opcode)));
    }
    let op = match words.first() {
        "mov" => mov(l, &words)?,
        "ld" | "ldu" => load(l, &words)?,
        "st" if words.starts(&["st", "async"]) => st_async(l, &words)?,
        "st" if words.starts(&["st", "bulk"]) => {
            words.has("weak");
            Some(Op::StBulk {
                address: l.address(arg(l, &words, 0)?, words.space())?,
                bytes: src(l, &words, 1)?,
            })
        }
        "st" => store(l, &words)?,
        "atom" => atom(l, &words)?,
        "red" if words.starts(&["red", "async"]) => st_async(l, &words)?,
        "red" => atom(l, &words)?,
        "cvta" => cvta(l, &words)?,
        "bra" | "brx" | "call" | "ret" => {
            // All threads of a warp take the branch, or none does.
            words.ignore(|word| word == "uni");
            Some(match words.first() {
                "bra" => Op::Branch(l.label(arg(l, &words, 0)?)?),
                "brx" if words.has("idx") => {
                    Op::BranchIndex(src(l, &words, 0)?, l.label_list(arg(l, &words, 1)?)?)
                }
                "brx" => return Err(l.error("the interpreter has no `brx` but `brx.idx`")),
                "call" => call(l, &words)?,
                _ => Op::Return,
            })
        }
        "exit" => Some(Op::Exit),
        "trap" => Some(Op::Trap),
        "brkpt" => Some(Op::Breakpoint),
        "pmevent" => {
            words.has("mask");
            Some(Op::Nop)
        }
        "bar" | "barrier" => barrier(l, &words)?,
        "mbarrier" => mbarrier(l, &words)?,
        "fence" | "membar" => Some(fence(&words)),
        "cp" => copy(l, &words)?,
        "shfl" | "vote" | "match" | "redux" | "elect" => warp(l, &words)?,
        "activemask" if words.has("b32") => Some(Op::Activemask(slot(l, &words, 0)?)),
        "isspacep" => Some(Op::IsSpace(slot(l, &words, 0)?, src(l, &words, 1)?, words.space())),
        "mapa" => Some(Op::Mapa {
            d: slot(l, &words, 0)?,
            address: src(l, &words, 1)?,
            rank: src(l, &words, 2)?,
            generic: words.space() == Space::Generic,
        }),
        "getctarank" => Some(Op::Getctarank {
            d: slot(l, &words, 0)?,
            address: src(l, &words, 1)?,
            generic: words.space() == Space::Generic,
        }),
        "griddepcontrol" => match words.at(1) {
            "wait" => Some(Op::GridDependencies { wait: true }),
            "launch_dependents" => Some(Op::GridDependencies { wait: false }),
            _ => None,
        },
        "setmaxnreg" => match (words.at(1), arg(l, &words, 0)?) {
            (step @ ("inc" | "dec"), Operand::Number(count)) => {
                words.ignore(|word| ["sync", "aligned", "u32"].contains(&word));
                let count = u32::try_from(*count).unwrap_or(u32::MAX);
                let what = Collective::SetMaxNReg { increase: step == "inc", count };
                let mask = l.constant(u64::from(u32::MAX));
                Some(collective(l, what, mask, None))
            }
            _ => None,
        },
        "nanosleep" => Some(Op::Nanosleep(src(l, &words, 0)?)),
        "createpolicy" => {
            // A policy is opaque.
            words.whole();
            Some(Op::Policy(slot(l, &words, 0)?, 0x10f0_0000_0000_0000))
        }
        "prefetch" | "prefetchu" | "discard" | "applypriority" => {
            if words.has("tensor") {
                let op = tensor(l, &words)?;
                return finished(l, instruction, &words, op);
            }
            // A hint: nothing tells whether it is complete.
            words.ignore(|word| {
                is_hint(word) || ["L1", "L2", "valid_addr", "async", "bulk", "bulk_group"].contains(&word)
            });
            let bytes = if words.has("tensormap") { 128 } else { 1 };
            Some(Op::Touch(l.address(arg(l, &words, 0)?, words.space())?, bytes))
        }
        "ldmatrix" | "stmatrix" | "movmatrix" | "mma" | "wgmma" => matrix::decode(l, instruction, &words)?,
        "tcgen05" => tcgen05::decode(l, instruction, &words)?,
        "tensormap" => tensormap(l, &words)?,
        "multimem" => multimem(l, &words)?,
        "clusterlaunchcontrol" => launch_control(l, &words)?,
        _ => arithmetic::decode(l, &words)?,
    };
    finished(l, instruction, &words, op)
}

/// Returns the operation, if all words are in it.
fn finished(l: &Lower<'_>, instruction: &Instruction, words: &Words<'_>, op: Option<Op>) -> Result<Op> {
    let op = op.ok_or_else(|| l.error(format!("the interpreter has no `{}`", instruction.opcode)))?;
    // A modifier that is not in the operation would be lost.
    match words.left() {
        Some(word) => Err(l.error(format!(
            "the interpreter has no `{}`: it does not know `.{word}` there",
            instruction.opcode
        ))),
        None => Ok(op),
    }
}

/// Returns the word of an instruction that the interpreter does not model: reports, whose patterns the PTX ISA states in part; what
/// concerns the memory of other GPUs; and what the PTX ISA has no text on.
fn not_modelled<'a>(words: &Words<'a>) -> Option<&'a str> {
    let is = |word: &str| {
        word.starts_with("mbarrier::report::validity")
            || [
                "fabric",
                "generic::fabric",
                "fabric::generic",
                "fabric::fabric",
                "query",
                "sync_restrict::read",
            ]
            .contains(&word)
    };
    words.seek(is)
}

/// Returns whether a word says how to cache data, which the interpreter does not do.
fn is_hint(word: &str) -> bool {
    const OPERATORS: [&str; 8] = ["ca", "cg", "cs", "cv", "lu", "wb", "wt", "noftz"];
    word.starts_with("L1::") || word.starts_with("L2::") || OPERATORS.contains(&word)
}

/// Returns whether a word is the number of elements of a vector, which the braces repeat.
fn is_vector(word: &str) -> bool {
    ["v2", "v4", "v8"].contains(&word)
}

/// Returns the elements of `{a, b}`, or the one operand. A 128-bit register is two elements of 64 bits.
fn elements<T>(
    l: &mut Lower<'_>,
    operand: &Operand,
    mut one: impl FnMut(&mut Lower<'_>, &Operand) -> Result<T>,
    high: impl FnOnce(&T) -> T,
) -> Result<Vec<T>> {
    match operand {
        Operand::Vector(elements) => elements.iter().map(|element| one(l, element)).collect(),
        operand => {
            let first = one(l, operand)?;
            Ok(if l.is_wide(operand) {
                vec![high(&first), first].into_iter().rev().collect()
            } else {
                vec![first]
            })
        }
    }
}

fn written(l: &mut Lower<'_>, operand: &Operand) -> Result<Vec<Option<Slot>>> {
    elements(l, operand, |l, operand| l.sink(operand), |low| low.map(|slot| slot + 1))
}

fn read(l: &mut Lower<'_>, operand: &Operand, bits: u32) -> Result<Vec<Src>> {
    elements(l, operand, |l, operand| l.src_of(operand, bits.min(64)), |low| Src(low.0 + 1))
}

fn mov(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let (to, from) = (arg(l, words, 0)?, arg(l, words, 1)?);
    if words.ty().is_none() {
        return Ok(None);
    }
    if words.has("v2") || words.has("v4") {
        return move_vector(l, words, to, from).map(Some);
    }
    // The bits of an element of `{a, b}`.
    let bits = words.ty().map_or(64, Type::bits);
    let element = |l: &Lower<'_>, list: &[Operand]| match bits / list.len().max(1) as u32 {
        of @ (8 | 16 | 32 | 64) if list.len() >= 2 && of * list.len() as u32 == bits => Ok(of),
        _ => Err(l.error(format!("{} elements do not fill {bits} bits", list.len()))),
    };
    Ok(Some(match (to, from) {
        (Operand::Vector(to), from) => {
            let bits = element(l, to)?;
            if to.iter().all(|operand| *operand == Operand::Sink) {
                return Err(l.error("`mov` writes no element"));
            }
            let to: Vec<_> = to.iter().map(|slot| l.sink(slot)).collect::<Result<_>>()?;
            match (l.is_wide(from), from) {
                (false, Operand::Number(_)) if bits == 64 => {
                    let from = wide(l, from)?;
                    Op::Unpack(to, Src(from), bits)
                }
                (true, _) if bits < 64 => {
                    // Each half passes through registers of its own, as in `move_vector`.
                    let (half, from, first) = (to.len() / 2, l.slot(from)?, l.slots);
                    for part in 0..2 {
                        let elements = (0..half).map(|_| Some(l.temporary())).collect();
                        l.before(Op::Unpack(elements, Src(from + part), bits));
                    }
                    Op::Unpack(to, Src(first), 64)
                }
                (is_wide, _) if is_wide != (bits == 64) => {
                    return Err(l.error("the operands of `mov` have different sizes"));
                }
                _ => Op::Unpack(to, l.src(from)?, bits),
            }
        }
        (to, Operand::Vector(from)) => {
            let (d, bits) = (l.slot(to)?, element(l, from)?);
            let from = from.iter().map(|element| l.src_of(element, bits)).collect::<Result<Vec<_>>>()?;
            match l.is_wide(to) {
                true if bits < 64 => {
                    let halves = from.chunks(from.len() / 2);
                    let halves: Vec<_> = halves.map(|half| (l.temporary(), half.to_vec())).collect();
                    let first = halves[0].0;
                    halves.into_iter().for_each(|(d, half)| l.before(Op::Pack(d, half, bits)));
                    Op::Move128(d, first)
                }
                is_wide if is_wide != (bits == 64) => {
                    return Err(l.error("the operands of `mov` have different sizes"));
                }
                _ => Op::Pack(d, from, bits),
            }
        }
        (to, Operand::Number(_)) if l.is_wide(to) => Op::Move128(l.slot(to)?, wide(l, from)?),
        (to, from) if l.is_wide(to) || l.is_wide(from) => {
            if l.is_wide(to) != l.is_wide(from) {
                return Err(l.error("the operands of `mov` have different sizes"));
            }
            Op::Move128(l.slot(to)?, l.slot(from)?)
        }
        (to, Operand::Name(name)) if Special::named(name).is_some() => {
            Op::Special(l.slot(to)?, Special::named(name).unwrap_or(Special::Zero))
        }
        (to, _) => {
            let from = src(l, words, 1)?;
            Op::Move(l.slot(to)?, from)
        }
    }))
}

/// Returns the first slot of a number of 128 bits.
fn wide(l: &mut Lower<'_>, number: &Operand) -> Result<Slot> {
    let (low, high) = (l.src(number)?, l.constant(0));
    let (first, second) = (l.temporary(), l.temporary());
    l.before(Op::Move(first, low));
    l.before(Op::Move(second, high));
    Ok(first)
}

/// Decodes `mov.v2` and `mov.v4`, whose source may be a special register such as `%tid`.
fn move_vector(l: &mut Lower<'_>, words: &Words<'_>, to: &Operand, from: &Operand) -> Result<Op> {
    let from = match from {
        Operand::Name(name) => {
            let elements =
                ["x", "y", "z", "w"].iter().map(|element| Operand::Name(format!("{name}.{element}")));
            Operand::Vector(elements.collect())
        }
        operand => operand.clone(),
    };
    let count = if words.has("v2") { 2 } else { 4 };
    let (Operand::Vector(to), Operand::Vector(from)) = (to, &from) else {
        return Err(l.error("expected two vectors"));
    };
    if (to.len(), from.len()) != (count, count) {
        return Err(l.error(format!("vectors of {} and {} elements, not of {count}", to.len(), from.len())));
    }
    let bits = words.ty().map_or(32, Type::bits);
    let from = from.iter().map(|element| l.src_of(element, bits)).collect::<Result<Vec<_>>>()?;
    let to = to.iter().map(|element| l.sink(element)).collect::<Result<Vec<_>>>()?;
    // The elements pass through registers of their own, since the destination may be a source.
    let first = l.slots;
    for src in from {
        let slot = l.temporary();
        l.before(Op::Move(slot, src));
    }
    Ok(Op::Unpack(to, Src(first), 64))
}

fn strength(words: &Words<'_>) -> (Sem, Scope) {
    let sem = words.sem().unwrap_or(Sem::Weak);
    let scope = words.scope().unwrap_or(if words.has("volatile") { Scope::Sys } else { Scope::Gpu });
    (sem, scope)
}

fn load(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let Some(ty) = words.ty() else { return Ok(None) };
    words.ignore(|word| is_hint(word) || is_vector(word) || word == "mmio");
    let (sem, scope) = strength(words);
    let d = written(l, arg(l, words, 0)?)?;
    Ok(Some(Op::Load(Box::new(Load {
        address: l.address(arg(l, words, 1)?, words.space())?,
        bits: ty.bits().min(64),
        width: l.bits_of(arg(l, words, 0)?),
        signed: matches!(ty, Type::Signed(_)),
        d,
        sem,
        scope,
        constant: words.has("nc") || words.has("proxy::readonly"),
    }))))
}

fn store(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let Some(ty) = words.ty() else { return Ok(None) };
    words.ignore(|word| is_hint(word) || is_vector(word) || word == "mmio");
    let (sem, scope) = strength(words);
    let values = read(l, arg(l, words, 1)?, ty.bits())?;
    Ok(Some(Op::Store(Box::new(Store {
        address: l.address(arg(l, words, 0)?, words.space())?,
        bits: ty.bits().min(64),
        values,
        sem,
        scope,
    }))))
}

fn atom(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let (Some(ty), Some(rmw)) = (words.ty(), words.rmw()) else { return Ok(None) };
    let noftz = words.has("noftz");
    words.ignore(|word| is_hint(word) || is_vector(word));
    let returns = words.first() == "atom";
    let at = usize::from(returns);
    let d = if returns { written(l, arg(l, words, 0)?)? } else { Vec::new() };
    let new = if rmw == Rmw::Cas { read(l, arg(l, words, at + 2)?, ty.bits())? } else { Vec::new() };
    Ok(Some(Op::Atom(Box::new(Atom {
        address: l.address(arg(l, words, at)?, words.space())?,
        ty,
        rmw,
        noftz,
        sem: words.sem().unwrap_or(Sem::Relaxed),
        scope: words.scope().unwrap_or(Scope::Gpu),
        d,
        operands: read(l, arg(l, words, at + 1)?, ty.bits())?,
        new,
    }))))
}

fn st_async(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let Some(ty) = words.ty() else { return Ok(None) };
    words.ignore(|word| {
        is_vector(word) || ["async", "st", "mmio", "mbarrier::complete_tx::bytes"].contains(&word)
    });
    let reduction = if words.has("red") { words.rmw().map(|rmw| (rmw, ty)) } else { None };
    let space = words.space();
    let mbarrier = match words.operands.get(2) {
        Some(operand) => Some(l.address(operand, space)?),
        None => None,
    };
    Ok(Some(Op::StAsync(Box::new(StAsync {
        address: l.address(arg(l, words, 0)?, space)?,
        bits: ty.bits().min(64),
        values: read(l, arg(l, words, 1)?, ty.bits())?,
        mbarrier,
        multimem: words.first() == "multimem",
        reduction,
        sem: words.sem().unwrap_or(Sem::Weak),
        scope: words.scope().unwrap_or(Scope::Sys),
    }))))
}

fn cvta(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let (d, a, space) = (slot(l, words, 0)?, src(l, words, 1)?, words.space());
    Ok(Some(if words.has("to") { Op::FromGeneric(d, a, space) } else { Op::ToGeneric(d, a, space) }))
}

fn call(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Op> {
    let (returns, rest) = match words.operands {
        [Operand::List(returns), rest @ ..] => (returns.as_slice(), rest),
        rest => (&[][..], rest),
    };
    let (target, arguments) = match rest {
        [target, Operand::List(arguments), ..] => (target, arguments.as_slice()),
        [target, ..] => (target, &[][..]),
        [] => return Err(l.error("a call without a function")),
    };
    let (callee, functions) = (l.callee(target)?, l.functions);
    let function = callee.map(|index| &functions[index]);
    if let Some(function) = function
        && (function.params.len(), function.returns.len()) != (arguments.len(), returns.len())
    {
        return Err(l.error(format!(
            "the call passes {} arguments and takes {} results; `{}` has {} and {}",
            arguments.len(),
            returns.len(),
            function.name,
            function.params.len(),
            function.returns.len()
        )));
    }
    let mut to = Vec::new();
    for (i, operand) in returns.iter().enumerate() {
        to.push(match (operand, l.frame_place(operand)?) {
            (_, Some(place)) => {
                Returned::Frame(l.fits(place, function.map(|function| &function.returns[i]))?)
            }
            (Operand::Sink, None) => Returned::Sink,
            _ => Returned::Register(l.slot(operand)?),
        });
    }
    let mut from = Vec::new();
    for (i, operand) in arguments.iter().enumerate() {
        let formal = function.map(|function| &function.params[i]);
        let bits = formal.map_or(64, |formal| 8 * formal.element().min(8) as u32);
        from.push(match l.frame_place(operand)? {
            Some(place) => Argument::Frame(l.fits(place, formal)?),
            None => Argument::Value(l.src_of(operand, bits)?),
        });
    }
    let target = match (callee, function) {
        (Some(index), Some(function)) if function.body.is_some() => Callee::Function(index),
        (_, Some(function)) if function.name == "vprintf" => Callee::Printf,
        (_, Some(function)) if function.name == "__assertfail" => Callee::AssertFail,
        (_, Some(function)) => Callee::Missing(function.name.clone()),
        _ => Callee::Pointer(l.src(target)?),
    };
    Ok(Op::Call(Box::new(Call { target, returns: to, arguments: from })))
}

fn barrier(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    if words.has("warp") {
        words.has("sync");
        let mask = src(l, words, 0)?;
        return Ok(Some(collective(l, Collective::BarWarp, mask, None)));
    }
    // `bar` is `barrier.aligned`.
    let aligned = words.has("aligned") || words.first() == "bar";
    if words.has("cluster") {
        return Ok(Some(if words.has("arrive") {
            Op::ClusterArrive { sem: words.sem().unwrap_or(Sem::Release), aligned }
        } else {
            words.ignore(|word| word == "wait" || word == "acquire");
            Op::ClusterWait { sem: Sem::Acquire, aligned }
        }));
    }
    // `bar.sync` is `bar.cta.sync`, and a predicate has one type.
    words.ignore(|word| ["cta", "sync", "pred", "u32"].contains(&word));
    let reduces = words.has("red");
    let kind = match () {
        () if words.has("arrive") => BarrierKind::Arrive,
        () if !reduces => BarrierKind::Sync,
        () if words.has("popc") => BarrierKind::Popc,
        () if words.has("and") => BarrierKind::And,
        () if words.has("or") => BarrierKind::Or,
        () => return Ok(None),
    };
    let first = usize::from(reduces);
    let d = if reduces { Some(slot(l, words, 0)?) } else { None };
    let count_at = first + 1;
    let has_count = words.operands.len() > if reduces { 3 } else { 1 };
    let count = if has_count { Some(l.src(arg(l, words, count_at)?)?) } else { None };
    let p = if reduces { words.operands.last() } else { None };
    let (p, negated) = match p {
        Some(Operand::Not(name)) => (Some(Src(l.register(name)?)), true),
        Some(operand) => (Some(l.src(operand)?), false),
        None => (None, false),
    };
    let id = l.src(arg(l, words, first)?)?;
    Ok(Some(Op::Barrier(Box::new(Barrier { kind, aligned, id, count, d, p, negated }))))
}

fn mbarrier(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let space = words.space();
    let scope = words.scope().unwrap_or(Scope::Cta);
    // An mbarrier object has one type.
    words.has("b64");
    if words.has("pending_count") {
        words.has("layout::v0");
        return Ok(Some(Op::PendingCount(slot(l, words, 0)?, src(l, words, 1)?)));
    }
    let number = |l: &mut Lower<'_>, i: usize| l.src_of(arg(l, words, i)?, 32);
    let layout = |words: &Words<'_>| match words.has("layout::v1") {
        true => Layout::V1,
        false => {
            words.has("layout::v0");
            Layout::V0
        }
    };
    let multicast = match (words.has("multicast::cluster::32b"), words.operands) {
        (true, [.., mask]) => Some(l.src_of(mask, 32)?),
        _ => None,
    };
    let (at, op) = match words.at(1) {
        "init" => (0, Mbarrier::Init { count: number(l, 1)?, layout: layout(words) }),
        "check_layout" => {
            let d = l.sink(arg(l, words, 0)?)?;
            (1, Mbarrier::CheckLayout { d, layout: layout(words) })
        }
        "inval" => (0, Mbarrier::Inval),
        // They order nothing.
        "expect_tx" | "complete_tx" => {
            words.has("relaxed");
            let bytes = number(l, 1)?;
            let expects = words.at(1) == "expect_tx";
            (0, if expects { Mbarrier::ExpectTx { bytes } } else { Mbarrier::CompleteTx { bytes } })
        }
        "arrive" | "arrive_drop" => {
            // A remote arrival may leave out the sink.
            let at = usize::from(!matches!(arg(l, words, 0)?, Operand::Address(_)));
            let state = if at == 1 { l.sink(arg(l, words, 0)?)? } else { None };
            let arrival = if words.has("expect_tx") {
                Arrival::ExpectTx(number(l, at + 1)?)
            } else if words.has("noComplete") {
                Arrival::NoComplete(number(l, at + 1)?)
            } else if words.operands.len() > at + 1 + usize::from(multicast.is_some()) {
                Arrival::Count(Some(number(l, at + 1)?))
            } else {
                Arrival::Count(None)
            };
            let (sem, drop) = (words.sem().unwrap_or(Sem::Release), words.at(1) == "arrive_drop");
            (at, Mbarrier::Arrive { arrival, drop, sem, scope, state })
        }
        "test_wait" | "try_wait" => {
            let parity = words.has("parity");
            let conditional = words.has("phase_type::conditional");
            let (d, mut report) = match arg(l, words, 0)? {
                Operand::Pair(d, report) => (l.sink(d)?, vec![l.sink(report)?]),
                d => (l.sink(d)?, Vec::new()),
            };
            let has_value = !report.is_empty() && !matches!(arg(l, words, 1)?, Operand::Address(_));
            if has_value {
                report.push(l.sink(arg(l, words, 1)?)?);
            }
            if !words.has("phase_type::primary") && !report.is_empty() {
                return Err(l.error("a report belongs to `.phase_type::primary`"));
            }
            let at = if has_value { 2 } else { 1 };
            let operand = if parity { number(l, at + 1)? } else { l.src(arg(l, words, at + 1)?)? };
            let sem = words.sem().unwrap_or(Sem::Acquire);
            let blocks = words.at(1) == "try_wait";
            (at, Mbarrier::Wait { blocks, parity, operand, d, report, conditional, sem, scope })
        }
        _ => return Ok(None),
    };
    let address = l.address(arg(l, words, at)?, space)?;
    Ok(Some(Op::Mbarrier(address, Box::new(op), multicast)))
}

fn fence(words: &Words<'_>) -> Op {
    let stated = words.sem();
    let sem = stated.unwrap_or(if words.first() == "membar" { Sem::SeqCst } else { Sem::AcqRel });
    let scope = words.scope().unwrap_or(Scope::Gpu);
    // The interpreter orders all memory.
    words.ignore(|word| word.starts_with("sync_restrict::"));
    let is_proxy = words.has("proxy");
    Op::Fence(if words.has("mbarrier_init") {
        Fence::MbarrierInit
    } else if is_proxy && words.has("async") {
        let spaces = words.spaces();
        let all = spaces.is_empty();
        let shared = spaces.iter().any(|space| matches!(space, Space::SharedCta | Space::SharedCluster));
        Fence::Async { global: all || spaces.contains(&Space::Global), shared: all || shared }
    } else if words.has("async::generic") {
        Fence::AsyncRestricted { sem, reads: words.has("sync_restrict::shared::cluster::read") }
    } else if words.has("tensormap::generic") {
        Fence::TensorMap { sem, scope }
    } else if is_proxy && words.has("alias") {
        Fence::Alias { sem: stated }
    } else {
        Fence::Thread { sem, scope }
    })
}

fn copy(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let reduces = words.has("reduce");
    words.ignore(|word| is_hint(word) || word == "async" || word == "mbarrier::complete_tx::bytes");
    if words.starts(&["cp", "async", "mbarrier"]) {
        let address = l.address(arg(l, words, 0)?, words.space())?;
        let noinc = words.has("noinc");
        words.ignore(|word| ["arrive", "b64"].contains(&word));
        return Ok(Some(Op::Mbarrier(address, Box::new(Mbarrier::CpAsyncArrive { noinc }), None)));
    }
    let is_bulk = words.has("bulk");
    if words.has("commit_group") {
        return Ok(Some(Op::Groups(if is_bulk { Groups::BulkCommit } else { Groups::CpAsyncCommit })));
    }
    if words.has("wait_all") {
        return Ok(Some(Op::Groups(Groups::CpAsyncWaitAll)));
    }
    if words.has("wait_group") {
        let pending = l.src(arg(l, words, 0)?)?;
        let read = words.has("read");
        return Ok(Some(Op::Groups(if is_bulk {
            let for_async = words.has("sync_restrict::proxy::async");
            Groups::BulkWait { pending, read, for_async }
        } else {
            Groups::CpAsyncWait(pending)
        })));
    }
    if !is_bulk {
        return cp_async(l, words);
    }
    if words.has("tensor") {
        return tensor(l, words);
    }
    if words.has("prefetch") {
        words.has("L2");
        words.space();
        // The size matters to the cache alone.
        return Ok(Some(Op::Touch(l.address(arg(l, words, 0)?, Space::Global)?, 1)));
    }
    let spaces = words.spaces();
    let [to, from] = spaces[..] else { return Ok(None) };
    let mut more = words.operands.iter().skip(3);
    let ignored = match (words.has("ignore_oob"), more.len()) {
        (true, 2..) => {
            let mut bytes = || l.src_of(more.next().unwrap_or(&Operand::Sink), 32);
            Some((bytes()?, bytes()?))
        }
        _ => None,
    };
    let completion = if words.has("bulk_group") {
        Completion::BulkGroup
    } else {
        // The address of the mbarrier is in the state space of the destination.
        let operand = more.next().ok_or_else(|| l.error("the mbarrier is missing"))?;
        Completion::Mbarrier(l.address(operand, to)?)
    };
    let mut rest = Vec::new();
    for operand in more {
        rest.push(l.src(operand)?);
    }
    let mut rest = rest.into_iter();
    let multicast = multicast_bits(words).and_then(|bits| Some(Multicast { mask: rest.next()?, bits }));
    let _policy = if words.has("L2::cache_hint") { rest.next() } else { None };
    let byte_mask = if words.has("cp_mask") { rest.next() } else { None };
    let reduction = match (reduces, words.rmw(), words.ty()) {
        // By PTX ISA 9.7.9.25.4.2, the "current implementation" flushes subnormal `.f32` values: an H100 and an H200 keep them.
        (true, Some(rmw), Some(ty)) => Some((rmw, ty)),
        (true, ..) => return Ok(None),
        (false, ..) => None,
    };
    words.has("b128");
    let strong = bulk_scope(words, reduces);
    Ok(Some(Op::Bulk(Box::new(Bulk {
        to: l.address(arg(l, words, 0)?, to)?,
        from: l.address(arg(l, words, 1)?, from)?,
        bytes: l.src_of(arg(l, words, 2)?, 32)?,
        completion,
        multicast,
        byte_mask,
        ignored,
        strong,
        multimem: false,
        reduction,
    }))))
}

/// Returns how many bits of the mask of a `.multicast` count.
fn multicast_bits(words: &Words<'_>) -> Option<u32> {
    words.find(|word| match word {
        "multicast::cluster" | "multicast::cluster::16b" => Some(16),
        "multicast::cluster::32b" => Some(32),
        _ => None,
    })
}

/// Returns the scope of the strong accesses of a bulk copy with `.relaxed`, or of a bulk reduction, which is `.relaxed.sys` without it.
fn bulk_scope(words: &Words<'_>, reduces: bool) -> Option<Scope> {
    match words.sem() {
        Some(Sem::Relaxed) => words.scope(),
        _ => reduces.then_some(Scope::Sys),
    }
}

fn cp_async(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    if words.spaces() != [Space::SharedCta, Space::Global] {
        return Ok(None);
    }
    let Operand::Number(bytes) = arg(l, words, 2)? else { return Ok(None) };
    // `.ca` copies 4, 8 or 16 bytes, `.cg` 16 (9.7.9.25.3.1).
    let sizes: &[u32] = if words.has("cg") { &[16] } else { &[4, 8, 16] };
    let Some(&bytes) = sizes.iter().find(|&&size| u64::from(size) == *bytes) else {
        return Err(l.error(format!("`cp-size` is {bytes}: expected one of {sizes:?}")));
    };
    let mut more = words.operands.len();
    if words.has("L2::cache_hint") {
        more -= 1;
    }
    let (mut source_bytes, mut ignore) = (None, None);
    for operand in words.operands.get(3..more).unwrap_or_default() {
        match operand {
            Operand::Not(name) => ignore = Some((Src(l.register(name)?), true)),
            operand if l.is_predicate(operand) => ignore = Some((l.src(operand)?, false)),
            operand => source_bytes = Some(l.src_of(operand, 32)?),
        }
    }
    Ok(Some(Op::CpAsync(Box::new(CpAsync {
        to: l.address(arg(l, words, 0)?, Space::SharedCta)?,
        from: l.address(arg(l, words, 1)?, Space::Global)?,
        bytes,
        source_bytes,
        ignore,
    }))))
}

fn tensor(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    let dims = words.find(|word| word.strip_suffix('d').and_then(|dims| dims.parse::<usize>().ok()));
    let Some(dims) = dims else { return Ok(None) };
    let mode = words.find(|word| {
        Some(match word {
            "tile" => TensorMode::Tile,
            "tile::gather4" => TensorMode::TileGather4,
            "tile::scatter4" => TensorMode::TileScatter4,
            "im2col" => TensorMode::Im2col,
            "im2col::w" => TensorMode::Im2colW,
            "im2col::w::128" => TensorMode::Im2colW128,
            "im2col_no_offs" => TensorMode::Im2colNoOffs,
            "im2col_no_offs::w" => TensorMode::Im2colNoOffsW,
            _ => return None,
        })
    });
    let mode = mode.unwrap_or(TensorMode::Tile);
    let spaces = words.spaces();
    let direction = match spaces.first() {
        _ if words.first() == "applypriority" || words.has("prefetch") => Direction::Prefetch,
        Some(Space::Global) => Direction::ToGlobal,
        _ => Direction::ToShared,
    };
    // The positions of the operand with the map and of the one in shared memory.
    let (map_at, shared_at) = match direction {
        Direction::ToShared => (1, Some(0)),
        Direction::ToGlobal => (0, Some(1)),
        Direction::Prefetch => (0, None),
    };
    let Operand::Address(parts) = arg(l, words, map_at)? else { return Ok(None) };
    let [map, replaced @ .., Operand::Vector(coordinates)] = &parts[..] else { return Ok(None) };
    let map = l.place(map, Space::Generic)?;
    let Some(replaced) = tensor_override(l, words, replaced, dims)? else { return Ok(None) };
    let (least, wanted) = match mode {
        TensorMode::Tile => (1, dims),
        TensorMode::TileGather4 | TensorMode::TileScatter4 => (2, 5),
        _ => (3, dims),
    };
    if !(least..=5).contains(&dims) {
        return Ok(None);
    }
    if coordinates.len() != wanted {
        let what = format!("{} coordinates of a tensor copy that has {wanted}", coordinates.len());
        return Err(l.error(what));
    }
    let coordinates = coordinates.iter().map(|operand| l.src_of(operand, 32)).collect::<Result<_>>()?;
    let shared_space = match direction {
        Direction::ToShared => spaces.first().copied().unwrap_or(Space::SharedCluster),
        _ => Space::SharedCta,
    };
    let shared = match shared_at {
        Some(at) => Some(l.address(arg(l, words, at)?, shared_space)?),
        None => None,
    };
    let mut more = words.operands[map_at.max(shared_at.unwrap_or(0)) + 1..].iter().peekable();
    let completion = match direction {
        Direction::ToShared => match more.next() {
            Some(operand) => Some(Completion::Mbarrier(l.address(operand, shared_space)?)),
            None => return Ok(None),
        },
        Direction::ToGlobal => Some(Completion::BulkGroup),
        Direction::Prefetch => None,
    };
    let offsets: Vec<Src> = match more.peek() {
        Some(Operand::Vector(offsets)) => {
            more.next();
            offsets.iter().map(|operand| l.src_of(operand, 16)).collect::<Result<_>>()?
        }
        _ => Vec::new(),
    };
    let wanted = match mode {
        TensorMode::Im2col => dims - 2,
        TensorMode::Im2colW | TensorMode::Im2colW128 => 2,
        _ => 0,
    };
    if offsets.len() != wanted {
        return Err(l.error(format!("{} offsets of a tensor copy that has {wanted}", offsets.len())));
    }
    let multicast = match more.next() {
        Some(operand) => match multicast_bits(words) {
            Some(bits) => Some(Multicast { mask: l.src(operand)?, bits }),
            None => None,
        },
        None => None,
    };
    let reduction = if words.has("reduce") { words.rmw() } else { None };
    words.ignore(|word| {
        is_hint(word)
            || ["async", "bulk", "bulk_group", "cta_group::1", "L2", "mbarrier::report::disabled"]
                .contains(&word)
    });
    Ok(Some(Op::Tensor(Box::new(Tensor {
        dims,
        mode,
        direction,
        map,
        replaced,
        coordinates,
        offsets,
        shared,
        completion,
        multicast,
        pair: words.has("cta_group::2"),
        reduction,
    }))))
}

/// Returns what stands in the place of fields of the tensor map, from the operands between the map and the coordinates.
fn tensor_override(
    l: &mut Lower<'_>,
    words: &Words<'_>,
    operands: &[Operand],
    dims: usize,
) -> Result<Option<Override>> {
    let mut replaced = Override::default();
    let (has_sizes, has_strides) =
        (words.has("override::global_dim"), words.has("override::global_dim_stride"));
    if !words.has("override::global_address") {
        return Ok((operands.is_empty() && !has_sizes && !has_strides).then_some(replaced));
    }
    let (sizes, lower) = match operands {
        [_] if !has_sizes && !has_strides => (None, None),
        [_, Operand::Vector(sizes)] if has_sizes && dims == 1 => (Some(sizes), None),
        [_, Operand::Vector(sizes), Operand::Vector(lower), upper] if has_strides && dims > 1 => {
            replaced.upper_strides = Some(l.src_of(upper, 16)?);
            (Some(sizes), Some(lower))
        }
        _ => return Ok(None),
    };
    replaced.address = Some(l.src_of(&operands[0], 64)?);
    let mut all = |operands: Option<&Vec<Operand>>, bits, count| -> Result<Vec<Src>> {
        let Some(operands) = operands else { return Ok(Vec::new()) };
        if operands.len() != count {
            let what = format!("{} attributes of a tensor copy that has {count}", operands.len());
            return Err(l.error(what));
        }
        operands.iter().map(|operand| l.src_of(operand, bits)).collect()
    };
    replaced.sizes = all(sizes, 8, dims)?;
    replaced.lower_strides = all(lower, 32, dims - 1)?;
    Ok(Some(replaced))
}

fn collective(l: &mut Lower<'_>, what: Collective, mask: Src, map: Option<(Address, Address)>) -> Op {
    Op::Warp(Box::new(WarpOp { map, ..warp_op(l, what, mask) }))
}

/// Makes an instruction of a warp without operands.
pub fn warp_op(l: &mut Lower<'_>, what: Collective, mask: Src) -> WarpOp {
    let zero = l.constant(0);
    WarpOp {
        what,
        mask,
        d: None,
        p: None,
        a: zero,
        b: zero,
        c: zero,
        negated: false,
        map: None,
        fragments: None,
    }
}

fn warp(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    if !words.has("sync") {
        let opcode = words.first();
        return Err(l.error(format!("`{opcode}` without `.sync`: no GPU since sm_70 has it")));
    }
    let Some(last) = words.operands.last() else { return Ok(None) };
    let mask = l.src(last)?;
    let (d, p) = match arg(l, words, 0)? {
        Operand::Pair(d, p) => (l.sink(d)?, l.sink(p)?),
        d => (l.sink(d)?, None),
    };
    let what = match words.first() {
        "shfl" => {
            let mode = words.find(|word| {
                Some(match word {
                    "up" => ShuffleMode::Up,
                    "down" => ShuffleMode::Down,
                    "bfly" => ShuffleMode::Bfly,
                    "idx" => ShuffleMode::Idx,
                    _ => return None,
                })
            });
            let Some(mode) = mode else { return Ok(None) };
            Collective::Shuffle(mode)
        }
        "vote" => {
            let vote = words.find(|word| {
                Some(match word {
                    "all" => Vote::All,
                    "any" => Vote::Any,
                    "uni" => Vote::Uni,
                    "ballot" => Vote::Ballot,
                    _ => return None,
                })
            });
            let Some(vote) = vote else { return Ok(None) };
            Collective::Vote(vote)
        }
        "match" => {
            let bits = words.ty().map_or(32, Type::bits);
            let all = words.has("all");
            if !all && !words.has("any") {
                return Ok(None);
            }
            Collective::Match { all, bits }
        }
        "redux" => match (words.rmw(), words.ty()) {
            (Some(rmw), Some(ty @ Type::Float(_))) => {
                Collective::Redux(rmw, ty, words.has("abs"), words.has("NaN"))
            }
            (Some(rmw), Some(ty)) => Collective::Redux(rmw, ty, false, false),
            _ => return Ok(None),
        },
        _ => Collective::Elect,
    };
    let zero = l.constant(0);
    let (mut a, mut b, mut c, mut negated) = (zero, zero, zero, false);
    if what != Collective::Elect {
        let bits = words.ty().map_or(32, Type::bits).max(32);
        (a, negated) = match arg(l, words, 1)? {
            Operand::Not(name) => (Src(l.register(name)?), true),
            operand => (l.src_of(operand, bits)?, false),
        };
    }
    if let Collective::Shuffle(_) = what {
        (b, c) = (l.src_of(arg(l, words, 2)?, 32)?, l.src_of(arg(l, words, 3)?, 32)?);
    }
    let (map, fragments) = (None, None);
    Ok(Some(Op::Warp(Box::new(WarpOp { what, mask, d, p, a, b, c, negated, map, fragments }))))
}

fn tensormap(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    if words.has("cp_fenceproxy") {
        words.ignore(|word| {
            ["global", "shared::cta", "tensormap::generic", "release", "sync", "aligned"].contains(&word)
        });
        let to = l.address(arg(l, words, 0)?, Space::Global)?;
        let from = l.address(arg(l, words, 1)?, Space::SharedCta)?;
        let mask = l.constant(u64::from(u32::MAX));
        return Ok(Some(collective(
            l,
            Collective::CopyMap(words.scope().unwrap_or(Scope::Gpu)),
            mask,
            Some((to, from)),
        )));
    }
    words.ignore(|word| ["replace", "tile", "b1024", "b64", "b32"].contains(&word));
    let field = match words.at(3) {
        "global_address" => Field::GlobalAddress,
        "rank" => Field::Rank,
        "box_dim" => Field::BoxDim,
        "global_dim" => Field::GlobalDim,
        "global_stride" => Field::GlobalStride,
        "element_stride" => Field::ElementStride,
        "elemtype" => Field::ElemType,
        "interleave_layout" => Field::InterleaveLayout,
        "swizzle_mode" => Field::SwizzleMode,
        "fill_mode" => Field::FillMode,
        "swizzle_atomicity" => Field::SwizzleAtomicity,
        _ => return Ok(None),
    };
    let (index, value) = match words.operands {
        [_, Operand::Number(index), value] => match u32::try_from(*index) {
            Ok(index) => (index, value),
            Err(_) => return Err(l.error(format!("the field has no element {index}"))),
        },
        [_, value] => (0, value),
        _ => return Ok(None),
    };
    let value = l.src(value)?;
    Ok(Some(Op::TensorMapReplace {
        address: l.address(arg(l, words, 0)?, words.space())?,
        field,
        index,
        value,
    }))
}

fn multimem(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    if words.starts(&["multimem", "st", "async"]) || words.starts(&["multimem", "red", "async"]) {
        return st_async(l, words);
    }
    words.ignore(|word| {
        is_vector(word) || ["noftz", "bulk", "bulk_group", "global", "shared::cta"].contains(&word)
    });
    if words.at(1) == "cp" {
        words.ignore(|word| ["async", "b128"].contains(&word));
        let reduction = match (words.has("reduce"), words.rmw(), words.ty()) {
            // Subnormal values are zero (PTX ISA 9.7.9.27).
            (true, Some(rmw), Some(Type::Float(Format::F32))) => Some((rmw, Type::InMemory(Format::F32))),
            (true, Some(rmw), Some(ty)) => Some((rmw, ty)),
            _ => None,
        };
        let byte_mask = if words.has("cp_mask") { Some(l.src(arg(l, words, 3)?)?) } else { None };
        return Ok(Some(Op::Bulk(Box::new(Bulk {
            to: l.address(arg(l, words, 0)?, Space::Global)?,
            from: l.address(arg(l, words, 1)?, Space::SharedCta)?,
            bytes: l.src_of(arg(l, words, 2)?, 32)?,
            completion: Completion::BulkGroup,
            multicast: None,
            byte_mask,
            ignored: None,
            strong: bulk_scope(words, words.has("reduce")),
            multimem: true,
            reduction,
        }))));
    }
    let what = match words.at(1) {
        "ld_reduce" => Multimem::LdReduce,
        "st" => Multimem::St,
        "red" => Multimem::Red,
        _ => return Ok(None),
    };
    let Some(ty) = words.ty() else { return Ok(None) };
    let at = usize::from(what == Multimem::LdReduce);
    let d = if at == 1 { written(l, arg(l, words, 0)?)? } else { Vec::new() };
    let operands = if at == 0 { read(l, arg(l, words, 1)?, ty.bits())? } else { Vec::new() };
    let address = l.address(arg(l, words, at)?, Space::Global)?;
    let (sem, scope) = (words.sem().unwrap_or(Sem::Weak), words.scope().unwrap_or(Scope::Sys));
    let rmw = words.rmw().unwrap_or(Rmw::Exch);
    let precision = words.find(|word| match word {
        "acc::f16" => Some(Format::F16),
        "acc::f32" => Some(Format::F32),
        _ => None,
    });
    Ok(Some(Op::Multimem(Box::new(MultimemOp {
        what,
        address,
        rmw,
        ty,
        precision,
        sem,
        scope,
        d,
        operands,
    }))))
}

fn launch_control(l: &mut Lower<'_>, words: &Words<'_>) -> Result<Option<Op>> {
    words.ignore(|word| {
        ["async", "mbarrier::complete_tx::bytes", "query_cancel", "b128", "pred", "v4", "b32"].contains(&word)
    });
    if words.has("try_cancel") {
        let space = words.space();
        return Ok(Some(Op::TryCancel {
            response: l.address(arg(l, words, 0)?, space)?,
            mbarrier: l.address(arg(l, words, 1)?, space)?,
            multicast: words.has("multicast::cluster::all"),
        }));
    }
    let response = slot(l, words, 1)?;
    if words.has("is_canceled") {
        return Ok(Some(Op::QueryCanceled(slot(l, words, 0)?, response)));
    }
    words.has("get_first_ctaid");
    let dimension = words.find(|word| {
        let dimension = word.strip_prefix("get_first_ctaid::")?;
        ["x", "y", "z"].iter().position(|d| *d == dimension)
    });
    Ok(Some(Op::QueryCtaid { d: written(l, arg(l, words, 0)?)?, response, dimension }))
}
