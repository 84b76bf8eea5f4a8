//! The compiler of device code: a nightly of rustup, or Debian's packages.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};

use crate::process::shown;

/// The target of all device code.
pub const DEVICE_TARGET: &str = "nvptx64-nvidia-cuda";

/// The nightly that this version of `ptx` is tested with, and that builds a device crate without a `rust-toolchain.toml`.
pub const NIGHTLY: &str = "nightly-2026-10-15";

/// The components of a toolchain that builds kernels, besides those of rustup's profile `minimal`.
pub const COMPONENTS: [&str; 2] = ["rust-src", "llvm-tools"];

const DEBIAN_LLVM: &str = "/usr/lib/llvm-22/bin";
const DEBIAN_INSTALL: &str = "apt-get install rustc-web cargo-web rust-web-src llvm-22";

/// The source of a toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A toolchain of rustup.
    Rustup,
    /// Debian's `rustc-web`, `cargo-web`, `rust-web-src` and `llvm-22`.
    Debian,
}

/// A compiler with its cargo, the source code of `core`, and LLVM's tools.
#[derive(Clone, Debug)]
pub struct Toolchain {
    kind: Kind,
    name: String,
    sysroot: PathBuf,
    host: String,
    version: String,
}

impl Toolchain {
    /// Returns the toolchain for a device crate: the one that the variable `PTX_TOOLCHAIN` names (a name of rustup, or `debian`),
    /// else the one of the crate's `rust-toolchain.toml`, else [`NIGHTLY`]. Without rustup, Debian's toolchain replaces the
    /// nightly.
    pub fn for_crate(folder: &Path) -> Result<Toolchain> {
        if let Ok(name) = env::var("PTX_TOOLCHAIN") {
            let toolchain = match name.as_str() {
                "debian" => Toolchain::debian(),
                name => Toolchain::of_rustup(name),
            };
            return toolchain.context("PTX_TOOLCHAIN names the toolchain");
        }
        if let Some((channel, file)) = channel_of(folder)? {
            return Toolchain::of_rustup(&channel)
                .with_context(|| format!("{} names the toolchain", file.display()));
        }
        match which::which("rustup") {
            Ok(_) => Toolchain::of_rustup(NIGHTLY),
            Err(_) => Toolchain::debian().or_else(|_| Toolchain::of_rustup(NIGHTLY)),
        }
    }

    /// Returns a toolchain of rustup.
    pub fn of_rustup(channel: &str) -> Result<Toolchain> {
        let sysroot = sysroot_of_rustup(channel)?;
        Toolchain::in_sysroot(Kind::Rustup, channel.into(), sysroot)
    }

    /// Returns Debian's toolchain.
    pub fn debian() -> Result<Toolchain> {
        Toolchain::in_sysroot(Kind::Debian, "debian".into(), PathBuf::from("/usr"))
    }

    /// Returns the toolchain in a sysroot, if no part is missing.
    pub fn in_sysroot(kind: Kind, name: String, sysroot: PathBuf) -> Result<Toolchain> {
        let mut rustc = Command::new(sysroot.join("bin/rustc"));
        let answer = rustc.arg("-vV").output();
        let version = match answer {
            Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
            Ok(output) => {
                bail!("{} failed: {}", shown(&rustc), String::from_utf8_lossy(&output.stderr).trim())
            }
            Err(error) => bail!("cannot run {}: {error}: run `{}`", shown(&rustc), install(kind, &name)),
        };
        let host = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .context("`rustc -vV` prints no host")?
            .to_owned();
        let toolchain = Toolchain { kind, name, sysroot, host, version };
        let lacks = toolchain.lacks();
        if let Some((_, what, file)) = lacks.first() {
            let components: Vec<_> = lacks.iter().map(|(component, ..)| *component).collect();
            bail!(
                "the toolchain {} lacks {what} ({} is missing): run `{}`",
                toolchain.name,
                file.display(),
                match kind {
                    Kind::Rustup => add_components(&toolchain.name, &components),
                    Kind::Debian => DEBIAN_INSTALL.into(),
                }
            );
        }
        Ok(toolchain)
    }

    /// Returns the missing components, each with a description and a missing file.
    fn lacks(&self) -> Vec<(&'static str, &'static str, PathBuf)> {
        let core = self.library().join("core/Cargo.toml");
        let tools = ["llvm-link", "opt", "llc"].map(|tool| self.tools_dir().join(tool));
        let source = Some(core).filter(|file| !file.exists());
        let tool = tools.into_iter().find(|tool| !tool.exists());
        let source = source.map(|file| (COMPONENTS[0], "the source code of core", file));
        source.into_iter().chain(tool.map(|file| (COMPONENTS[1], "LLVM's tools", file))).collect()
    }

    /// Returns the source of the toolchain.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns a name that is valid as a folder name: the channel, or `debian`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the host's target triple.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the output of `rustc -vV`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the output of `rustc --print sysroot`.
    pub fn sysroot(&self) -> &Path {
        &self.sysroot
    }

