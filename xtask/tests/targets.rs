//! The features and the lists of targets in manifests, documents and messages agree with the tables of `ptx-targets`.
//!
//! `BLESS=1 cargo test -p xtask --test targets` writes the features and the documents. A list in a message is for a person.

use std::collections::BTreeSet;
use std::fs;

use ptx_targets::GATES;
use xtask::device::Arch;
use xtask::{files, root};

/// The documents that list all targets: the file, the words before the list, and the word before its last name.
const DOCUMENTS: [(&str, &str, &str); 2] = [
    ("docs/book/src/without_the_tools.md", "A feature names the target: ", "or"),
    ("docs/book/src/faq.md", "`ptx-build` takes ", "and"),
];

/// The most characters of a line of a document.
const WIDTH: usize = 130;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the line of a target's feature: it enables what the target contains, and in another crate than `ptx` the feature of
/// `ptx`.
fn feature(arch: Arch, is_ptx: bool) -> String {
    let mut enables: Vec<_> = arch.contained().iter().map(|contained| format!("\"{contained}\"")).collect();
    if !is_ptx {
        enables.push(format!("\"ptx/{arch}\""));
    }
    format!("{arch} = [{}]", enables.join(", "))
}

/// Returns a manifest with a feature for each target, in the place of those that it has.
fn with_features(manifest: &str, is_ptx: bool) -> String {
    let is_feature = |line: &&str| line.starts_with("sm_");
    let before = manifest.lines().take_while(|line| !is_feature(line));
    let after = manifest.lines().skip_while(|line| !is_feature(line)).filter(|line| !is_feature(line));
    let features = Arch::ALL.map(|arch| feature(arch, is_ptx));
    let lines = before.map(str::to_owned).chain(features).chain(after.map(str::to_owned));
    lines.map(|line| line + "\n").collect()
}

/// Returns the manifest of `ptx` with the features that docs.rs shows: of the targets, those that no other contains.
fn with_shown_features(manifest: &str) -> String {
    let (before, rest) =
        manifest.split_once("[package.metadata.docs.rs]\nfeatures = [").expect("features for docs.rs");
    let (list, after) = rest.split_once(']').expect("the end of a list");
    let others = list.split(", ").filter(|feature| !feature.starts_with("\"sm_")).map(str::to_owned);
    let is_contained = |arch: &Arch| Arch::ALL.iter().any(|other| other.contained().contains(arch));
    let shown = Arch::ALL.into_iter().filter(|arch| !is_contained(arch)).map(|arch| format!("\"{arch}\""));
    let features: Vec<_> = others.chain(shown).collect();
    format!("{before}[package.metadata.docs.rs]\nfeatures = [{}]{after}", features.join(", "))
}

/// Returns a document with all targets after these words, up to the end of the sentence.
fn with_list(path: &str, document: &str, words: &str, and: &str) -> String {
    let (before, rest) = document.split_once(words).unwrap_or_else(|| panic!("{path} lacks `{words}`"));
    let (list, after) = rest.split_once('.').expect("the end of the sentence");
    // A remark such as `(default)` stays with its target.
    let remark = |arch: Arch| {
        let (_, rest) = list.split_once(&format!("`{arch}` "))?;
        rest.starts_with('(').then(|| rest.split_once(')'))?.map(|(remark, _)| format!(" {remark})"))
    };
    let mut names: Vec<_> =
        Arch::ALL.into_iter().map(|arch| format!("`{arch}`{}", remark(arch).unwrap_or_default())).collect();
    let last = names.pop().expect("a target");
    let mut text = format!("{before}{words}");
    let mut column = text.lines().last().map_or(0, |line| line.chars().count());
    for (i, word) in format!("{} {and} {last}.", names.join(", ")).split(' ').enumerate() {
        if column + 1 + word.len() > WIDTH {
            text.truncate(text.trim_end().len());
            text.push('\n');
            column = 0;
        } else if i > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += word.len();
    }
    text + after
}

