//! The features and the lists of targets in manifests and documents agree with the table of `ptx-targets`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toml::{Table, Value};
use xtask::device::Arch;
use xtask::{files, root};

fn manifest(path: &Path) -> Table {
    let text = fs::read_to_string(path).unwrap();
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn table<'a>(manifest: &'a Table, name: &str) -> Option<&'a Table> {
    manifest.get(name).and_then(Value::as_table)
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn each_target_is_a_feature_of_ptx_that_implies_what_the_target_contains() {
    let manifest = manifest(&root().join("Cargo.toml"));
    let features = table(&manifest, "features").unwrap();
    let wanted = Arch::ALL.map(|arch| {
        let contained = arch.contained().map(Arch::name);
        (arch.name(), Vec::from_iter(contained))
    });
    let named = features.iter().filter(|(name, _)| name.starts_with("sm_"));
    let mut named: Vec<_> = named.map(|(name, implied)| (name.as_str(), words(implied))).collect();
    named.sort_by_key(|(name, _)| Arch::ALL.iter().position(|arch| arch.name() == *name));
    assert_eq!(named, wanted, "[features] of Cargo.toml and the table in targets/src/lib.rs");

    // docs.rs shows what some feature opens.
    let docs = words(&manifest["package"]["metadata"]["docs"]["rs"]["features"]);
    let shown: Vec<_> = docs.iter().filter_map(|name| name.parse::<Arch>().ok()).collect();
    let shown: BTreeSet<_> = shown.into_iter().flat_map(Arch::provides).collect();
    assert_eq!(shown, BTreeSet::from(Arch::ALL), "`features` for docs.rs in Cargo.toml");
}

#[test]
fn a_crate_that_names_targets_names_all() {
    let mut checked = BTreeSet::new();
    for folder in ["kernels", "bench", "examples", "tests/device"] {
        for path in files::under(&root().join(folder)).unwrap() {
            if !path.ends_with("Cargo.toml") {
                continue;
            }
            let manifest = manifest(&path);
            let has_ptx = table(&manifest, "dependencies").is_some_and(|it| it.contains_key("ptx"));
            let features = table(&manifest, "features").into_iter().flatten();
            let features: Vec<_> = features.filter(|(name, _)| name.starts_with("sm_")).collect();
            if !has_ptx || features.is_empty() {
                continue;
            }
            let path = path.strip_prefix(root()).unwrap().display().to_string();
            let names: BTreeSet<_> = features.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, BTreeSet::from(Arch::ALL.map(Arch::name)), "[features] of {path}");
            for (name, implied) in features {
                let of_ptx = format!("ptx/{name}");
                assert!(
                    words(implied).contains(&of_ptx.as_str()),
                    "{path}: `{name}` does not enable `{of_ptx}`"
                );
            }
            checked.insert(path);
        }
    }
    assert!(checked.contains("kernels/Cargo.toml"), "{checked:?}");
}

#[test]
fn documents_list_all_targets() {
    for (path, before) in [
        ("docs/book/src/without_the_tools.md", "A feature names the target: "),
        ("docs/book/src/faq.md", "`ptx-build` takes "),
    ] {
        let text = fs::read_to_string(root().join(path)).unwrap();
        let (_, list) = text.split_once(before).unwrap_or_else(|| panic!("{path} lacks `{before}`"));
        let (list, _) = list.split_once('.').unwrap();
        let named: Vec<_> = list.split('`').skip(1).step_by(2).collect();
        assert_eq!(named, Arch::ALL.map(Arch::name), "the list after `{before}` in {path}");
    }
}
