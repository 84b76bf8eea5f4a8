//! Finds local memory: arrays of a thread that LLVM did not keep in registers.

use std::collections::{HashMap, HashSet};

use crate::body::{functions, result, values};
use crate::ir::{self, Callee};
use crate::lines::{Lines, Place};
use crate::program::{Path, Program, name_in_ptx, readable, write_way};

/// Local memory that a kernel uses.
pub struct Local<'a> {
    /// The call path from the kernel to the function with the memory.
    pub way: Path<'a>,
    memory: Memory,
}

/// The local memory of a function.
#[derive(Clone, Debug, PartialEq)]
struct Memory {
    bytes: u64,
    cause: Cause,
    place: Option<Place>,
}

/// The reason why memory is not in registers. Of several reasons, the first variant counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// An index is not constant.
    Index,
    /// Asm takes the address.
    Asm,
    /// A function that is not inlined takes the address.
    Call(String),
    /// The reason is unknown.
    Unknown,
}

/// Returns the local memory of each kernel in optimized IR. `ptx` is the PTX in which `llc` reserves the memory.
///
/// The arguments of `vprintf`, whose interface takes local memory, and the memory on a path to a panic, which is reported as a
/// panic, are left out.
pub fn local_memory<'a>(program: &Program<'a>, ir: &str, ptx: &str) -> Vec<Local<'a>> {
    let reserved = reserved(ptx);
    if reserved.is_empty() {
        return Vec::new();
    }
    let lines = Lines::read(ir);
    let mut memories = HashMap::new();
    for function in functions(ir) {
        let body = Body { lines: function.lines().collect() };
        if let Some(bytes) = reserved.get(&name_in_ptx(function.name))
            && let Some(memory) = body.memory(*bytes, &lines)
        {
            memories.insert(function.name, memory);
        }
    }
    let ways = program.ways_without_panics(|name| memories.contains_key(name));
    ways.into_iter()
        .filter_map(|way| {
            let memory = memories.get(way.end())?.clone();
            Some(Local { way, memory })
        })
        .collect()
}

impl std::fmt::Display for Local<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Memory { bytes, cause, place } = &self.memory;
        write!(f, "`{}` keeps {bytes} bytes of each thread in local memory", self.way.entry())?;
        write_way(f, &self.way, place.as_ref(), &format!("`{}`; ", readable(self.way.end())))?;
        match cause {
            Cause::Index => f.write_str(
                "\n  likely cause: an array whose index is known at run time only: use constant indices, as in the rounds of \
                 `ptx::registers::unroll` and of loops that `opt-level = 3` unrolls; begin with `ptx::registers::zeroed` instead of `[0.0; N]`",
            ),
            Cause::Asm => f.write_str("\n  likely cause: asm takes the address: pass the value in a register"),
            Cause::Call(name) => write!(
                f,
                "\n  likely cause: `{name}` takes the address and is not inlined: mark `{name}` `#[inline(always)]`, or pass \
                 values"
            ),
            Cause::Unknown => f.write_str(
                "\n  likely cause: LLVM kept a value in memory: copy no large values, and look at `4-optimized.ll` of \
                 `-Clink-arg=--save-temps=DIR`",
            ),
        }
    }
}

/// Returns the bytes of local memory of each function that has any.
fn reserved(ptx: &str) -> HashMap<String, u64> {
    let (mut reserved, mut function) = (HashMap::new(), None);
    for line in ptx.lines() {
        if let Some(name) = crate::entry::function(line) {
            function = Some(name);
        }
        if let Some((_, array)) = line.split_once("__local_depot")
            && line.trim_start().starts_with(".local ")
            && let Some((_, bytes)) = array.trim_end_matches("];").split_once('[')
        {
            reserved.extend(function.map(str::to_owned).zip(bytes.parse().ok()));
        }
    }
    reserved
}

struct Body<'a> {
    lines: Vec<&'a str>,
}

/// The uses that a function makes of an alloca.
#[derive(Default)]
struct Uses<'a> {
    causes: Vec<(Cause, &'a str)>,
    /// The allocas into which the address is stored.
    stored_in: Vec<usize>,
    is_printed: bool,
    is_of_panic: bool,
    /// The first instruction that has a line.
    first: Option<&'a str>,
}