/// Returns the paths of the manifests that name targets, besides that of `ptx`.
fn manifests() -> Vec<String> {
    let folders = ["kernels", "bench", "examples", "tests/device"];
    let paths = folders.into_iter().flat_map(|folder| files::under(&root().join(folder)).unwrap());
    let manifests = paths.filter(|path| path.ends_with("Cargo.toml"));
    let paths = manifests.map(|path| path.strip_prefix(root()).unwrap().display().to_string());
    paths
        .filter(|path| read(path).lines().any(|line| line.starts_with("sm_") && line.contains("ptx/")))
        .collect()
}

#[test]
fn features_and_documents_name_all_targets() {
    let mut wanted =
        vec![("Cargo.toml".to_owned(), with_shown_features(&with_features(&read("Cargo.toml"), true)))];
    let manifests = manifests();
    assert!(manifests.contains(&"kernels/Cargo.toml".to_owned()), "{manifests:?}");
    wanted.extend(manifests.into_iter().map(|path| (path.clone(), with_features(&read(&path), false))));
    for (path, words, and) in DOCUMENTS {
        wanted.push((path.to_owned(), with_list(path, &read(path), words, and)));
    }
    let bless = std::env::var_os("BLESS").is_some();
    let mut faults = Vec::new();
    for (path, text) in wanted {
        let found = read(&path);
        if bless {
            files::write(&root().join(&path), &text).unwrap();
        } else if found != text {
            let new = text.lines().filter(|line| !found.lines().any(|old| old == *line));
            faults.push(format!("{path}:\n    {}", new.collect::<Vec<_>>().join("\n    ")));
        }
    }
    assert!(
        faults.is_empty(),
        "these lines differ from targets/src/lib.rs; `BLESS=1 cargo test -p xtask --test targets` writes them:\n{}",
        faults.join("\n")
    );
}

/// Returns the lists of two or more targets in a text, whose names only commas, `or`, line breaks and `feature =` separate, each
/// with its line.
fn lists(text: &str) -> Vec<(usize, Vec<Arch>)> {
    let mut lists: Vec<(usize, Vec<Arch>)> = Vec::new();
    let (mut line, mut between) = (1, "x".to_owned());
    for (i, span) in text.split(['`', '"']).enumerate() {
        let arch = span.parse::<Arch>().ok().filter(|_| i > 0);
        match arch {
            Some(arch) => {
                let is_listed = between
                    .split([',', ' ', '\n'])
                    .all(|word| ["", "or", "///", "feature", "="].contains(&word));
                match lists.last_mut() {
                    Some((_, list)) if is_listed => list.push(arch),
                    _ => lists.push((line, vec![arch])),
                }
                between.clear();
            }
            None => between += span,
        }
        line += span.matches('\n').count();
    }
    lists.retain(|(_, list)| list.len() > 1);
    lists
}

#[test]
fn a_list_of_targets_is_that_of_a_gate() {
    let gates: BTreeSet<&[Arch]> = GATES.iter().map(|gate| gate.targets).collect();
    let mut faults = Vec::new();
    let mut count = 0;
    for path in
        files::under(&root().join("src")).unwrap().into_iter().chain([root().join("kernels/src/lib.rs")])
    {
        let text = fs::read_to_string(&path).unwrap();
        let path = path.strip_prefix(root()).unwrap().display();
        for (line, list) in lists(&text) {
            count += 1;
            if !gates.contains(&list[..]) {
                let names: Vec<_> = list.into_iter().map(Arch::name).collect();
                faults.push(format!("{path}:{line}: {}", names.join(", ")));
            }
        }
    }
    assert!(count > 20, "{count} lists");
    assert!(
        faults.is_empty(),
        "no gate of targets/src/lib.rs has these targets: name those of the gate that is meant\n{}",
        faults.join("\n")
    );
}

#[test]
fn lists_are_found_in_prose_and_in_conditions() {
    let text = "the feature `sm_100f`,\n/// `sm_110f` or `sm_120f`, or `half`; `sm_90` and `sm_90a`\n\
        any(feature = \"sm_90a\", feature = \"sm_100f\")";
    assert_eq!(
        lists(text),
        [(1, vec![Arch::Sm100f, Arch::Sm110f, Arch::Sm120f]), (3, vec![Arch::Sm90a, Arch::Sm100f])]
    );
}