    /// Returns the folder of `llvm-link`, `opt`, `llc`, `llvm-dis` and so on.
    pub fn tools_dir(&self) -> PathBuf {
        match self.kind {
            Kind::Rustup => self.sysroot.join("lib/rustlib").join(&self.host).join("bin"),
            Kind::Debian => PathBuf::from(DEBIAN_LLVM),
        }
    }

    /// Returns the folder `library` of Rust's source code, which contains `core`.
    pub fn library(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib/src/rust/library")
    }

    /// Returns a command that runs a program of this toolchain, such as `cargo` or `rustc`, and no other compiler.
    pub fn command(&self, program: &str) -> Command {
        let bin = self.sysroot.join("bin");
        let mut command = Command::new(bin.join(program));
        let mut path = OsString::from(&bin);
        if let Some(rest) = env::var_os("PATH") {
            path.push(":");
            path.push(rest);
        }
        command
            .env("PATH", path)
            .env("RUSTC", bin.join("rustc"))
            .env("RUSTDOC", bin.join("rustdoc"))
            .env_remove("CARGO");
        match self.kind {
            Kind::Rustup => command.env("RUSTUP_TOOLCHAIN", &self.name).env_remove("RUSTC_BOOTSTRAP"),
            Kind::Debian => command.env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTUP_TOOLCHAIN"),
        };
        command
    }
}

/// Returns the channel that the toolchain file in a folder names, and the file.
pub fn channel_of(folder: &Path) -> Result<Option<(String, PathBuf)>> {
    // rustup prefers the old name.
    for name in ["rust-toolchain", "rust-toolchain.toml"] {
        let file = folder.join(name);
        if let Ok(text) = fs::read_to_string(&file) {
            let channel = parse_channel(&text).with_context(|| format!("cannot read {}", file.display()))?;
            return Ok(Some((channel, file)));
        }
    }
    Ok(None)
}

fn parse_channel(text: &str) -> Result<String> {
    // The old form is the name alone.
    if let [name] = &text.split_whitespace().collect::<Vec<_>>()[..]
        && !name.contains(['[', '='])
    {
        return Ok((*name).into());
    }
    let table = toml::de::DeTable::parse(text)?;
    let channel = table.get_ref().get("toolchain").and_then(|toolchain| toolchain.get_ref().get("channel"));
    let channel = channel.and_then(|channel| channel.get_ref().as_str());
    Ok(channel.context("no `channel` in `[toolchain]`")?.into())
}

fn sysroot_of_rustup(channel: &str) -> Result<PathBuf> {
    let mut rustup = Command::new("rustup");
    rustup.args(["which", "--toolchain", channel, "rustc"]).env("RUSTUP_AUTO_INSTALL", "0");
    let output = rustup.output().context(
        "cannot run rustup, which manages the toolchain of the kernels: install it from https://rustup.rs",
    )?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "the toolchain {channel} is not installed: run `{}`\n{}",
        install(Kind::Rustup, channel),
        said.trim()
    );
    let rustc = PathBuf::from(String::from_utf8(output.stdout)?.trim());
    let sysroot = rustc.ancestors().nth(2).context("the rustc that rustup names is not in a toolchain")?;
    Ok(sysroot.to_path_buf())
}

/// Returns the command that installs a toolchain with all that a device build needs.
fn install(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Rustup => {
            format!("rustup toolchain install {name} --profile minimal --component {}", COMPONENTS.join(","))
        }
        Kind::Debian => DEBIAN_INSTALL.into(),
    }
}

fn add_components(toolchain: &str, components: &[&str]) -> String {
    format!("rustup component add --toolchain {toolchain} {}", components.join(" "))
}

/// Removes from a command the variables that a caller has set for its own cargo: flags, profiles, wrappers, folders, and the
/// variables of a build script. Such variables would change the result, cause a second build, or make the build wait for the
/// caller's own lock. The variables that the command itself sets stay, and so do those by which cargo reaches its registries.
pub fn without_callers_settings(command: &mut Command) -> &mut Command {
    let own: Vec<_> = command.get_envs().map(|(name, _)| name.to_owned()).collect();
    let foreign: Vec<_> = env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| is_setting(&name.to_string_lossy()) && !own.contains(name))
        .collect();
    foreign.iter().for_each(|name| _ = command.env_remove(name));
    command
}

