//! Known departures of silicon and ptxas from the ISA, on an H200 with the driver 580 and the ptxas 13.5.

use crate::case::{Case, Run};

/// Why a run may differ from the ISA.
pub fn departure(case: &Case<'_>, run: &Run) -> Option<&'static str> {
    if run.fault.is_some() {
        return run.fault;
    }
    let form = case.form;
    let is_atomic = ["atom", "red", "atom_vector", "red_vector"].contains(&form.family.as_str());
    let on_peer = run.name == "the peer's shared memory";
    if !is_atomic || !on_peer {
        return None;
    }
    match form.last() {
        "f16x2" | "bf16x2" => {
            Some("ptxas 13.5: an atomic addition of packed halves in a peer's shared memory adds integers")
        }
        "b64" | "u64" | "s64" if form.one_of(&["and", "or", "xor", "min", "max"]).is_some() => Some(
            "ptxas 13.5: 64-bit and, or, xor, min and max in a peer's shared memory are a load and a store, not atomic",
        ),
        _ => None,
    }
}
