//! Compiles families of the raw layer as a crate of their own, in a fraction of the time of the whole crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use ptx_targets::{GATES, Gate};

use crate::device::{self, Arch};
use crate::toolchain::Toolchain;
use crate::{files, root};

/// Writes the crate of some families to `target/row/<folder>`, and returns its path.
pub fn written(folder: &str, wanted: &BTreeSet<String>) -> Result<PathBuf> {
    let folder = root().join("target/row").join(folder);
    write(&folder, wanted, "")?;
    Ok(folder)
}

/// Compiles a crate that [`write()`] has written for the host, with the instructions of every target. Returns the errors, if
/// there are any. This check takes a second, and names the faulty row.
pub fn check(folder: &Path) -> Result<Option<String>> {
    let features: Vec<_> = Arch::ALL.into_iter().map(Arch::name).chain(["tensor"]).collect();
    let mut cargo = Toolchain::active()?.cargo();
    cargo.args(["check", "--quiet", "--features", &features.join(","), "--manifest-path"]);
    cargo.arg(folder.join("Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", root().join("target/row/check")).env("RUSTFLAGS", "--cfg=probe");
    let output = cargo.output().context("cannot run cargo")?;
    Ok((!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// Returns the families that have rows with gates. In the other families, nothing depends on the target.
pub fn gated() -> Result<BTreeSet<String>> {
    let gated = with("gate")?;
    for (name, source) in sources()?.iter().filter(|(name, _)| !gated.contains(*name)) {
        if let Some(condition) = ["#[cfg(", "feature = \""].into_iter().find(|&it| source.contains(it)) {
            bail!("src/raw/{name}.rs has `{condition}`: let a row or a tag depend on the target by `gate`");
        }
    }
    Ok(gated)
}

/// Returns the gates that some families name, or the families whose tag sets and macros they use.
pub fn gates(families: &BTreeSet<String>) -> Result<Vec<Gate>> {
    let sources = sources()?;
    let used = used(&sources, families.iter().map(String::as_str));
    let words: BTreeSet<&str> = used.into_iter().flat_map(|name| tokens(&sources[name])).collect();
    Ok(GATES.into_iter().filter(|gate| words.contains(gate.name)).collect())
}

/// Returns the families whose code contains a word, and the families that use tag sets or macros of such a family.
pub fn with(word: &str) -> Result<BTreeSet<String>> {
    let sources = sources()?;
    let has = |name: &str| {
        used(&sources, [name]).iter().any(|name| tokens(&sources[*name]).any(|token| token == word))
    };
    Ok(sources.keys().filter(|name| has(name)).cloned().collect())
}

/// Returns the families of the raw layer with their source code.
pub fn sources() -> Result<BTreeMap<String, String>> {
    let raw = root().join("src/raw");
    let index = fs::read_to_string(raw.join("mod.rs")).context("cannot read src/raw/mod.rs")?;
    let names = index.lines().filter_map(module).filter(|&name| name != "macros");
    names
        .map(|name| Ok((name.to_owned(), fs::read_to_string(raw.join(name).with_extension("rs"))?)))
        .collect()
}

/// Returns the named families, and the families whose tag sets and macros they use.
fn used<'a>(
    sources: &'a BTreeMap<String, String>,
    names: impl IntoIterator<Item = &'a str>,
) -> BTreeSet<&'a str> {
    let mut all: BTreeSet<&str> = names.into_iter().collect();
    loop {
        let names: BTreeSet<String> = all.iter().flat_map(|&name| names_in(&sources[name])).collect();
        let used =
            sources.iter().filter(|(_, source)| defined(source).any(|defined| names.contains(&defined)));
        let more: BTreeSet<&str> = used.map(|(name, _)| name.as_str()).chain(all.iter().copied()).collect();
        if more == all {
            return all;
        }
        all = more;
    }
}

/// Returns the name in a line `mod name;`.
fn module(line: &str) -> Option<&str> {
    line.strip_prefix("mod ")?.strip_suffix(';')
}

/// Returns `src/raw/mod.rs`, and the families with their source code. Fails if `src/raw/mod.rs` does not name a wanted family
/// twice.
pub fn named(wanted: &BTreeSet<String>) -> Result<(String, BTreeMap<String, String>)> {
    let index = fs::read_to_string(root().join("src/raw/mod.rs")).context("cannot read src/raw/mod.rs")?;
    let sources = sources()?;
    if let Some(name) = wanted.iter().find(|&name| !sources.contains_key(name)) {
        let names: Vec<_> = sources.keys().cloned().collect();
        bail!(
            "src/raw/mod.rs has no `mod {name};`: add a new family there, also to the list of `pub use`. The families are {}",
            names.join(", ")
        );
    }
    if let Some(name) = wanted.iter().find(|&name| !index.contains(&format!("{name}::*"))) {
        bail!("src/raw/mod.rs has `mod {name};`, but no `{name}::*` in the list of `pub use`: add it there");
    }
    Ok((index, sources))
}

/// Writes a crate of the wanted families, which is compiled to a PTX module. The rows `more` are added to the wanted family.
pub fn write(folder: &Path, wanted: &BTreeSet<String>, more: &str) -> Result<()> {
    let mut text = library_source(folder, wanted, more)?;
    // A target may have no form of the family. This function then gives the linker something to link.
    text += "#[unsafe(no_mangle)]\npub extern \"C\" fn row() {}\n";
    text += "#[cfg(target_arch = \"nvptx64\")]\n#[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n";
    text += "#[cfg(not(target_arch = \"nvptx64\"))]\nextern crate std;\n";
    write_families(folder, "cdylib", &text)
}

/// Writes the package of a device crate with one family of `ptx::raw` in place of `ptx`, which takes a tenth of the time to
/// compile.
pub fn write_device_crate(folder: &Path, device_crate: &Path, family: &str) -> Result<()> {
    let library = root().join("target/row").join(format!("{family}-alone"));
    // A crate without a probe has the rows of all its families: `instruction!` is exported for probes only.
    let sources = sources()?;
    let families = used(&sources, [family]).into_iter().map(str::to_owned).collect();
    write_families(&library, "lib", &library_source(&library, &families, "")?)?;

    let device_crate = root().join(device_crate);
    let path = device_crate.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut manifest: toml::Table = text.parse().with_context(|| format!("in {}", path.display()))?;
    let text = |path: &Path| path.display().to_string();
    let (name, source) = (package_name(folder), text(&device_crate.join("src/lib.rs")));
    let (library_name, library) = (package_name(&library), text(&library));
    let mut package = toml::toml! {
        [package]
        name = name
        edition = "2024"
        [lib]
        crate-type = ["cdylib"]
        path = source
        [dependencies.ptx]
        package = library_name
        path = library
        default-features = false
        [workspace]
    };
    package.extend(manifest.remove_entry("features"));
    device::write_package(folder, &toml::to_string(&package)?)
}

/// Returns the source code of a crate of the wanted families, and of the families whose tag sets and macros they use. Writes the
/// file of the family that the rows `more` are added to.
fn library_source(folder: &Path, wanted: &BTreeSet<String>, more: &str) -> Result<String> {
    let (index, sources) = named(wanted)?;
    let used = used(&sources, wanted.iter().map(String::as_str));
    let path = |path: PathBuf| format!("#[path = {path:?}]\n");
    let source = |name: &str| path(root().join("src").join(name));
    let crate_root = fs::read_to_string(root().join("src/lib.rs")).context("cannot read src/lib.rs")?;
    let mut text = String::from("#![allow(unused, unused_features)]\n");
    for line in crate_root.lines().take_while(|&line| line != "pub mod raw;") {
        match line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')) {
            Some(module) => text += &format!("{}{line}\n", source(&format!("{module}.rs"))),
            None if line.starts_with("//!") || line.contains("README") => {}
            None => text += &format!("{line}\n"),
        }
    }
    text += "pub mod raw {\n";
    // Attributes of the next item.
    let mut attributes = String::new();
    for line in index.lines().filter(|line| !line.starts_with("//!")) {
        let is_left_out = |family: &str| family != "macros" && !used.contains(family);
        match module(line) {
            _ if line.starts_with("#[") => attributes += &format!("{line}\n"),
            Some(family) if is_left_out(family) => attributes.clear(),
            Some(family) => {
                // From the other families, only the tag sets and macros are wanted, not the rows.
                let row = if wanted.contains(family) {
                    "$crate::raw::macros::instruction! { $($row)* }"
                } else {
                    ""
                };
                if family != "macros" && used.len() > wanted.len() {
                    text += &format!("macro_rules! instruction {{ ($($row:tt)*) => {{ {row} }}; }}\n");
                }
                let file = if !more.is_empty() && wanted.contains(family) {
                    let file = folder.join("src").join(family).with_extension("rs");
                    files::write(&file, format!("{}\n{more}", sources[family]))?;
                    path(file)
                } else {
                    source(&format!("raw/{family}.rs"))
                };
                text += &format!("{}{file}{line}\n", std::mem::take(&mut attributes));
            }
            None if line.contains("::*,") => {
                let exported = line.split(',').filter_map(|name| name.trim().strip_suffix("::*"));
                text.extend(exported.filter(|&name| !is_left_out(name)).map(|name| format!("{name}::*,\n")));
            }
            None => text += &format!("{}{line}\n", std::mem::take(&mut attributes)),
        }
    }
    text += "}\n";
    Ok(text)
}

/// Returns the name of a crate. Each crate needs its own name: cargo treats crates of one name as one crate, even in different
/// folders.
fn package_name(folder: &Path) -> String {
    format!("row-{}", folder.file_name().unwrap_or_default().display())
}

/// Writes the package of a crate of families, with the features and the dependencies of `ptx`.
fn write_families(folder: &Path, crate_type: &str, text: &str) -> Result<()> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).context("cannot read Cargo.toml")?;
    let manifest: toml::Table = toml::from_str(&manifest)?;
    let own = |section: &str| -> Result<toml::Value> {
        manifest.get(section).cloned().with_context(|| format!("Cargo.toml has no [{section}]"))
    };
    let mut package = toml::toml! {
        [package]
        edition = "2024"
        [profile.release]
        lto = "off"
        [workspace]
    };
    if let Some(package) = package.get_mut("package").and_then(toml::Value::as_table_mut) {
        package.insert("name".into(), package_name(folder).into());
        // The version of `ptx`, which convergent asm states to the linker.
        package.insert("version".into(), env!("CARGO_PKG_VERSION").into());
    }
    package.insert("lib".into(), toml::toml! { crate-type = [crate_type] }.into());
    package.insert("features".into(), own("features")?);
    let mut dependencies = own("dependencies")?;
    if let Some(dependencies) = dependencies.as_table_mut() {
        // The packages of this repository serve the typed layer alone.
        dependencies.retain(|_, dependency| dependency.get("path").is_none());
    }
    package.insert("dependencies".into(), dependencies);
    let mut for_build = own("build-dependencies")?;
    let paths = for_build.as_table_mut().into_iter().flatten().filter_map(|(_, it)| it.get_mut("path"));
    for path in paths {
        *path = root().join(path.as_str().unwrap_or_default()).display().to_string().into();
    }
    package.insert("build-dependencies".into(), for_build);
    files::write(
        &folder.join("build.rs"),
        fs::read(root().join("build.rs")).context("cannot read build.rs")?,
    )?;
    device::write_crate(folder, &toml::to_string(&package)?, text)
}

