//! Random kernels: those that `ptx-link` proves run clean. `cargo run -p ptx-emu --example uniform` makes more of them.

#[path = "support/uniform.rs"]
mod uniform;

use xtask::device::OptLevel;

#[test]
fn proven_kernels_run_clean() {
    let outcome = uniform::check(1, 0..60, OptLevel::O3).unwrap_or_else(|error| panic!("{error:?}"));
    for (kernel, problem) in &outcome.wrong {
        println!("{}\n{problem}", kernel.source);
    }
    assert!(outcome.wrong.is_empty() && outcome.proven > 20 && outcome.refused > 20, "{outcome}");
}
