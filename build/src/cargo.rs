//! Reads what cargo says about a device crate, and about its build.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, path};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::Arch;
use crate::advice::advice;
use crate::process::run;
use crate::toolchain::{Toolchain, without_callers_settings};

/// A device crate, as its manifest describes it.
pub struct Manifest {
    /// The path of `Cargo.toml`.
    pub path: PathBuf,
    /// The package's name.
    pub name: String,
    /// The folder of the workspace's `Cargo.toml` and `Cargo.lock`.
    pub workspace: PathBuf,
    /// The package's features, each with what it enables.
    features: Vec<(String, Vec<String>)>,
    /// The package's name for its dependency `ptx`.
    ptx: String,
}

impl Manifest {
    /// Reads the manifest in a folder.
    pub fn read(toolchain: &Toolchain, folder: &Path) -> Result<Manifest> {
        let path = folder.join("Cargo.toml");
        if !path.is_file() {
            bail!("{} has no Cargo.toml: name the folder of the kernels' crate", folder.display());
        }
        let mut cargo = toolchain.command("cargo");
        without_callers_settings(&mut cargo);
        Manifest::parse(&metadata(cargo, folder)?, &path)
    }

    fn parse(answer: &Value, path: &Path) -> Result<Manifest> {
        let shown = path.display();
        let package = array(&answer["packages"])
            .find(|package| package["manifest_path"].as_str().is_some_and(|own| Path::new(own) == path))
            .with_context(|| {
                format!("{shown} describes no package: name the folder of the kernels' crate")
            })?;
        if !has_library(package) {
            bail!("the package of {shown} has no library: kernels are written in src/lib.rs");
        }
        let ptx = dependency_on_ptx(package).with_context(|| {
            format!("the package of {shown} does not depend on `ptx`: run `cargo add ptx` in its folder")
        })?;
        let features = package["features"].as_object().into_iter().flatten();
        let features =
            features.map(|(name, enables)| (name.clone(), array(enables).filter_map(text).collect()));
        Ok(Manifest {
            path: path.into(),
            name: text(&package["name"]).unwrap_or_default(),
            workspace: answer["workspace_root"].as_str().unwrap_or_default().into(),
            features: features.collect(),
            ptx: text(&ptx["rename"]).unwrap_or_else(|| "ptx".into()),
        })
    }

    /// Returns cargo's arguments for the features of a target, and further features.
    ///
    /// A crate without a feature of the target's name gets the feature of `ptx`. A crate that has one loses those default
    /// features that name another target.
    pub fn feature_arguments(&self, arch: Arch, further: &[String]) -> Vec<String> {
        let of = |name: &str| self.features.iter().find(|(own, _)| own == name);
        let names_target = |feature: &String| Arch::ALL.iter().any(|arch| feature == arch.name());
        let mut wanted: Vec<String> = further.to_vec();
        let mut arguments = Vec::new();
        if of(arch.name()).is_some() {
            wanted.push(arch.name().into());
            let defaults = of("default").map_or(&[][..], |(_, enables)| enables);
            if defaults.iter().any(names_target) {
                arguments.push("--no-default-features".into());
                wanted.extend(defaults.iter().filter(|feature| !names_target(feature)).cloned());
            }
        } else {
            wanted.push(format!("{}/{arch}", self.ptx));
        }
        arguments.extend(["--features".into(), wanted.join(",")]);
        arguments
    }
}

/// A library that depends on `ptx`.
pub struct DeviceCrate {
    /// The folder of its manifest.
    pub folder: PathBuf,
    /// Whether it is a `cdylib`, as a crate of kernels may be, and a library that kernels use is not.
    pub is_cdylib: bool,
}

