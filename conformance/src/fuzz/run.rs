//! Runs kernels in the interpreter, and finds the statement that computed a result that differs.

use std::collections::BTreeSet;

use ptx_emu::{Device, Launch, Module, Options, Schedule};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::forms::{self, Form, PARTS, SAMPLE_REGISTERS, VERSIONS};
use super::generate::Table;
use super::kernel::{self, Kernel, Node, Register, Slot, THREADS};
use crate::compare;

/// The number of instructions after which a run is given up.
const LIMIT: u64 = 5_000_000;

/// Returns why the interpreter refuses a form, or `None` if it has the form.
pub fn refusal(form: &Form) -> Option<String> {
    let entry = format!(".entry k() {{\n{SAMPLE_REGISTERS}\n{};\n}}\n", form.sample());
    let (version, target) = PARTS[form.part];
    Device::new().load(&kernel::module(version, target, [entry])).err().map(|error| error.to_string())
}

/// Returns the forms of a PTX version on a target, and the refusals of those that the interpreter lacks. A target behind the first
/// has the forms of the newest version.
pub fn table(version: &str, target: &'static str) -> (Table, Vec<(usize, String)>) {
    let version = if target == PARTS[0].1 { version } else { VERSIONS[1] };
    let last = PARTS.into_iter().position(|part| part == (version, target));
    let has = |form: &Form| Some(form.part) <= last;
    let forms: Vec<Form> = forms::all().into_iter().filter(has).collect();
    let refusals: Vec<Option<String>> = forms.par_iter().map(refusal).collect();
    let known = (0..forms.len()).filter(|i| refusals[*i].is_none()).collect();
    let refused = refusals.into_iter().enumerate().filter_map(|(i, why)| Some((i, why?))).collect();
    (Table { forms, known, target }, refused)
}

/// Runs a kernel under a schedule, and returns the memory after it.
///
/// # Errors
///
/// If the interpreter lacks what the kernel needs, or reports a finding or a fault.
pub fn run(kernel: &Kernel, schedule: u64) -> Result<Vec<u8>, String> {
    run_text(&kernel.module(VERSIONS[1]), &kernel.memory(), schedule)
}

/// Runs the kernel `k` of a text on memory.
///
/// # Errors
///
/// See [`run`].
pub fn run_text(text: &str, memory: &[u8], schedule: u64) -> Result<Vec<u8>, String> {
    let mut device = Device::new();
    let module = device.load(text).map_err(|error| error.to_string())?;
    execute(&mut device, &module, memory, schedule)
}

fn execute(device: &mut Device, module: &Module, memory: &[u8], schedule: u64) -> Result<Vec<u8>, String> {
    let address = device.allocate(memory.len());
    let lost = || String::from("the memory of the kernel is not allocated");
    device.write(address, memory).ok_or_else(lost)?;
    let params = address.to_le_bytes().to_vec();
    let launch = Launch { params, ..Launch::new(1, THREADS as u32) };
    let options = Options { schedule: Schedule::of(schedule), limit: LIMIT, ..Options::default() };
    let report = device.launch(module, "k", &launch, &options).map_err(|error| error.to_string())?;
    if !report.is_clean() {
        let findings = report.findings.iter().map(ToString::to_string);
        let faults = report.fault.iter().map(|fault| format!("fault: {fault}"));
        return Err(findings.chain(faults).collect::<Vec<_>>().join("\n"));
    }
    let mut after = vec![0; memory.len()];
    device.read(address, &mut after).ok_or_else(lost)?;
    Ok(after)
}

/// Returns the difference with the statement that computed the wrong value, if several statements write the register: `run` runs the
/// kernel of [`Kernel::observed`] where the kernel was found to differ.
pub fn blame(
    table: &Table,
    kernel: &Kernel,
    difference: Difference,
    run: impl FnOnce(&Kernel) -> Option<Vec<u8>>,
) -> Difference {
    let observe = || {
        let observed = kernel.observed()?;
        let expected = self::run(&observed, 0).ok()?;
        self::difference(table, &observed, &expected, &run(&observed)?)
    };
    observe().unwrap_or(difference)
}

/// The first result that differs, and the statement that computed it from equal operands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The opcode of the last form of the statement, or what differs if no statement is known.
    pub opcode: String,
    /// The statement, or what differs if none is known.
    pub statement: String,
    /// The first thread that differs.
    pub thread: usize,
    /// The operands in this thread.
    pub operands: Vec<(String, String)>,
    /// The register of the result.
    pub register: String,
    /// The value in the interpreter.
    pub expected: String,
    /// The value on the GPU.
    pub found: String,
    /// The threads that differ.
    pub count: usize,
}

