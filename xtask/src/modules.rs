//! Checks that the modules of each package are a hierarchy.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex_lite::Regex;

/// Returns the modules that the code names by `crate::`. A macro names an exported item by `$crate::`, which is a path of users.
fn used(code: &str) -> BTreeSet<String> {
    let path = Regex::new(r"(?s)(?:^|[^$\w])crate::(?:(\w+)|\{(.*?)\};)").expect("a regex");
    let first = Regex::new(r"(?:^|,)\s*(\w+)").expect("a regex");
    let inner = Regex::new(r"\{[^{}]*\}").expect("a regex");
    let mut names = BTreeSet::new();
    for found in path.captures_iter(code) {
        names.extend(found.get(1).map(|name| name.as_str().to_owned()));
        if let Some(list) = found.get(2) {
            let list = inner.replace_all(list.as_str(), "");
            names.extend(first.captures_iter(&list).map(|name| name[1].to_owned()));
        }
    }
    names
}

/// Returns the code of a source file, without comments and without unit tests.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Adds the code of the files in a folder to that of their module: the file or folder directly in `src`.
fn collect(folder: &Path, module: Option<&str>, modules: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let module = module.unwrap_or(&stem);
        if path.is_dir() {
            collect(&path, Some(module), modules);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).expect("a source file");
            modules.entry(module.to_owned()).or_default().push_str(&code(&source));
        }
    }
}

/// Returns the modules that are part of a cycle, or that lead to a cycle.
fn in_circles(mut uses: BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    loop {
        let free: BTreeSet<String> =
            uses.iter().filter(|(_, used)| used.is_empty()).map(|(name, _)| name.clone()).collect();
        if free.is_empty() {
            return uses.into_keys().collect();
        }
        uses.retain(|name, _| !free.contains(name));
        uses.values_mut().for_each(|used| used.retain(|name| !free.contains(name)));
    }
}

/// Returns the modules of a package, each with those that it uses.
fn uses_of(sources: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut modules = BTreeMap::new();
    collect(sources, None, &mut modules);
    let names: BTreeSet<String> = modules.keys().cloned().collect();
    let uses = modules.iter().map(|(module, code)| {
        let mut used: BTreeSet<String> = used(code).intersection(&names).cloned().collect();
        used.remove(module);
        (module.clone(), used)
    });
    uses.collect()
}

#[test]
fn the_modules_of_each_package_are_a_hierarchy() {
    let packages = [
        "",
        "build",
        "cargo-ptx",
        "conformance",
        "emu",
        "emu/cuda",
        "gpu",
        "host",
        "launch",
        "link",
        "litmus",
        "macros",
        "xtask",
    ];
    let circles =
        packages.map(|package| (package, in_circles(uses_of(&crate::root().join(package).join("src")))));
    let circles: Vec<_> = circles.iter().filter(|(_, modules)| !modules.is_empty()).collect();
    assert!(circles.is_empty(), "modules of these packages use each other in a circle: {circles:?}");
}

#[test]
fn the_folders_of_the_interpreter_import_no_more_than_they_say() {
    const MAY: [(&str, &[&str]); 3] = [
        ("numbers", &[]),
        ("frontend", &["address", "limits", "numbers"]),
        ("order", &["address", "frontend"]),
    ];
    let uses = uses_of(&crate::root().join("emu/src"));
    for (folder, may) in MAY {
        let more: Vec<_> = uses[folder].iter().filter(|name| !may.contains(&name.as_str())).collect();
        assert!(more.is_empty(), "`emu/src/{folder}` imports {more:?}");
    }
}

#[test]
fn paths_lists_and_circles_are_read() {
    let code = code(
        "use crate::a::{b, c};\n// crate::no\nuse crate::{\n    d::{e, f},\n    g,\n};\n$crate::no::h();",
    );
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(used(&code), named(&["a", "d", "g"]));
    let uses = [("a", &["b"][..]), ("b", &["c", "d"]), ("c", &["b"]), ("d", &[])];
    let uses = uses.map(|(name, used)| (name.to_owned(), named(used)));
    assert_eq!(in_circles(uses.into()), named(&["a", "b", "c"]));
}