/// Returns the target folder of the workspace around a folder, and the workspace's libraries that depend on `ptx`.
pub fn device_crates(folder: &Path) -> Result<(PathBuf, Vec<DeviceCrate>)> {
    // Any cargo can read manifests. cargo sets `CARGO` for its subcommands.
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    without_callers_settings(&mut cargo);
    // The target folder stays the caller's.
    for name in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"] {
        if let Some(folder) = env::var_os(name) {
            cargo.env(name, path::absolute(&folder).unwrap_or(folder.into()));
        }
    }
    let answer = metadata(cargo, folder)?;
    let target = answer["target_directory"].as_str().unwrap_or_default().into();
    Ok((target, parse_device_crates(&answer)))
}

fn parse_device_crates(answer: &Value) -> Vec<DeviceCrate> {
    let packages = array(&answer["packages"])
        .filter(|package| has_library(package) && dependency_on_ptx(package).is_some());
    let crates = packages.filter_map(|package| {
        let folder = Path::new(package["manifest_path"].as_str()?).parent()?.to_path_buf();
        Some(DeviceCrate { folder, is_cdylib: has_target(package, |kind| kind == "cdylib") })
    });
    crates.collect()
}

/// Asks cargo for the workspace around a folder.
fn metadata(mut cargo: Command, folder: &Path) -> Result<Value> {
    cargo.current_dir(folder);
    let answer = run(cargo.args(["metadata", "--no-deps", "--format-version", "1"]))
        .with_context(|| format!("cannot read the manifest in {}", folder.display()))?;
    serde_json::from_slice(&answer.stdout).context("cannot read the answer of `cargo metadata`")
}

fn has_library(package: &Value) -> bool {
    has_target(package, |kind| matches!(kind, "lib" | "cdylib" | "rlib"))
}

fn has_target(package: &Value, is_wanted: impl Fn(&str) -> bool) -> bool {
    let is_wanted = |kind: &Value| kind.as_str().is_some_and(&is_wanted);
    array(&package["targets"]).any(|target| array(&target["kind"]).any(is_wanted))
}

fn dependency_on_ptx(package: &Value) -> Option<&Value> {
    array(&package["dependencies"])
        .find(|dependency| dependency["name"] == "ptx" && dependency["kind"].is_null())
}

/// The results and the messages of a build.
#[derive(Debug, Default)]
pub struct Messages {
    /// The PTX file.
    pub ptx: Option<PathBuf>,
    /// The manifests of the packages in folders of this machine.
    pub manifests: BTreeSet<PathBuf>,
    /// The warnings: `file:line:column: text`.
    pub warnings: Vec<String>,
    /// The errors as rustc shows them.
    pub errors: Vec<String>,
}

impl Messages {
    /// Reads the messages of `cargo --message-format json`.
    pub fn parse(stdout: &[u8]) -> Messages {
        let mut messages = Messages::default();
        for line in String::from_utf8_lossy(stdout).lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
            match message["reason"].as_str() {
                Some("compiler-artifact") => messages.artifact(&message),
                Some("compiler-message") => messages.diagnostic(&message["message"]),
                _ => {}
            }
        }
        messages
    }

    fn artifact(&mut self, message: &Value) {
        if message["package_id"].as_str().is_some_and(|id| id.starts_with("path+")) {
            self.manifests.extend(message["manifest_path"].as_str().map(PathBuf::from));
        }
        let files = array(&message["filenames"]).filter_map(text).map(PathBuf::from);
        if let Some(ptx) = files.into_iter().find(|file| file.extension().is_some_and(|it| it == "ptx")) {
            self.ptx = Some(ptx);
        }
    }

    fn diagnostic(&mut self, message: &Value) {
        let rendered = message["rendered"].as_str().unwrap_or_default();
        match message["level"].as_str() {
            Some("warning") => {
                let what = message["message"].as_str().unwrap_or_default();
                // rustc ends with a count, which says nothing by itself.
                if what.ends_with("warning emitted") || what.ends_with("warnings emitted") {
                    return;
                }
                let place = array(&message["spans"]).find(|span| span["is_primary"] == true).map(|span| {
                    let file = span["file_name"].as_str().unwrap_or_default();
                    format!("{file}:{}:{}: ", span["line_start"], span["column_start"])
                });
                // Who prints the text says that it is a warning, and so does a linker's own text.
                let lines: Vec<_> =
                    what.lines().map(|line| line.strip_prefix("warning: ").unwrap_or(line)).collect();
                self.warnings.push(place.unwrap_or_default() + &lines.join("\n"));
            }
            // rustc ends with a line that says nothing by itself.
            Some(level) if level.starts_with("error") && !rendered.starts_with("error: aborting due to") => {
                let mut error = rendered.to_owned();
                // Each piece of advice is shown once.
                let is_new = |advice: &&str| !self.errors.iter().any(|error| error.contains(advice));
                let what = message["message"].as_str();
                if let Some(advice) = what.and_then(|what| advice(what, rendered)).filter(is_new) {
                    error = format!("{}\nhelp: {advice}\n\n", error.trim_end());
                }
                self.errors.push(error);
            }
            // The note says where the preceding error occurred. For an assertion in a generic function, only the note names the
            // user's line.
            Some("note") if !self.errors.is_empty() => self.errors.push(rendered.to_owned()),
            _ => {}
        }
    }
}

