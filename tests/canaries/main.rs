//! Compares the convergent instructions in the PTX of `tests/device/canaries` with their places in the source.
//!
//! Counting the instructions is not enough, since unrolling may copy a barrier. So the test reads the control flow and finds the
//! branches that threads take differently.

mod divergence;
mod ptx;
mod rules;
mod self_test;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Result, bail, ensure};
use ptx::Kernel;
use rules::{Place, Site, Violation};
use xtask::cuda::Tools;
use xtask::device::{self, Arch, Build, LinkerChoice, Module, OptLevel};
use xtask::toolchain::{Kind, Toolchain};
use xtask::{family, files};

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
    site("canary_function_table", "(retval0)", Place::Uniform),
    site("canary_object_table", "(retval0)", Place::Uniform),
    site("canary_closure_table", "(retval0)", Place::Uniform),
];

/// The form in which the canaries are compiled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Compiled like a user's crate.
    Marked,
    /// Without the convergence marks.
    Unmarked,
    /// With asm gotos, without marks: the input of the stock linker.
    Label,
    /// Like `Label`, but LLVM does not run the pass that copies asm gotos.
    LabelWithoutDfa,
}

const CRATE: &str = "tests/device/canaries";

/// The folder of the canaries with the barriers in place of `ptx`.
static WITH_BARRIERS: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
    let folder = xtask::root().join("target/canaries/with-barriers");
    let written = family::write_device_crate(&folder, CRATE.as_ref(), "barrier");
    written.map(|()| folder).map_err(|error| format!("{error:#}"))
});

fn build(form: Form, opt_level: OptLevel) -> Result<Module> {
    // Other tests compile `ptx` at these levels too. At the other levels, and with the feature `label`, `ptx` would be compiled
    // for the canaries alone.
    let has_ptx = matches!(form, Form::Marked | Form::Unmarked)
        && matches!(opt_level, OptLevel::O0 | OptLevel::O2 | OptLevel::O3);
    let folder = match &*WITH_BARRIERS {
        _ if has_ptx => Path::new(CRATE),
        Ok(folder) => folder,
        Err(error) => bail!("{error}"),
    };
    let mut build = Build { opt_level, ..Build::new(folder, Arch::Sm90a) };
    build.linker = match form {
        Form::Marked => LinkerChoice::PtxLink,
        Form::Unmarked | Form::Label => LinkerChoice::PtxLinkNoMarks,
        Form::LabelWithoutDfa => LinkerChoice::Custom(linker_without_dfa()?),
    };
    if matches!(form, Form::Label | Form::LabelWithoutDfa) {
        build.features.push("label".into());
    }
    build.run()
}

/// Returns a `ptx-link --no-marks` with an `opt` that threads no jumps through state machines.
fn linker_without_dfa() -> Result<PathBuf> {
    let toolchain = Toolchain::active()?;
    let folder = xtask::root().join("target/canaries").join(toolchain.name());
    let _lock = files::lock(&folder.with_extension("lock"))?;
    let script = |name: &str, command: String| {
        files::write_executable(&folder.join(name), format!("#!/bin/sh\nexec {command} \"$@\"\n"))
    };
    for tool in ["llvm-link", "llc"] {
        script(tool, format!("'{}'", toolchain.tools_dir().join(tool).display()))?;
    }
    let opt = toolchain.tools_dir().join("opt");
    script("opt", format!("'{}' -enable-dfa-jump-thread=false", opt.display()))?;
    let linker = device::ptx_link(&toolchain)?;
    script(
        "ptx-link",
        format!("env PTX_LINK_LLVM='{}' '{}' --no-marks", folder.display(), linker.display()),
    )?;
    Ok(folder.join("ptx-link"))
}

/// Returns the kernels of the module. Fails unless they are exactly those of the table.
fn kernels(module: &Module) -> Result<Vec<Kernel>> {
    let kernels = Kernel::read_all(&module.text)?;
    let found: BTreeSet<&str> = kernels.iter().map(|kernel| &*kernel.name).collect();
    let listed: BTreeSet<&str> = SITES.iter().map(|site| site.kernel).collect();
    ensure!(found == listed, "the crate has the kernels {found:?}, but this test lists {listed:?}");
    Ok(kernels)
}

