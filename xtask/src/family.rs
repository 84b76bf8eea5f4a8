//! One family of the raw layer as a crate of its own, which compiles in a fraction of the time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::device::Build;
use crate::forms::{self, Row};
use crate::{files, root};

/// The rows of one family on all targets.
pub fn rows(name: &str) -> Result<Vec<Row>> {
    let folder = root().join("target/row").join(name);
    write(name, &folder, "")?;
    let probes = forms::probe_targets(|arch, features| {
        let mut build = Build::new(&folder, arch);
        build.features = features.iter().copied().chain(["probe"]).map(str::to_owned).collect();
        let mut rows = forms::rows(&build.run()?.text, arch)?;
        rows.retain(|row| row.family == name);
        Ok(rows)
    })?;
    let rows = forms::union(&probes)?;
    ensure!(!rows.is_empty(), "src/raw/{name}.rs has no `instruction!`");
    Ok(rows)
}

/// Writes a crate, `row`, of the raw layer with one family, and with the families whose sets and macros it uses. The family has these rows
/// more.
pub fn write(name: &str, folder: &Path, more: &str) -> Result<()> {
    let raw = root().join("src/raw");
    let index = fs::read_to_string(raw.join("mod.rs")).context("cannot read src/raw/mod.rs")?;
    let module =
        |line: &str| line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')).map(str::to_owned);
    let families: Vec<String> = index.lines().filter_map(module).filter(|name| name != "macros").collect();
    ensure!(
        families.iter().any(|family| family == name),
        "src/raw/mod.rs has no `mod {name};`: name a new family there, and with `pub use {name}::*;`. It has {}",
        families.join(", ")
    );
    let sources = families
        .iter()
        .map(|family| Ok((family.as_str(), fs::read_to_string(raw.join(family).with_extension("rs"))?)))
        .collect::<Result<BTreeMap<&str, String>>>()?;
    let family = folder.join("src").join(name).with_extension("rs");
    files::write(&family, format!("{}\n{more}", sources[name]))?;
    let mut wanted = BTreeSet::from([name]);
    loop {
        let words: BTreeSet<&str> = wanted.iter().flat_map(|family| words(&sources[family])).collect();
        let used =
            sources.iter().filter(|(_, source)| defined(source).any(|defined| words.contains(defined)));
        let more: BTreeSet<&str> = used.map(|(&family, _)| family).chain(wanted.iter().copied()).collect();
        if more == wanted {
            break;
        }
        wanted = more;
    }

    let path = |path: PathBuf| format!("#[path = {path:?}]\n");
    let source = |name: &str| path(root().join("src").join(name));
    let crate_root = fs::read_to_string(root().join("src/lib.rs")).context("cannot read src/lib.rs")?;
    let mut text = String::from("#![allow(unused, unused_features)]\n");
    for line in crate_root.lines().take_while(|&line| line != "pub mod raw;") {
        match line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')) {
            Some(module) => text += &format!("{}{line}\n", source(&format!("{module}.rs"))),
            None if line.starts_with("//!") || line.starts_with("#![deny") || line.contains("README") => {}
            None => text += &format!("{line}\n"),
        }
    }
    text += "pub mod raw {\n";
    // The attributes of the item that comes next.
    let mut attributes = String::new();
    for line in index.lines().filter(|line| !line.starts_with("//!")) {
        let used = line.strip_prefix("pub use ").and_then(|rest| rest.strip_suffix("::*;"));
        let is_left_out = |family: &str| family != "macros" && !wanted.contains(family);
        match module(line) {
            _ if line.starts_with("#[") => attributes += &format!("{line}\n"),
            Some(family) if is_left_out(&family) => attributes.clear(),
            Some(other) => {
                let probe = if other == name { "$crate::raw::probe! { $($row)* }" } else { "" };
                if other != "macros" {
                    text += &format!("macro_rules! probed {{ ($($row:tt)*) => {{ {probe} }}; }}\n");
                }
                let file =
                    if other == name { path(family.clone()) } else { source(&format!("raw/{other}.rs")) };
                text += &format!("{}{file}{line}\n", std::mem::take(&mut attributes));
            }
            None if used.is_some_and(is_left_out) => {}
            None => text += &format!("{}{line}\n", std::mem::take(&mut attributes)),
        }
    }
    // A target may have no form of the family: the function gives the linker something to link.
    text += "}\n#[unsafe(no_mangle)]\npub extern \"C\" fn row() {}\n";
    text += "#[cfg(target_arch = \"nvptx64\")]\n#[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n";
    text += "#[cfg(not(target_arch = \"nvptx64\"))]\nextern crate std;\n";

    let manifest = fs::read_to_string(root().join("Cargo.toml")).context("cannot read Cargo.toml")?;
    let manifest: toml::Table = toml::from_str(&manifest)?;
    let own = |section: &str| -> Result<toml::Value> {
        manifest.get(section).cloned().with_context(|| format!("Cargo.toml has no [{section}]"))
    };
    let mut package = toml::toml! {
        [package]
        name = "row"
        version = "0.0.0"
        edition = "2024"
        [lib]
        crate-type = ["cdylib"]
        [profile.release]
        lto = "off"
        [workspace]
    };
    package.insert("features".into(), own("features")?);
    package.insert("dependencies".into(), own("dependencies")?);
    files::write(&folder.join("Cargo.toml"), toml::to_string(&package)?)?;
    files::write(&folder.join("src/lib.rs"), text)
}

/// The words of a source's code.
fn words(source: &str) -> impl Iterator<Item = &str> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .filter(|word| !word.is_empty())
}

/// The sets of tags and the macros that a family has.
fn defined(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| {
        let line = line.trim_start();
        let set = || {
            let (name, rest) = line.split_at(line.find(|c: char| !c.is_alphanumeric())?);
            let is_set = name.starts_with(|c: char| c.is_ascii_uppercase()) && rest.contains(": \"");
            is_set.then_some(name)
        };
        line.strip_prefix("macro_rules! ").and_then(|rest| rest.split_whitespace().next()).or_else(set)
    })
}