fn shown(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    format!("{:#x}", u128::from_str_radix(&digits, 16).unwrap_or_default())
}

/// Returns the threads in which an output differs.
fn threads(kernel: &Kernel, slot: &Slot, expected: &[u8], found: &[u8]) -> Vec<usize> {
    let differs = |thread: &usize| {
        let (ours, theirs) = (kernel.output(expected, *thread, slot), kernel.output(found, *thread, slot));
        !compare::is_same(slot.compare, ours, theirs)
    };
    (0..THREADS).filter(differs).collect()
}

/// Compares memory with that of the interpreter.
pub fn difference(table: &Table, kernel: &Kernel, expected: &[u8], found: &[u8]) -> Option<Difference> {
    let wrong: Vec<(&Slot, Vec<usize>)> = kernel
        .outputs
        .iter()
        .map(|slot| (slot, threads(kernel, slot, expected, found)))
        .filter(|(_, threads)| !threads.is_empty())
        .collect();
    if wrong.is_empty() {
        let (ours, theirs) = (kernel.rest(expected), kernel.rest(found));
        let at = ours.iter().zip(theirs).position(|(a, b)| a != b)?;
        let mut forms = Vec::new();
        kernel::each(&kernel.nodes, &mut |node, _, _| {
            if let Node::Step(step) = node {
                let changes = |form: &&usize| ["st", "atom", "red"].contains(&table.forms[**form].head());
                forms.extend(step.forms.iter().filter(changes).map(|form| table.forms[*form].opcode.clone()));
            }
        });
        let word = at & !7;
        return Some(Difference {
            opcode: if forms.is_empty() { "memory".into() } else { forms.join("+") },
            statement: String::new(),
            thread: at / kernel::PRIVATE,
            operands: Vec::new(),
            register: format!("byte {} of private and common memory", at),
            expected: shown(&ours[word..word + 8]),
            found: shown(&theirs[word..word + 8]),
            count: 1,
        });
    }
    let registers: BTreeSet<Register> = wrong.iter().map(|(slot, _)| slot.register).collect();
    // The first wrong result of right operands, or else the first wrong result.
    let mut culprit: Option<(&Node, Vec<Register>, Register)> = None;
    let mut exact = false;
    kernel::each(&kernel.nodes, &mut |node, reads, writes| {
        let Some(register) = writes.iter().find(|register| registers.contains(register)) else { return };
        let is_exact = !reads.iter().any(|read| registers.contains(read));
        if culprit.is_none() || is_exact && !exact {
            culprit = Some((node, reads.to_vec(), *register));
            exact = is_exact;
        }
    });
    let (node, reads, register) = culprit?;
    let (slot, threads) = wrong.iter().find(|(slot, _)| slot.register == register)?;
    let thread = threads[0];
    // In a function, the first statement whose result comes back wrong.
    let node = match node {
        Node::Call { body, results, .. } => {
            let is_wrong = |inner: &Register| {
                results.iter().any(|(result, outer)| result == inner && registers.contains(outer))
            };
            let mut first = None;
            kernel::each(body, &mut |node, _, writes| {
                if first.is_none() && writes.iter().any(is_wrong) {
                    first = Some(node);
                }
            });
            first.unwrap_or(node)
        }
        node => node,
    };
    let (opcode, statement) = match node {
        Node::Step(step) => {
            let forms: Vec<&str> = step.forms.iter().map(|form| table.forms[*form].opcode.as_str()).collect();
            let last = step.text.last().cloned().unwrap_or_default();
            let guard = step.guard.map(|guard| kernel::guarded(guard) + " ").unwrap_or_default();
            (if forms.is_empty() { last } else { forms.join("+") }, guard + &step.text.join(" "))
        }
        _ => ("call".into(), String::new()),
    };
    let value = |register: &Register| -> Option<String> {
        if let Some(i) = kernel.inputs.iter().position(|slot| slot.register == *register) {
            return Some(format!("{:#x}", kernel.values[thread][i]));
        }
        let slot = kernel.outputs.iter().find(|slot| slot.register == *register)?;
        Some(shown(kernel.output(expected, thread, slot)))
    };
    let operands =
        reads.iter().filter_map(|register| Some((register.to_string(), value(register)?))).collect();
    Some(Difference {
        opcode,
        statement,
        thread,
        operands,
        register: register.to_string(),
        expected: shown(kernel.output(expected, thread, slot)),
        found: shown(kernel.output(found, thread, slot)),
        count: threads.len(),
    })
}
