//! Sets the cfgs of the gates, and writes their table for `src/raw/macros.rs`. Refuses device builds that would silently give wrong kernels: builds that lose convergence marks,
//! or whose features and target-cpu disagree. `tests/build_script.rs` includes this file.

use std::env;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ptx_targets::{Arch, GATES};

/// MIR passes that ignore convergence, and their effect. Compilers after 1.96 disable JumpThreading for GPUs.
const MIR_PASSES: [(&str, &str); 2] =
    [("JumpThreading", "copies blocks"), ("MatchBranchSimplification", "merges equal arms of a branch")];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The tests set `probe` by flags. The cfg adds a kernel for each instruction, which calls every form of the instruction.
    println!("cargo::rustc-check-cfg=cfg(probe, values(none(), \"gated\", \"convergent\"))");
    for gate in GATES {
        println!("cargo::rustc-check-cfg=cfg({})", gate.name);
        let is_closed = gate.of_tensor_cores() && !is_enabled("tensor");
        if !is_closed && gate.targets.iter().any(|arch| is_enabled(arch.name())) {
            println!("cargo::rustc-cfg={}", gate.name);
        }
    }
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts"));
    let table = out_dir.join("gates.rs");
    if let Err(error) = std::fs::write(&table, gates()) {
        println!("cargo::error=cannot write {}: {error}", table.display());
    }
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok("nvptx64") {
        return;
    }
    rerun_when_configuration_changes();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let device = Device {
        flags: flags.split('\x1f').filter(|flag| !flag.is_empty()).map(str::to_owned).collect(),
        linker: env::var("RUSTC_LINKER").ok(),
        features: features(),
    };
    for fault in device.faults() {
        println!("cargo::error={fault}");
    }
}

/// Returns the call of `gates!` (`src/raw/macros.rs`): a line for each gate.
fn gates() -> String {
    let mut text = "gates! {\n".to_owned();
    for gate in GATES {
        let features: Vec<_> = gate.targets.iter().map(|arch| arch.name()).collect();
        let number = if features.len() == 1 { "feature" } else { "features" };
        let closed = format!("an_instruction_of_the_{number}_{}", features.join("_"));
        let _ = writeln!(text, "    {} {:?} {closed};", gate.name, gate.text());
    }
    // The stand-in for the instructions that the feature has.
    text + "    tensor \"\" an_instruction_of_the_feature_tensor;\n}\n"
}

/// Watches the places that can set the linker: cargo reruns a build script if the flags change, but not if the linker changes.
fn rerun_when_configuration_changes() {
    println!("cargo::rerun-if-env-changed=CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER");
    let out_dir = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).unwrap_or_default();
    let configs =
        out_dir.ancestors().map(|folder| folder.join(".cargo/config.toml")).chain([home.join("config.toml")]);
    for config in configs.filter(|config| config.exists()) {
        println!("cargo::rerun-if-changed={}", config.display());
    }
}

fn is_enabled(feature: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase().replace('-', "_"))).is_some()
}

fn features() -> Vec<String> {
    let known = Arch::ALL.into_iter().map(Arch::name).chain(["stock-linker"]);
    known.filter(|feature| is_enabled(feature)).map(str::to_owned).collect()
}

/// A device build, as a build script sees it.
pub struct Device {
    /// The flags of rustc.
    pub flags: Vec<String>,
    /// The linker that cargo's configuration names.
    pub linker: Option<String>,
    /// The enabled features that name a target or a linker.
    pub features: Vec<String>,
}