/// Returns the violations in the canaries, each with its message.
fn violations(module: &Module) -> Result<Vec<Violation>> {
    let kernels = kernels(module)?;
    let kernel = |site: &Site| kernels.iter().find(|kernel| kernel.name == site.kernel);
    Ok(SITES.iter().filter_map(|site| Some(site.check(kernel(site)?))).flatten().collect())
}

/// Compiles the canaries, assembles them with ptxas, and compares the names of the wrong ones, in the order of `SITES`.
fn expect_broken(form: Form, opt_level: OptLevel, expected: &[&str]) -> Result<()> {
    let module = build(form, opt_level)?;
    Tools::find_or_fetch()?.assemble(&module.path, Arch::Sm90a, &module.path.with_extension("cubin"))?;
    let violations = violations(&module)?;
    let mut broken: Vec<&str> = violations.iter().map(|violation| &*violation.kernel).collect();
    broken.dedup();
    let shown: Vec<String> = violations.iter().map(|violation| format!("  {violation}\n")).collect();
    ensure!(
        is_as_expected(&broken, expected)?,
        "{form:?} at opt-level {opt_level}: {broken:?} are wrong, expected {expected:?}, in {}\n{}",
        module.path.display(),
        shown.concat()
    );
    // The linker makes a comparison of its own, which says the same of plain asm.
    if matches!(form, Form::Marked | Form::Unmarked) {
        let said = module.warnings.lines().filter(|line| line.contains("LLVM has "));
        let said: BTreeSet<_> = said.filter_map(|line| line.rsplit('`').nth(1)).collect();
        let broken: BTreeSet<_> = broken.into_iter().collect();
        ensure!(
            said == broken,
            "{form:?} at opt-level {opt_level}: {broken:?} are wrong, and the linker says {said:?}"
        );
    }
    Ok(())
}

/// Returns true if the broken canaries are as expected. The expectation is for the pinned toolchain. An older LLVM breaks fewer
/// canaries, but always these two.
fn is_as_expected(broken: &[&str], expected: &[&str]) -> Result<bool> {
    if Toolchain::active()?.kind() == Kind::Rustup {
        return Ok(broken == expected);
    }
    let always = ["canary_two_uses", "canary_both_arms"];
    let must_break = |canary: &&str| always.contains(canary);
    let all_of_those =
        expected.iter().filter(|canary| must_break(canary)).all(|canary| broken.contains(canary));
    Ok(all_of_those && broken.iter().all(|canary| expected.contains(canary)))
}

macro_rules! broken {
    ($($name:ident: $form:ident $level:ident $expected:expr;)*) => { $(
        #[test]
        fn $name() {
            expect_broken(Form::$form, OptLevel::$level, $expected).unwrap_or_else(|error| panic!("{error:#}"));
        }
    )* };
}

broken! {
    marked_at_0: Marked O0 &[];
    marked_at_1: Marked O1 &[];
    marked_at_2: Marked O2 &[];
    marked_at_3: Marked O3 &[];
    marked_at_s: Marked Os &[];
    marked_at_z: Marked Oz &[];

    unmarked_at_3: Unmarked O3 &[
        "canary_two_uses",
        "canary_flag_set",
        "canary_inlined_twice",
        "canary_raw_two_uses",
        "canary_raw_flag_set",
        "canary_both_arms",
        "canary_early_exit_barrier",
        "canary_early_exit_shuffle",
        "canary_unswitched",
        "canary_state_machine",
        "canary_divergent_trips",
        "canary_divergent_trips_shuffle",
    ];

    label_at_0: Label O0 &[];
    label_at_1: Label O1 &[];
    label_at_2: Label O2 &["canary_state_machine"];
    label_at_3: Label O3 &["canary_state_machine"];
    label_at_s: Label Os &[];
    label_at_z: Label Oz &[];
    label_without_dfa_at_2: LabelWithoutDfa O2 &[];
    label_without_dfa_at_3: LabelWithoutDfa O3 &[];
}