impl<'a> Body<'a> {
    fn memory(&self, reserved: u64, lines: &Lines<'_>) -> Option<Memory> {
        let allocas: Vec<_> = self.lines.iter().copied().filter_map(alloca).collect();
        let mut uses = self.uses(&allocas);
        // The arguments of `vprintf` may hold the address of text, so the text counts as printed too.
        for _ in 0..2 {
            for i in 0..uses.len() {
                uses[i].is_printed |= uses[i].stored_in.iter().any(|&other| uses[other].is_printed);
                uses[i].is_of_panic |= uses[i].stored_in.iter().any(|&other| uses[other].is_of_panic);
            }
        }
        let kept = || allocas.iter().zip(&uses).filter(|(_, uses)| !uses.is_printed && !uses.is_of_panic);
        if !allocas.is_empty() && kept().next().is_none() {
            return None;
        }
        let sizes: Option<u64> = kept().map(|((_, size), _)| *size).sum();
        let causes = kept().flat_map(|(_, uses)| uses.causes.iter()).min_by_key(|(cause, _)| cause);
        let cause = causes.map_or(Cause::Unknown, |(cause, _)| cause.clone());
        // LLVM may merge instructions of several lines into one that has no line.
        let place = causes.and_then(|(_, line)| lines.place(line));
        let place = place.or_else(|| kept().find_map(|(_, uses)| lines.place(uses.first?)));
        let bytes = sizes.filter(|bytes| *bytes > 0).map_or(reserved, |bytes| bytes.min(reserved));
        Some(Memory { bytes, cause, place })
    }