impl Device {
    /// Returns the faults, each with its remedy.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        // rustc reads flags from an argument file, which this check does not open.
        if let Some(file) = self.flags.iter().find(|flag| flag.starts_with('@')) {
            faults.push(format!(
                "`{file}` hides rustc flags from this check: write the flags directly into `rustflags`"
            ));
        }
        // These cfgs choose the parts of `ptx`, so only features and rustdoc set them.
        for cfg in
            self.options(&["--cfg"]).filter(|&cfg| cfg == "doc" || GATES.iter().any(|gate| gate.name == cfg))
        {
            faults.push(format!(
                "`--cfg {cfg}` opens parts of `ptx` that this build must not have: remove it from `rustflags`, and enable the \
                 feature of the target"
            ));
        }
        if !self.has_feature("stock-linker") {
            faults.extend(self.mark_faults());
        }
        faults.extend(self.mir_faults());
        faults.extend(self.target_fault());
        faults
    }

    fn mark_faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let linker = self.codegen("linker").or(self.linker.as_deref()).unwrap_or("llvm-bitcode-linker");
        let stem = Path::new(linker).file_stem().and_then(|stem| stem.to_str()).unwrap_or(linker);
        if stem != "ptx-link" {
            faults.push(format!(
                "the linker is `{linker}`, which does not mark convergent instructions: LLVM may then copy a barrier into \
                 divergent branches. Set `linker = \"ptx-link\"` under `[target.nvptx64-nvidia-cuda]` in \
                 `.cargo/config.toml`, or enable the feature `stock-linker` of `ptx`, which leaves only the raw layer"
            ));
        }
        // rustc searches PATH for a bare name. A path must exist.
        let path = Path::new(linker);
        if stem == "ptx-link" && path.components().count() > 1 && !path.exists() {
            faults.push(format!(
                "the linker `{linker}` does not exist: build it with `cargo build -p cargo-ptx` (in the repository of \
                 `ptx`, `./x build` does it), or install it with `cargo install --path cargo-ptx` and name it `ptx-link`"
            ));
        }
        let link_args = self.all_codegen("link-arg").chain(self.all_codegen("link-args"));
        let link_args = link_args.chain(self.values(&["-Z"], "pre-link-arg"));
        let link_args = link_args.chain(self.values(&["-Z"], "pre-link-args"));
        if link_args.flat_map(str::split_whitespace).any(|arg| arg == "--no-marks") {
            faults.push("`--no-marks` disables the convergence marks: remove it from the link-args".into());
        }
        let on = |value: &str| matches!(value, "" | "y" | "yes" | "on" | "true");
        if !self.codegen("no-prepopulate-passes").is_some_and(on) {
            faults.push(
                "`-Cno-prepopulate-passes` is missing: rustc would run LLVM passes before the linker can mark convergent \
                 instructions. Add it to `rustflags` under `[target.nvptx64-nvidia-cuda]` in `.cargo/config.toml`"
                    .into(),
            );
        }
        // Each `-Cpasses` adds passes, so every occurrence counts.
        if let Some(passes) = self.all_codegen("passes").find(|passes| !passes.trim().is_empty()) {
            faults.push(format!(
                "`-Cpasses={passes}` lets rustc run LLVM passes before the linker can mark convergent instructions: remove \
                 it from `rustflags`"
            ));
        }
        faults
    }

    /// Returns the faults of MIR passes, which run before the linker. The linker cannot undo the work of a pass.
    fn mir_faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (pass, what) in MIR_PASSES {
            match self.mir_switch(pass) {
                Some(false) => {}
                Some(true) => faults.push(format!(
                    "`-Zmir-enable-passes=+{pass}` enables the MIR pass {pass} again. The pass {what}, with the convergent \
                     instructions in them. rustc obeys the last switch of a pass: remove `+{pass}` from `rustflags`, and keep \
                     `-Zmir-enable-passes=-JumpThreading,-MatchBranchSimplification`"
                )),
                None => faults.push(format!(
                    "`-Zmir-enable-passes=-JumpThreading,-MatchBranchSimplification` is missing: the MIR pass {pass} {what}, \
                     with the convergent instructions in them. Add it to `rustflags` under \
                     `[target.nvptx64-nvidia-cuda]` in `.cargo/config.toml`"
                )),
            }
        }
        faults
    }

    fn target_fault(&self) -> Option<String> {
        let Some(cpu) = self.codegen("target-cpu") else {
            return Some(
                "no `-Ctarget-cpu`: add `-Ctarget-cpu=sm_90a` (or another) to `rustflags` under \
                 `[target.nvptx64-nvidia-cuda]` in `.cargo/config.toml`"
                    .into(),
            );
        };
        let Ok(arch) = cpu.parse::<Arch>() else {
            return Some(format!(
                "`-Ctarget-cpu={cpu}` is not a target that `ptx` knows: choose one of {}",
                Arch::ALL.map(Arch::name).join(", ")
            ));
        };
        let provided: Vec<_> = arch.provides().into_iter().map(Arch::name).collect();
        let missing: Vec<_> = self
            .features
            .iter()
            .filter(|feature| *feature != "stock-linker" && !provided.contains(&feature.as_str()))
            .map(|feature| format!("`{feature}`"))
            .collect();
        if missing.is_empty() {
            return None;
        }
        Some(format!(
            "`-Ctarget-cpu={cpu}` does not provide the enabled {} {} of `ptx`: it provides {}. Change the \
             target-cpu, or disable the feature",
            if missing.len() == 1 { "feature" } else { "features" },
            missing.join(", "),
            provided.join(", ")
        ))
    }

    fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|feature| feature == name)
    }

    /// Returns true if a MIR pass is enabled (`+`), false if it is disabled (`-`), and `None` without a switch. rustc joins the
    /// lists of all options and obeys a pass's last switch, whatever `-Zmir-opt-level` and the target say.
    fn mir_switch(&self, pass: &str) -> Option<bool> {
        let lists = self.values(&["-Z"], "mir-enable-passes");
        let switches = lists.flat_map(|passes| passes.split(','));
        let of_pass = switches.filter(|switch| switch.get(1..) == Some(pass)).last()?;
        Some(of_pass.starts_with('+'))
    }

    /// Returns the last value of a codegen option; empty if the option has no value.
    fn codegen(&self, name: &str) -> Option<&str> {
        self.all_codegen(name).last()
    }

    fn all_codegen(&self, name: &str) -> impl Iterator<Item = &str> {
        self.values(&["-C", "--codegen"], name)
    }

    /// Returns the values of an option in the order of the flags; empty for an option without a value.
    fn values<'a>(&'a self, switches: &'a [&str], name: &str) -> impl Iterator<Item = &'a str> {
        self.options(switches).filter_map(move |option| {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            // rustc accepts `_` for `-`.
            (key.replace('_', "-") == name).then_some(value)
        })
    }

    /// Returns the options after a switch, written as one argument (`-Cx`, `--codegen=x`) or as two.
    fn options<'a>(&'a self, switches: &'a [&str]) -> impl Iterator<Item = &'a str> {
        self.flags.iter().enumerate().filter_map(move |(i, flag)| {
            let rest = switches.iter().find_map(|switch| flag.strip_prefix(switch))?;
            match rest {
                "" => self.flags.get(i + 1).map(String::as_str),
                _ => Some(rest.strip_prefix('=').unwrap_or(rest)),
            }
        })
    }
}