/// Returns the words and the other characters in the code of a source file.
fn tokens(source: &str) -> impl Iterator<Item = &str> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|mut rest| {
        std::iter::from_fn(move || {
            rest = rest.trim_start();
            let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let end = if word > 0 { word } else { rest.chars().next()?.len_utf8() };
            let (token, after) = rest.split_at(end);
            rest = after;
            Some(token)
        })
    })
}

/// Returns the names of tag sets and of macros that a source file may use, with other words. The name of a macro ends with `!`. A
/// file uses a macro if it calls the macro, or if it hands the name to another macro as the first word: `atom_op! { red … }`.
fn names_in(source: &str) -> BTreeSet<String> {
    let tokens: Vec<&str> = tokens(source).collect();
    let mut names: BTreeSet<String> = tokens.iter().map(|&token| token.to_owned()).collect();
    for call in tokens.windows(4).filter(|call| call[1] == "!") {
        names.insert(format!("{}!", call[0]));
        if matches!(call[2], "(" | "{" | "[") {
            names.insert(format!("{}!", call[3]));
        }
    }
    names
}

/// Returns the names of the tag sets and of the macros that a family defines, as [`names_in`] spells them.
fn defined(source: &str) -> impl Iterator<Item = String> {
    source.lines().filter_map(|line| {
        let line = line.trim_start();
        let set = || {
            let (name, rest) = line.split_at(line.find(|c: char| !c.is_alphanumeric())?);
            let is_set = name.starts_with(|c: char| c.is_ascii_uppercase()) && rest.contains(": \"");
            is_set.then(|| name.to_owned())
        };
        let name = line.strip_prefix("macro_rules! ").and_then(|rest| tokens(rest).next());
        name.map(|name| format!("{name}!")).or_else(set)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_uses_sets_and_macros_of_others() {
        let sources = [
            ("macros", "macro_rules! red {\n}"),
            ("sets", "legal! {\n    Scope: \"no `.scope`\" { scope::Cta }\n}"),
            ("calls", "red! { 1 }"),
            ("hands", "instructions! { red 1 }"),
            ("bare", "instruction! { fn f(); ptx: \"red.Scope\" }\n// red! { 1 }"),
            ("set", "instruction! { fn f[Scope: Scope](); }"),
            ("set_as_macro", "Scope! { 1 }"),
        ];
        let sources =
            sources.map(|(name, source)| (name.to_owned(), source.to_owned())).into_iter().collect();
        for (name, others) in [
            ("calls", &["macros"][..]),
            ("hands", &["macros"]),
            ("bare", &["sets"]),
            ("set", &["sets"]),
            ("set_as_macro", &["sets"]),
            ("macros", &[]),
        ] {
            let expected: BTreeSet<&str> = others.iter().copied().chain([name]).collect();
            assert_eq!(used(&sources, [name]), expected, "{name}");
        }
    }
}
