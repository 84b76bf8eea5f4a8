//! Each legal form of a plain instruction decodes or is one that the ISA does not have, and no modifier is ignored.

use std::collections::BTreeSet;

use ptx_conformance::fuzz::forms::{self, Form, PARTS, SAMPLE_REGISTERS};
use ptx_emu::Device;
use rayon::prelude::*;
use xtask::cuda::Tools;

/// Statements that kernels of the fuzzer cannot have, and operands that the samples of the table do not have.
const OTHERS: [&str; 34] = [
    "mov.b16 %h1, {%c1, %c2}",
    "mov.b16 {%c1, %c2}, %h1",
    "mov.b32 {%h1, _}, %r1",
    "mov.b32 %r1, {%c1, %c2, %c3, %c1}",
    "mov.b32 {%c1, %c2, %c3, %c1}, %r1",
    "mov.b64 {_, %r1}, %d1",
    "mov.b128 %q1, {%r1, %r2, %r3, %r1}",
    "cvta.param.u64 %d1, %d2",
    "cvta.param::entry.u64 %d1, %d2",
    "cvta.to.param.u64 %d1, %d2",
    "cvta.to.param::entry.u64 %d1, %d2",
    "setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3",
    "set.eq.xor.f32.s32 %r1, %r2, %r3, !%p1",
    "lop3.or.b32 _|%p1, %r1, %r2, %r3, 0x01, !%p2",
    "vote.sync.all.pred %p1, !%p2, %r1",
    "shfl.sync.up.b32 %r1|%p1, %r2, 1, 31, 0xffffffff",
    "activemask.b32 %r1",
    "vadd.s32.u32.s32.sat.max %r1, %r2.b1, %r3.h1, %r1",
    "vsub.u32.s32.u32 %r1.b2, %r2.h0, %r3.b3, %r1",
    "vshl.u32.u32.u32.clamp %r1.h0, %r2.h1, %r3.b0, %r1",
    "vmad.s32.s32.s32 %r1, %r2, %r3.h0, -%r1",
    "vmad.s32.s32.s32.shr7 %r1, -%r2, %r3.b1, %r1",
    "vset.u32.s32.lt %r1.b3, %r2.h1, %r3, %r1",
    "vadd2.s32.s32.s32 %r1, %r2, %r3, %r1",
    "vavrg2.s32.u32.s32.sat %r1.h1, %r2.h01, %r3.h12, %r1",
    "vmin4.u32.u32.u32 %r1, %r2, %r3, %r1",
    "vabsdiff4.u32.s32.u32.add %r1.b20, %r2.b0123, %r3.b7531, %r1",
    "vset2.u32.u32.eq.add %r1.h0, %r2.h10, %r3.h32, %r1",
    "vset4.s32.s32.ge %r1.b310, %r2, %r3, %r1",
    "nanosleep.u32 20",
    "pmevent.mask 0x83",
    "brkpt",
    "trap",
    "exit",
];

/// The part of the table with the version and the target of [`OTHERS`].
const NEWEST: usize = 1;

/// Returns a module with one statement on each line of its kernel, and the number of the first such line.
fn module(part: usize, statements: &[&str]) -> (String, usize) {
    let (version, target) = PARTS[part];
    let head = format!(
        ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ {SAMPLE_REGISTERS}\n"
    );
    let first = head.lines().count() + 1;
    (format!("{head}{};\nret; }}\n", statements.join(";\n")), first)
}

/// Returns what a statement decodes to, as text.
fn decode(part: usize, statement: &str) -> Result<String, String> {
    let (text, _) = module(part, &[statement]);
    let module = Device::new().load(&text).map_err(|error| error.to_string())?;
    Ok(module.decoded("k").unwrap())
}

/// Returns true if the ISA does not have the form, and ptxas takes it and computes another.
fn is_not_in_isa(form: &Form) -> bool {
    let is_rounded_otherwise = ["rz", "rm", "rp"].into_iter().any(|word| form.has(word));
    match form.head() {
        "fma" => is_rounded_otherwise && (form.has("bf16") || form.has("bf16x2")) && !form.has("f32"),
        "madc" => form.has("hi") && (form.has("u16") || form.has("s16")),
        _ => false,
    }
}

/// `tests/fuzz.rs` has ptxas judge the forms of the table.
#[test]
fn ptxas_takes_the_other_statements() {
    let (text, first) = module(NEWEST, &OTHERS);
    let errors = Tools::find_or_fetch().unwrap().check_text(&text, PARTS[NEWEST].1).unwrap();
    let refused: Vec<_> = errors
        .iter()
        .map(|error| (error.line.checked_sub(first).map(|at| OTHERS[at]), &error.message))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn each_form_of_the_isa_decodes() {
    let forms = forms::all();
    assert!(forms.len() > 12_000, "{} forms", forms.len());
    let wrong = forms.par_iter().filter_map(|form| {
        let statement = form.sample();
        match (decode(form.part, &statement), is_not_in_isa(form)) {
            (Ok(_), false) => None,
            (Ok(_), true) => Some(format!("{statement} decodes, and the ISA does not have it")),
            (Err(error), true) if error.contains("is no instruction of the ISA") => None,
            (Err(error), _) => Some(format!("{statement} {error}")),
        }
    });
    let others = OTHERS
        .par_iter()
        .filter_map(|statement| decode(NEWEST, statement).err().map(|error| format!("{statement} {error}")));
    let wrong: Vec<_> = wrong.chain(others).collect();
    assert!(wrong.is_empty(), "{} of {} forms: {wrong:#?}", wrong.len(), forms.len());
}

/// A modifier that the forms of an opcode do not have refuses the module, or changes what it does.
#[test]
fn no_modifier_is_ignored() {
    const MODIFIERS: [&str; 18] = [
        "sat",
        "ftz",
        "relu",
        "NaN",
        "hi",
        "lo",
        "wide",
        "wrap",
        "clamp",
        "cc",
        "rn",
        "rz",
        "approx",
        "full",
        "satfinite",
        "shiftamt",
        "oob",
        "sync",
    ];
    let split = |statement| str::split_once(statement, ' ').unwrap_or((statement, ""));
    let sorted = |opcode: &str| {
        let mut words: Vec<_> = opcode.split('.').map(str::to_owned).collect();
        words[1..].sort();
        words
    };
    let forms = forms::all();
    let table = forms.iter().filter(|form| !is_not_in_isa(form)).map(|form| (form.part, form.sample()));
    let statements: Vec<_> = table.chain(OTHERS.map(|other| (NEWEST, other.to_owned()))).collect();
    let legal: BTreeSet<_> = statements.iter().map(|(_, statement)| sorted(split(statement).0)).collect();
    let taken: Vec<_> = statements
        .par_iter()
        .flat_map_iter(|(part, statement)| {
            let without = decode(*part, statement);
            let (opcode, operands) = split(statement);
            let (head, rest) = opcode.split_once('.').unwrap_or((opcode, ""));
            let with = |modifier| format!("{head}.{modifier}.{rest}").trim_end_matches('.').to_owned();
            let changed: Vec<_> = MODIFIERS
                .into_iter()
                .map(with)
                .filter(|opcode| !legal.contains(&sorted(opcode)))
                .map(|opcode| format!("{opcode} {operands}"))
                .filter(|changed| decode(*part, changed) == without)
                .collect();
            changed
        })
        .collect();
    assert!(
        taken.is_empty(),
        "{} statements decode to the same with one more modifier:\n{}",
        taken.len(),
        taken.join("\n")
    );
}