    fn uses(&self, allocas: &[(&'a str, Option<u64>)]) -> Vec<Uses<'a>> {
        // The allocas into which each value that is an address may point.
        let mut roots: HashMap<&str, HashSet<usize>> =
            allocas.iter().enumerate().map(|(i, (name, _))| (*name, HashSet::from([i]))).collect();
        loop {
            let mut grown = false;
            for (result, instruction) in self.lines.iter().filter_map(|line| result(line)) {
                let opcode = instruction.split(' ').next().unwrap_or_default();
                if !matches!(
                    opcode,
                    "getelementptr"
                        | "bitcast"
                        | "addrspacecast"
                        | "phi"
                        | "select"
                        | "ptrtoint"
                        | "inttoptr"
                        | "freeze"
                ) {
                    continue;
                }
                let of_operands: HashSet<usize> =
                    values(instruction).filter_map(|value| roots.get(value)).flatten().copied().collect();
                if !of_operands.is_empty() {
                    let known = roots.entry(result).or_default();
                    let before = known.len();
                    known.extend(of_operands);
                    grown |= known.len() > before;
                }
            }
            if !grown {
                break;
            }
        }
        let mut uses: Vec<Uses<'_>> = allocas.iter().map(|_| Uses::default()).collect();
        for line in self.lines.iter().copied().filter(|line| alloca(line).is_none()) {
            let instruction = result(line).map_or(line.trim_start(), |(_, instruction)| instruction);
            let operands: Vec<_> = values(instruction).collect();
            let call = ir::call(line);
            for root in operands.iter().filter_map(|value| roots.get(value)).flatten() {
                let uses = &mut uses[*root];
                match &call {
                    None if instruction.starts_with("getelementptr ") && operands.len() > 1 => {
                        uses.causes.push((Cause::Index, line));
                    }
                    None if instruction.starts_with("store ") && operands.len() > 1 => {
                        // The last operand is the address, unless the address is constant.
                        let (value, address) = (operands[0], operands[1]);
                        if roots.get(value).is_some_and(|roots| roots.contains(root)) {
                            uses.stored_in.extend(roots.get(address).into_iter().flatten());
                        }
                    }
                    None => {}
                    Some(call) => match call.callee {
                        Callee::Symbol(name) if name.starts_with("llvm.") => {}
                        Callee::Symbol("vprintf") => uses.is_printed = true,
                        Callee::Symbol(name) if readable(name).starts_with("core::panicking::") => {
                            uses.is_of_panic = true
                        }
                        Callee::Symbol(name) => uses.causes.push((Cause::Call(readable(name)), line)),
                        Callee::Pointer => uses.causes.push((Cause::Call("a function pointer".into()), line)),
                        Callee::Asm(_) => uses.causes.push((Cause::Asm, line)),
                    },
                }
                if line.contains(" !dbg ") {
                    uses.first.get_or_insert(line);
                }
            }
        }
        uses
    }
}

/// Returns the name and the size of an alloca.
fn alloca(line: &str) -> Option<(&str, Option<u64>)> {
    let (name, instruction) = result(line)?;
    let ty = instruction.strip_prefix("alloca ")?;
    Some((name, size(ty)))
}

/// Returns the size of the type at the start of a text.
fn size(ty: &str) -> Option<u64> {
    if let Some(inside) = ty.strip_prefix('[').or_else(|| ty.strip_prefix('<')) {
        let (count, element) = inside.split_once(" x ")?;
        return Some(count.parse::<u64>().ok()? * size(element)?);
    }
    let word = ty.split([',', ']', '>', ' ']).next()?;
    match word {
        "half" | "bfloat" => Some(2),
        "float" => Some(4),
        "double" | "ptr" => Some(8),
        _ => Some(word.strip_prefix('i')?.parse::<u64>().ok()?.div_ceil(8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = r#"
define ptx_kernel void @indexes(i64 %index) {
  %table = alloca [64 x i8], align 4
  %slots = alloca [16 x i8], align 8
  %"a b" = alloca i64, align 8
  call void @llvm.memset(ptr %table, i8 0, i64 64, i1 false)
  %1 = getelementptr inbounds nuw i8, ptr %table, i64 8
  %2 = getelementptr inbounds nuw float, ptr %1, i64 %index, !dbg !20
  %3 = load float, ptr %2, align 4, !dbg !20
  %4 = ptrtoint ptr %"a b" to i64
  store i64 %4, ptr %slots, align 8
  %5 = call i32 @vprintf(ptr @format, ptr %slots)
  call void @passes()
  ret void
}
define internal void @passes() {
  %1 = alloca <4 x float>, align 16
  call void @takes(ptr %1)
  ret void
}
define ptx_kernel void @prints() {
  %slots = alloca [8 x i8], align 8
  store i64 7, ptr %slots, align 8
  %1 = call i32 @vprintf(ptr @format, ptr %slots)
  ret void
}
define ptx_kernel void @optimized() {
  %1 = alloca i32, align 4
  ret void
}
declare i32 @vprintf(ptr, ptr)
!5 = !DIFile(filename: "src/lib.rs", directory: "")
!10 = distinct !DISubprogram(name: "indexes", scope: !3, file: !5, line: 20)
!20 = !DILocation(line: 7, column: 3, scope: !10)
"#;

    const PTX: &str = "\
.visible .entry indexes(
	.param .u64 indexes_param_0
)
{
	.local .align 8 .b8 	__local_depot0[88];
}
.func passes()
{
	.local .align 16 .b8 	__local_depot1[16];
}
.visible .entry prints()
{
	.local .align 8 .b8 	__local_depot2[8];
}
.visible .entry optimized()
{
}
";

    #[test]
    fn local_memory_is_reported_with_its_cause() {
        let program = Program::read(IR);
        let found = local_memory(&program, IR, PTX);
        let found: Vec<_> = found.iter().map(|local| (local.way.to_string(), local.memory.clone())).collect();
        let place = Lines::read(IR).place("  ret void, !dbg !20");
        assert_eq!(
            found,
            [
                ("`indexes`".into(), Memory { bytes: 64, cause: Cause::Index, place }),
                (
                    "`indexes` -> `passes`".into(),
                    Memory { bytes: 16, cause: Cause::Call("takes".into()), place: None }
                ),
            ]
        );
    }

    #[test]
    fn sizes_of_types_are_known() {
        for (ty, bytes) in [
            ("[3 x [2 x i32]], align 4", Some(24)),
            ("<4 x half>, align 8", Some(8)),
            ("i1", Some(1)),
            ("%t, align 8", None),
        ] {
            assert_eq!(size(ty), bytes, "{ty}");
        }
    }
}
