//! Holds the PTX of `tests/device/canaries` against where its convergent instructions stand in the source.
//!
//! Counting them is not enough, since unrolling copies a barrier rightly: the control flow is read, and the branches are
//! found that threads take differently.

mod divergence;
mod ptx;
mod rules;
mod self_test;

use std::collections::BTreeSet;

use ptx::Kernel;
use rules::{Place, Site, Violation};
use xtask::cuda::Tools;
use xtask::device::{Arch, Build, LinkerChoice, OptLevel};

const fn site(kernel: &'static str, mark: &'static str, place: Place) -> Site {
    Site { kernel, mark, place }
}

/// Every canary, with its convergent instruction.
const SITES: &[Site] = &[
    site("canary_two_uses", "site:two_uses", Place::Uniform),
    site("canary_flag_set", "site:flag_set", Place::Uniform),
    site("canary_inlined_twice", "site:inlined_twice", Place::Uniform),
    site("canary_raw_two_uses", "barrier.cta.sync.aligned", Place::Uniform),
    site("canary_raw_flag_set", "barrier.cta.sync", Place::Uniform),
    site("canary_both_arms", "site:both_arms", Place::InBothArms),
    site("canary_early_exit_barrier", "site:early_exit_barrier", Place::AfterExit),
    site("canary_early_exit_shuffle", "site:early_exit_shuffle", Place::AfterExit),
    site("canary_unswitched", "site:unswitched", Place::Uniform),
    site("canary_state_machine", "site:state_machine", Place::Uniform),
    site("canary_unrolled", "site:unrolled", Place::Uniform),
    site("canary_divergent_trips", "site:divergent_trips", Place::InDivergentLoop),
    site("canary_divergent_trips_shuffle", "site:divergent_trips_shuffle", Place::InDivergentLoop),
];

/// How the canaries are compiled.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// As a user's crate is.
    Marked,
    /// Without what keeps them right.
    Unmarked,
    /// As asm gotos, without marks: what the stock linker gets.
    Label,
}

/// Compiles the canaries, lets ptxas judge them, and gives what is wrong, canary by canary.
fn violations(form: Form, opt_level: OptLevel) -> Vec<Violation> {
    let mut build = Build { opt_level, ..Build::new("tests/device/canaries", Arch::Sm90a) };
    if !matches!(form, Form::Marked) {
        build.linker = LinkerChoice::PtxLinkNoMarks;
    }
    if matches!(form, Form::Label) {
        build.features.push("label".into());
    }
    let module = build.run().unwrap_or_else(|error| panic!("{error:#}"));
    let tools = Tools::find_or_fetch().unwrap_or_else(|error| panic!("{error:#}"));
    let cubin = module.path.with_extension("cubin");
    tools.assemble(&module.path, Arch::Sm90a, &cubin).unwrap_or_else(|error| panic!("{error:#}"));

    let kernels = Kernel::read_all(&module.text).unwrap_or_else(|error| panic!("{error:#}"));
    let found: BTreeSet<&str> = kernels.iter().map(|kernel| &*kernel.name).collect();
    let listed: BTreeSet<&str> = SITES.iter().map(|site| site.kernel).collect();
    assert_eq!(found, listed, "left: the kernels of the crate, right: those of this test");
    let kernel = |site: &Site| kernels.iter().find(|kernel| kernel.name == site.kernel);
    SITES.iter().filter_map(|site| Some(site.check(kernel(site)?))).flatten().collect()
}

/// The canaries among the violations, in the order of `SITES`.
fn canaries(violations: &[Violation]) -> Vec<&str> {
    let mut names: Vec<&str> = violations.iter().map(|violation| &*violation.kernel).collect();
    names.dedup();
    names
}

#[track_caller]
fn assert_broken(form: Form, opt_level: OptLevel, expected: &[&str]) {
    let violations = violations(form, opt_level);
    let shown: Vec<String> = violations.iter().map(Violation::to_string).collect();
    assert_eq!(canaries(&violations), expected, "{form:?} at opt-level {opt_level}:\n{}", shown.join("\n"));
}

macro_rules! at_each_level {
    ($form:ident: $($name:ident $level:ident $broken:expr;)*) => { $(
        #[test]
        fn $name() {
            assert_broken(Form::$form, OptLevel::$level, $broken);
        }
    )* };
}

at_each_level! {
    Marked:
    marked_at_0 O0 &[];
    marked_at_1 O1 &[];
    marked_at_2 O2 &[];
    marked_at_3 O3 &[];
    marked_at_s Os &[];
    marked_at_z Oz &[];
}

at_each_level! {
    Unmarked:
    unmarked_at_3 O3 &[];
}

at_each_level! {
    Label:
    label_at_0 O0 &[];
    label_at_1 O1 &[];
    label_at_2 O2 &[];
    label_at_3 O3 &[];
    label_at_s Os &[];
    label_at_z Oz &[];
}
