//! The compiler in use: the pinned nightly, or Debian's packages if rustup cannot install the nightly.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::root;

/// The target of all device code.
pub const DEVICE_TARGET: &str = "nvptx64-nvidia-cuda";

const DEBIAN_LLVM: &str = "/usr/lib/llvm-22/bin";

/// One of the two supported toolchains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The nightly of `rust-toolchain.toml`, installed by rustup.
    Pinned,
    /// Debian's `rustc-web`, `cargo-web`, `rust-web-src` and `llvm-22`.
    Debian,
}

/// The content of `rust-toolchain.toml`.
#[derive(Debug, Deserialize, PartialEq)]
pub struct Pin {
    /// rustup's name of the toolchain.
    pub channel: String,
    /// The installed profile.
    pub profile: String,
    /// Components besides the profile's.
    pub components: Vec<String>,
}

impl Pin {
    /// Reads `rust-toolchain.toml` of the repository.
    pub fn read() -> Result<Pin> {
        let path = root().join("rust-toolchain.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Pin::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    fn parse(text: &str) -> Result<Pin> {
        #[derive(Deserialize)]
        struct File {
            toolchain: Pin,
        }
        Ok(toml::from_str::<File>(text)?.toolchain)
    }
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
    /// Returns the toolchain that runs this process: that of the variable `RUSTC`, else of the `rustc` on `PATH`.
    pub fn active() -> Result<Toolchain> {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
        let rustc = Path::new(&rustc);
        let sysroot = PathBuf::from(ask(rustc, &["--print", "sysroot"])?.trim());
        let pin = Pin::read()?;
        if sysroot == Path::new("/usr") {
            return Toolchain::at(Kind::Debian, "debian".into(), sysroot);
        }
        let folder = sysroot.file_name().unwrap_or_default().to_string_lossy();
        ensure!(
            folder.starts_with(&pin.channel),
            "{} is the compiler of `{folder}`, but this repository is built with {}; use ./x, or run \
             with RUSTUP_TOOLCHAIN={}",
            rustc.display(),
            pin.channel,
            pin.channel
        );
        Toolchain::at(Kind::Pinned, pin.channel, sysroot)
    }

    /// Returns the pinned toolchain, even if another one is active.
    pub fn pinned() -> Result<Toolchain> {
        let channel = Pin::read()?.channel;
        let output = Command::new("rustup")
            .args(["which", "--toolchain", &channel, "rustc"])
            .env("RUSTUP_AUTO_INSTALL", "0")
            .output()
            .context(
                "cannot run rustup, which manages the pinned toolchain: install it from https://rustup.rs",
            )?;
        ensure!(
            output.status.success(),
            "the toolchain {channel} is not installed: run `rustup toolchain install` in the repository\n{}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        let rustc = PathBuf::from(String::from_utf8(output.stdout)?.trim());
        let sysroot =
            rustc.ancestors().nth(2).context("the rustc that rustup names is not in a toolchain")?;
        Toolchain::at(Kind::Pinned, channel, sysroot.to_path_buf())
    }

    /// Returns Debian's toolchain, even if another one is active.
    pub fn debian() -> Result<Toolchain> {
        Toolchain::at(Kind::Debian, "debian".into(), PathBuf::from("/usr"))
    }

    fn at(kind: Kind, name: String, sysroot: PathBuf) -> Result<Toolchain> {
        let version = ask(&sysroot.join("bin/rustc"), &["-vV"])?;
        let host = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .context("`rustc -vV` prints no host")?
            .to_owned();
        let toolchain = Toolchain { kind, name, sysroot, host, version };
        toolchain.require(&toolchain.library().join("core/Cargo.toml"), "the source code of core")?;
        for tool in ["llvm-link", "opt", "llc"] {
            toolchain.require(&toolchain.tools_dir().join(tool), "LLVM's tools")?;
        }
        Ok(toolchain)
    }

    fn require(&self, file: &Path, what: &str) -> Result<()> {
        if file.exists() {
            return Ok(());
        }
        let cure = match self.kind {
            Kind::Pinned => format!("rustup component add --toolchain {} rust-src llvm-tools", self.name),
            Kind::Debian => "apt-get install rustc-web cargo-web rust-web-src llvm-22".into(),
        };
        bail!("the toolchain {} lacks {what} ({} is missing): run `{cure}`", self.name, file.display())
    }

    /// Returns which of the two toolchains this is.
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

    /// Returns the folder of `llvm-link`, `opt`, `llc`, `llvm-dis` ….
    pub fn tools_dir(&self) -> PathBuf {
        match self.kind {
            Kind::Pinned => self.sysroot.join("lib/rustlib").join(&self.host).join("bin"),
            Kind::Debian => PathBuf::from(DEBIAN_LLVM),
        }
    }

    /// Returns the folder `library` of Rust's source code, which contains `core`.
    pub fn library(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib/src/rust/library")
    }

    /// Returns the target folder of the workspace. Each toolchain has its own, so a change of toolchain rebuilds nothing.
    pub fn target_dir(&self) -> PathBuf {
        match self.kind {
            Kind::Pinned => root().join("target"),
            Kind::Debian => root().join("target/debian"),
        }
    }

    /// Returns a command that runs `cargo` at the repository root with [`Toolchain::target_dir`].
    pub fn cargo(&self) -> Command {
        let mut cargo = self.command("cargo");
        cargo.current_dir(root()).env("CARGO_TARGET_DIR", self.target_dir());
        cargo
    }

    /// Returns a command that runs `rustc`.
    pub fn rustc(&self) -> Command {
        self.command("rustc")
    }

    fn command(&self, program: &str) -> Command {
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
            Kind::Pinned => command.env("RUSTUP_TOOLCHAIN", &self.name).env_remove("RUSTC_BOOTSTRAP"),
            Kind::Debian => command.env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTUP_TOOLCHAIN"),
        };
        command
    }
}

fn ask(rustc: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(rustc)
        .args(arguments)
        .current_dir(root())
        .output()
        .with_context(|| format!("cannot run {}: use ./x, which installs it", rustc.display()))?;
    ensure!(
        output.status.success(),
        "`{} {}` failed: {}",
        rustc.display(),
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8(output.stdout)?)
}

/// Removes the caller's flags and profiles from a cargo command. They would change the result or build it twice.
pub fn without_callers_flags(cargo: &mut Command) -> &mut Command {
    const PREFIXES: [&str; 4] =
        ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_TARGET_NVPTX64_", "CARGO_UNSTABLE_"];
    const NAMES: [&str; 3] = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER"];
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if NAMES.contains(&&*text) || PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
            cargo.env_remove(name);
        }
    }
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_file_is_read() {
        let pin = Pin::parse(
            "# why\n[toolchain]\nchannel = \"nightly-2026-01-02\"\nprofile = \"minimal\"\n\
             components = [\n  \"rust-src\",\n  \"llvm-tools\",\n]\n",
        );
        let expected = Pin {
            channel: "nightly-2026-01-02".into(),
            profile: "minimal".into(),
            components: vec!["rust-src".into(), "llvm-tools".into()],
        };
        assert_eq!(pin.unwrap(), expected);
        assert!(Pin::parse("[toolchain]\nchannel = 1\n").is_err());
    }

    #[test]
    fn the_repositorys_own_pin_has_what_a_device_build_needs() {
        let pin = Pin::read().unwrap();
        assert!(pin.channel.starts_with("nightly-20"), "{}", pin.channel);
        for component in ["rust-src", "llvm-tools"] {
            assert!(pin.components.iter().any(|listed| listed == component), "{component}");
        }
    }
}
