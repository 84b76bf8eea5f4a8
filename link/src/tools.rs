//! Finds and runs the LLVM tools `llvm-link`, `opt` and `llc`.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Error;

/// The environment variable that names the directory of the LLVM tools. This directory has priority over every other place.
pub const OVERRIDE: &str = "PTX_LINK_LLVM";

/// One set of LLVM tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    pub link: PathBuf,
    pub opt: PathBuf,
    pub llc: PathBuf,
}

/// Places to search for LLVM tools.
pub struct Places {
    pub chosen: Option<PathBuf>,
    pub path: Vec<PathBuf>,
    pub rustc: PathBuf,
    /// The directory that contains `llvm-22/bin` and the like.
    pub system: PathBuf,
}

impl Places {
    pub fn of_this_process() -> Self {
        Self {
            chosen: env::var_os(OVERRIDE).map(PathBuf::from),
            path: env::var_os("PATH").map_or(Vec::new(), |path| env::split_paths(&path).collect()),
            rustc: env::var_os("RUSTC").unwrap_or("rustc".into()).into(),
            system: "/usr/lib".into(),
        }
    }

    /// Returns the tools of the active toolchain, else the newest tools on the system. Both can read the toolchain's bitcode.
    pub fn find(&self) -> Result<Tools, Error> {
        if let Some(dir) = &self.chosen {
            return Tools::in_dir(dir, "").ok_or_else(|| Error::OverrideWithoutTools(dir.clone()));
        }
        self.of_toolchain().or_else(|| self.of_system()).ok_or_else(|| Error::NoTools {
            llvm: self.llvm_of_rustc().map_or("22".to_owned(), |(major, _)| major.to_string()),
        })
    }

    fn of_toolchain(&self) -> Option<Tools> {
        // rustc puts this directory on the linker's PATH. Using PATH saves a call of rustc.
        let is_rustlib = |dir: &&PathBuf| dir.ends_with("bin") && dir.iter().any(|part| part == "rustlib");
        self.path.iter().filter(is_rustlib).find_map(|dir| Tools::in_dir(dir, "")).or_else(|| {
            let sysroot = self.ask_rustc(&["--print", "sysroot"])?;
            let hosts = Path::new(sysroot.trim()).join("lib/rustlib").read_dir().ok()?;
            hosts.flatten().find_map(|host| Tools::in_dir(&host.path().join("bin"), ""))
        })
    }

    fn of_system(&self) -> Option<Tools> {
        let installed = self.system.read_dir().into_iter().flatten().flatten();
        let versioned = installed.filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm-"));
        let mut found: Vec<_> =
            versioned.filter_map(|entry| Tools::in_dir(&entry.path().join("bin"), "")).collect();
        for dir in &self.path {
            let entries = dir.read_dir().into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            found.extend(names.filter_map(|name| Tools::in_dir(dir, name.strip_prefix("llvm-link")?)));
        }
        found.into_iter().max_by_key(Tools::version)
    }

    /// Returns the LLVM version that rustc was built with.
    pub fn llvm_of_rustc(&self) -> Option<(u32, u32)> {
        let text = self.ask_rustc(&["-vV"])?;
        version(text.split_once("LLVM version:")?.1)
    }

    fn ask_rustc(&self, arguments: &[&str]) -> Option<String> {
        let output = Command::new(&self.rustc).args(arguments).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Tools {
    fn in_dir(dir: &Path, suffix: &str) -> Option<Self> {
        let suffix = suffix.strip_suffix(env::consts::EXE_SUFFIX).unwrap_or(suffix);
        let tool = |name: &str| {
            let path = dir.join(format!("{name}{suffix}{}", env::consts::EXE_SUFFIX));
            path.is_file().then_some(path)
        };
        Some(Self { link: tool("llvm-link")?, opt: tool("opt")?, llc: tool("llc")? })
    }

    /// Returns the major and minor version, or `(0, 0)` if the tool does not print one.
    pub fn version(&self) -> (u32, u32) {
        let output = Command::new(&self.llc).arg("--version").output();
        let text =
            output.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
        text.split_once("LLVM version").and_then(|(_, rest)| version(rest)).unwrap_or_default()
    }
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim_start().split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The output of a tool that succeeded.
pub struct Said {
    pub output: String,
    pub remarks: String,
}

/// Runs a tool. If the tool fails, the error contains what the tool wrote to stderr.
pub fn run<A: AsRef<OsStr>>(tool: &Path, arguments: impl IntoIterator<Item = A>) -> Result<Said, Error> {
    let ran = Command::new(tool)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::CannotRun { tool: tool.to_owned(), source })?;
    let [output, remarks] =
        [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if ran.status.success() {
        Ok(Said { output, remarks })
    } else {
        let said = remarks.trim().to_owned();
        Err(Error::ToolFailed { tool: tool.to_owned(), status: ran.status, said })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Installs scripts that print a version. A shell writes them: a file that this process holds open for writing is also
    /// open in processes that other threads start, and such a program does not run (`ETXTBSY` of execve(2)).
    fn install(dir: &Path, suffix: &str, version: &str) {
        fs::create_dir_all(dir).unwrap();
        for name in ["llvm-link", "opt", "llc"] {
            let script = format!("#!/bin/sh\necho '  Debian LLVM version {version}'\n");
            let written = Command::new("sh")
                .args(["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\""])
                .arg(dir.join(format!("{name}{suffix}")))
                .arg(script)
                .status();
            assert!(written.unwrap().success());
        }
    }

    fn places(root: &Path) -> Places {
        Places {
            chosen: None,
            path: vec![root.join("bin"), root.join("sysroot/lib/rustlib/host/bin")],
            rustc: root.join("no-rustc"),
            system: root.join("lib"),
        }
    }

    #[test]
    fn nothing_found_says_how_to_get_it() {
        let root = tempfile::tempdir().unwrap();
        let message = places(root.path()).find().unwrap_err().to_string();
        assert!(message.contains("rustup component add llvm-tools"), "{message}");
        assert!(message.contains("apt-get install llvm-22"), "{message}");
    }

    #[test]
    #[cfg(unix)]
    fn the_toolchain_comes_first_then_the_newest() {
        let root = tempfile::tempdir().unwrap();
        let places = places(root.path());
        install(&root.path().join("lib/llvm-9/bin"), "", "9.0.1");
        assert_eq!(places.find().unwrap().version(), (9, 0));
        install(&root.path().join("bin"), "-22", "22.1.8");
        install(&root.path().join("bin"), "-21", "21.1.8");
        assert_eq!(places.find().unwrap().version(), (22, 1));
        install(&root.path().join("lib/llvm-23/bin"), "", "23.1.0");
        assert_eq!(places.find().unwrap().version(), (23, 1));
        install(&root.path().join("sysroot/lib/rustlib/host/bin"), "", "22.9.0");
        assert_eq!(places.find().unwrap().version(), (22, 9));
        let chosen = Places { chosen: Some(root.path().join("lib/llvm-9/bin")), ..places };
        assert_eq!(chosen.find().unwrap().version(), (9, 0));
        let empty = Places { chosen: Some(root.path().join("lib")), ..chosen };
        let message = empty.find().unwrap_err().to_string();
        assert!(message.contains(OVERRIDE) && message.contains("llvm-link"), "{message}");
    }
}