/// Returns the files that a dep-info file names. cargo writes such a file beside an artifact, in the form of a Makefile.
pub fn dep_info(file: &Path) -> Result<Vec<PathBuf>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(parse_dep_info(&text))
}

fn parse_dep_info(text: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (_, list) in text.lines().filter_map(|line| line.split_once(": ")) {
        let mut file = String::new();
        let mut chars = list.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => file.extend(chars.next()),
                ' ' => files.push(std::mem::take(&mut file)),
                c => file.push(c),
            }
        }
        files.push(file);
    }
    files.into_iter().filter(|file| !file.is_empty()).map(PathBuf::from).collect()
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(features: &Value, dependencies: &Value, kind: &str) -> Value {
        json!({
            "workspace_root": "/w",
            "packages": [{
                "name": "k", "manifest_path": "/w/k/Cargo.toml", "features": features, "dependencies": dependencies,
                "targets": [{ "kind": [kind] }],
            }],
        })
    }

    fn manifest(features: &Value, dependencies: &Value) -> Result<Manifest> {
        Manifest::parse(&answer(features, dependencies, "lib"), Path::new("/w/k/Cargo.toml"))
    }

    fn arguments(features: &Value) -> String {
        let ptx = json!([{ "name": "ptx", "kind": null, "rename": null }]);
        manifest(features, &ptx).unwrap().feature_arguments(Arch::Sm100a, &["extra".into()]).join(" ")
    }

    #[test]
    fn a_crate_without_features_of_targets_gets_those_of_ptx() {
        assert_eq!(arguments(&json!({})), "--features extra,ptx/sm_100a");
        assert_eq!(arguments(&json!({ "default": ["extra"], "extra": [] })), "--features extra,ptx/sm_100a");
        let renamed = json!([{ "name": "ptx", "kind": null, "rename": "gpu" }]);
        let manifest = manifest(&json!({}), &renamed).unwrap();
        assert_eq!(manifest.feature_arguments(Arch::Sm90a, &[]).join(" "), "--features gpu/sm_90a");
    }

    #[test]
    fn of_the_default_features_only_other_targets_are_dropped() {
        let features = json!({ "default": ["sm_90a", "fast"], "fast": [], "sm_90a": [], "sm_100a": [] });
        assert_eq!(arguments(&features), "--no-default-features --features extra,sm_100a,fast");
        assert_eq!(arguments(&json!({ "sm_100a": ["ptx/sm_100a"] })), "--features extra,sm_100a");
    }

    #[test]
    fn a_crate_that_cannot_hold_kernels_is_refused_with_the_reason() {
        let error = manifest(&json!({}), &json!([])).err().unwrap().to_string();
        assert!(error.contains("does not depend on `ptx`") && error.contains("cargo add ptx"), "{error}");
        let path = Path::new("/w/k/Cargo.toml");
        let error = Manifest::parse(&answer(&json!({}), &json!([]), "bin"), path).err().unwrap().to_string();
        assert!(error.contains("has no library"), "{error}");
        let error = Manifest::parse(&answer(&json!({}), &json!([]), "lib"), Path::new("/w/Cargo.toml"));
        assert!(error.err().unwrap().to_string().contains("describes no package"));
    }

    #[test]
    fn a_crate_of_kernels_is_told_from_a_library_beside_it() {
        let package = |name: &str, kinds: &Value| {
            json!({
                "name": name, "manifest_path": format!("/w/{name}/Cargo.toml"), "targets": [{ "kind": kinds }],
                "dependencies": [{ "name": "ptx", "kind": null, "rename": null }],
            })
        };
        let packages = json!([package("k", &json!(["cdylib", "rlib"])), package("math", &json!(["lib"]))]);
        let crates = parse_device_crates(&json!({ "packages": packages }));
        let crates: Vec<_> = crates.iter().map(|it| (it.folder.to_str().unwrap(), it.is_cdylib)).collect();
        assert_eq!(crates, [("/w/k", true), ("/w/math", false)]);
    }

    #[test]
    fn messages_are_read() {
        let span =
            json!({ "is_primary": true, "file_name": "src/lib.rs", "line_start": 3, "column_start": 5 });
        let lines = [
            json!({ "reason": "compiler-artifact", "package_id": "path+file:///w/k#0.1.0", "manifest_path": "/w/k/Cargo.toml",
                    "filenames": ["/t/k.ptx"] }),
            json!({ "reason": "compiler-artifact", "package_id": "registry+https://x#half@2.0", "manifest_path": "/r/Cargo.toml",
                    "filenames": ["/t/libhalf.rlib"] }),
            json!({ "reason": "compiler-message",
                    "message": { "level": "warning", "message": "unused variable: `x`", "spans": [span], "rendered": "" } }),
            json!({ "reason": "compiler-message",
                    "message": { "level": "warning", "message": "warning: a\nwarning: b", "spans": [], "rendered": "" } }),
            json!({ "reason": "compiler-message",
                    "message": { "level": "warning", "message": "1 warning emitted", "spans": [], "rendered": "" } }),
            json!({ "reason": "compiler-message",
                    "message": { "level": "note", "message": "of a warning", "spans": [], "rendered": "note: a\n" } }),
            json!({ "reason": "compiler-message",
                    "message": { "level": "error", "message": "no", "spans": [], "rendered": "error: no\n" } }),
            json!({ "reason": "compiler-message",
                    "message": { "level": "note", "message": "here", "spans": [], "rendered": "note: here\n" } }),
            json!({ "reason": "compiler-message",
                    "message": { "level": "failure-note", "message": "E1", "spans": [], "rendered": "For more …" } }),
        ];
        let stdout: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let messages = Messages::parse(stdout.as_bytes());
        assert_eq!(messages.ptx, Some("/t/k.ptx".into()));
        assert_eq!(messages.manifests.into_iter().collect::<Vec<_>>(), [PathBuf::from("/w/k/Cargo.toml")]);
        assert_eq!(messages.warnings, ["src/lib.rs:3:5: unused variable: `x`", "a\nb"]);
        assert_eq!(messages.errors, ["error: no\n", "note: here\n"]);
    }

    #[test]
    fn dep_info_is_read_with_its_escapes() {
        let files = parse_dep_info("/t/k.ptx: /w/k/src/lib.rs /w/a\\ b/src/lib.rs\n");
        assert_eq!(files, ["/w/k/src/lib.rs", "/w/a b/src/lib.rs"].map(PathBuf::from));
    }
}
