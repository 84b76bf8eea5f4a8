//! The compiler of this repository: the pinned nightly, or Debian's packages if rustup cannot install the nightly.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
pub use ptx_build::toolchain::{DEVICE_TARGET, Kind, without_callers_settings};
use serde::Deserialize;

use crate::root;

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

/// A toolchain of [`ptx_build`] that builds this repository.
#[derive(Clone, Debug)]
pub struct Toolchain(ptx_build::toolchain::Toolchain);

impl Toolchain {
    /// Returns the toolchain that runs this process: that of the variable `RUSTC`, else of the `rustc` on `PATH`.
    pub fn active() -> Result<Toolchain> {
        // Each build asks for the toolchain, and the answer takes two calls of rustc.
        static ACTIVE: OnceLock<Toolchain> = OnceLock::new();
        if let Some(known) = ACTIVE.get() {
            return Ok(known.clone());
        }
        let found = Toolchain::find_active()?;
        Ok(ACTIVE.get_or_init(|| found).clone())
    }

    fn find_active() -> Result<Toolchain> {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
        let rustc = Path::new(&rustc);
        let output = Command::new(rustc)
            .args(["--print", "sysroot"])
            .current_dir(root())
            .output()
            .with_context(|| format!("cannot run {}: use ./x, which installs it", rustc.display()))?;
        let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        if sysroot == Path::new("/usr") {
            return Toolchain::debian();
        }
        let pin = Pin::read()?;
        let folder = sysroot.file_name().unwrap_or_default().to_string_lossy();
        ensure!(
            folder.starts_with(&pin.channel),
            "{} is the compiler of `{folder}`, but this repository is built with {}; use ./x, or run \
             with RUSTUP_TOOLCHAIN={}",
            rustc.display(),
            pin.channel,
            pin.channel
        );
        Ok(Toolchain(ptx_build::toolchain::Toolchain::in_sysroot(Kind::Rustup, pin.channel, sysroot)?))
    }

    /// Returns the pinned toolchain, even if another one is active.
    pub fn pinned() -> Result<Toolchain> {
        Ok(Toolchain(ptx_build::toolchain::Toolchain::of_rustup(&Pin::read()?.channel)?))
    }

    /// Returns Debian's toolchain, even if another one is active.
    pub fn debian() -> Result<Toolchain> {
        Ok(Toolchain(ptx_build::toolchain::Toolchain::debian()?))
    }

    /// Returns the target folder of the workspace. Each toolchain has its own, so a change of toolchain rebuilds nothing.
    pub fn target_dir(&self) -> PathBuf {
        match self.kind() {
            Kind::Rustup => root().join("target"),
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
}

impl Deref for Toolchain {
    type Target = ptx_build::toolchain::Toolchain;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
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
        assert_eq!(pin.channel, ptx_build::toolchain::NIGHTLY, "correct the one in build/src/toolchain.rs");
        for component in ptx_build::toolchain::COMPONENTS {
            assert!(pin.components.iter().any(|listed| listed == component), "{component}");
        }
    }
}