/// Returns true for a variable that sets something for cargo, rustc or a build script.
fn is_setting(name: &str) -> bool {
    const KEPT: [&str; 8] = [
        "CARGO_HOME",
        "CARGO_MAKEFLAGS", // cargo's job server
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_REGISTRY_",
        "CARGO_REGISTRIES_",
        "CARGO_SOURCE_",
        "RUSTUP_HOME",
    ];
    const NAMES: [&str; 8] =
        ["TARGET", "HOST", "OUT_DIR", "NUM_JOBS", "OPT_LEVEL", "PROFILE", "DEBUG", "RUSTUP_TOOLCHAIN"];
    const PREFIXES: [&str; 5] = ["CARGO", "RUSTC", "RUSTDOC", "RUSTFLAGS", "DEP_"];
    NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            && !KEPT.iter().any(|kept| name == *kept || kept.ends_with('_') && name.starts_with(kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    use crate::files;

    #[test]
    fn the_channel_of_a_crate_is_read_in_both_forms() {
        let text =
            "# why\n[toolchain]\nchannel = \"nightly-2026-01-02\"\ncomponents = [\n  \"rust-src\",\n]\n";
        assert_eq!(parse_channel(text).unwrap(), "nightly-2026-01-02");
        assert_eq!(parse_channel("nightly\n").unwrap(), "nightly");
        assert!(parse_channel("[toolchain]\npath = \"/a\"\n").is_err());
        assert!(parse_channel("[toolchain]\nchannel = 1\n").is_err());
        let folder = TempDir::new().unwrap();
        assert_eq!(channel_of(folder.path()).unwrap(), None);
        fs::write(folder.path().join("rust-toolchain.toml"), text).unwrap();
        let (channel, file) = channel_of(folder.path()).unwrap().unwrap();
        assert_eq!(
            (channel.as_str(), file),
            ("nightly-2026-01-02", folder.path().join("rust-toolchain.toml"))
        );
    }

    /// Makes a sysroot with a compiler, and with `files`.
    fn sysroot(files: &[&str]) -> TempDir {
        let sysroot = TempDir::new().unwrap();
        let rustc = "#!/bin/sh\necho 'rustc 1.101.0-nightly'\necho 'host: here'\n";
        files::write_executable(&sysroot.path().join("bin/rustc"), rustc).unwrap();
        for file in files {
            files::write(&sysroot.path().join("lib/rustlib").join(file), "").unwrap();
        }
        sysroot
    }

    #[track_caller]
    fn refusal(files: &[&str]) -> String {
        let sysroot = sysroot(files);
        let toolchain = Toolchain::in_sysroot(Kind::Rustup, "nightly-x".into(), sysroot.path().into());
        toolchain.unwrap_err().to_string()
    }

    #[test]
    fn a_missing_component_is_named_with_the_command_that_adds_it() {
        let source = "src/rust/library/core/Cargo.toml";
        let tools = ["here/bin/llvm-link", "here/bin/opt", "here/bin/llc"];
        let whole = sysroot(&[&[source], &tools[..]].concat());
        let toolchain = Toolchain::in_sysroot(Kind::Rustup, "nightly-x".into(), whole.path().into()).unwrap();
        assert_eq!(toolchain.host(), "here");

        let error = refusal(&tools);
        assert!(error.contains("the source code of core") && error.contains(source), "{error}");
        assert!(error.ends_with("run `rustup component add --toolchain nightly-x rust-src`"), "{error}");
        let error = refusal(&[source, tools[0], tools[1]]);
        assert!(error.contains("bin/llc is missing"), "{error}");
        assert!(error.ends_with("run `rustup component add --toolchain nightly-x llvm-tools`"), "{error}");
        let error = refusal(&[]);
        assert!(error.ends_with("add --toolchain nightly-x rust-src llvm-tools`"), "{error}");
    }

    #[test]
    fn a_missing_toolchain_is_named_with_the_command_that_installs_it() {
        let nowhere = PathBuf::from("/nowhere");
        let error = Toolchain::in_sysroot(Kind::Rustup, "nightly-x".into(), nowhere).unwrap_err().to_string();
        assert!(
            error.ends_with(
                "run `rustup toolchain install nightly-x --profile minimal --component rust-src,llvm-tools`"
            ),
            "{error}"
        );
    }

    #[test]
    fn callers_settings_are_known() {
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTC_BOOTSTRAP",
            "CARGO",
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "CARGO_PROFILE_RELEASE_OPT_LEVEL",
            "CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER",
            "CARGO_UNSTABLE_BUILD_STD",
            "CARGO_FEATURE_SM_90",
            "CARGO_TERM_VERBOSE",
            "RUSTUP_TOOLCHAIN",
            "OUT_DIR",
            "DEP_CUDA_ROOT",
        ] {
            assert!(is_setting(name), "{name}");
        }
        for name in
            ["CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_REGISTRIES_A_TOKEN", "RUSTUP_HOME", "PATH", "HOME"]
        {
            assert!(!is_setting(name), "{name}");
        }
    }

    #[test]
    fn a_commands_own_settings_stay() {
        let mut command = Command::new("cargo");
        command.env("CARGO_TARGET_DIR", "own");
        without_callers_settings(&mut command);
        // cargo sets these for every test.
        let value = |name: &str| command.get_envs().find(|(key, _)| *key == name).map(|(_, value)| value);
        assert_eq!(value("CARGO_MANIFEST_DIR"), Some(None));
        assert_eq!(value("CARGO_TARGET_DIR"), Some(Some("own".as_ref())));
    }
}
