//! Known departures of silicon and ptxas from the ISA, on an H200 with driver 580 and ptxas 13.5.

use crate::case::{Case, Run};
use crate::families::HALVES;

/// Returns why a run may differ from the ISA, if a reason is known.
pub fn departure(case: &Case<'_>, run: &Run) -> Option<&'static str> {
    if run.fault.is_some() {
        return run.fault;
    }
    let form = case.form;
    // If the halves of a warp meet the barrier at two places, ptxas generates one block of code for each and enters it by
    // `WARPSYNC.COLLECTIVE`: hardware runs one of the blocks for the whole warp. Each block ends in `B2R.RESULT` of a register
    // of its own, so one half finds no result in its register. The result is wrong if the registers differ, as in the first of
    // six barriers of the case: `B2R.RESULT R7` and `B2R.RESULT R9`. By 9.7.13.1, `d` is the number of threads whose predicate
    // is true, and without `.aligned` the halves may be at different places.
    if form.row == "barrier_cta_red_popc" && case.variant == HALVES {
        return Some(
            "ptxas 13.5: barrier.cta.red.popc at two places of a warp returns its result in the register of one of them",
        );
    }
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
