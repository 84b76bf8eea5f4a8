//! Each legal form of a plain instruction decodes, and no modifier is ignored.

use std::collections::BTreeSet;

use ptx_conformance::plain_forms::{self, PlainForm};
use ptx_emu::parse;
use ptx_emu::program::Program;
use xtask::cuda::Tools;

/// Returns what an instruction decodes to, as text.
fn decode(instruction: String) -> Result<String, String> {
    let (text, _) = plain_forms::module(&[instruction]);
    let module = parse::parse(&text).map_err(|error| error.to_string())?;
    let program = Program::new(module).map_err(|error| error.to_string())?;
    let code = program.functions[0].code.iter().map(|instruction| (&instruction.guard, &instruction.op));
    Ok(format!("{:?} {:?}", code.collect::<Vec<_>>(), program.constants))
}

#[test]
fn ptxas_takes_each_form() {
    let tools = Tools::find_or_fetch().unwrap();
    let mut refused = Vec::new();
    for chunk in plain_forms::all().chunks(2500) {
        let instructions: Vec<_> = chunk.iter().map(PlainForm::instruction).collect();
        let (text, first) = plain_forms::module(&instructions);
        for error in tools.check_text(&text, "sm_90a").unwrap() {
            let form = error.line.checked_sub(first).and_then(|at| instructions.get(at));
            refused.push(format!("{form:?}: {}", error.message));
        }
    }
    assert!(refused.is_empty(), "{} forms\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn each_form_decodes() {
    let forms = plain_forms::all();
    assert!(forms.len() > 7000, "{} forms", forms.len());
    let refused: Vec<_> =
        forms.iter().filter_map(|form| decode(form.instruction()).err().map(|error| (form, error))).collect();
    assert!(refused.is_empty(), "{} of {} forms: {refused:#?}", refused.len(), forms.len());
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
    let sorted = |opcode: &str| {
        let mut words: Vec<_> = opcode.split('.').map(str::to_owned).collect();
        words[1..].sort();
        words
    };
    let forms = plain_forms::all();
    let legal: BTreeSet<_> = forms.iter().map(|form| sorted(&form.opcode)).collect();
    let mut taken = Vec::new();
    let mut opcodes = BTreeSet::new();
    for form in forms.iter().filter(|form| opcodes.insert(&form.opcode)) {
        let without = decode(form.instruction());
        let (opcode, rest) = form.opcode.split_once('.').unwrap_or((&form.opcode, ""));
        for modifier in MODIFIERS {
            let with = format!("{opcode}.{modifier}.{rest}");
            let with = with.trim_end_matches('.');
            if legal.contains(&sorted(with)) {
                continue;
            }
            let changed = PlainForm { opcode: with.into(), ..form.clone() };
            if decode(changed.instruction()) == without {
                taken.push(changed.instruction());
            }
        }
    }
    assert!(
        taken.is_empty(),
        "{} opcodes decode to the same with one more modifier:\n{}",
        taken.len(),
        taken.join("\n")
    );
}
