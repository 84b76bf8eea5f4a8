//! What the golden tests share: reading PTX as instructions, and comparing it with files.

#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use similar::{ChangeTag, TextDiff};
use xtask::forms::map_words;

/// Registers and labels by the order in which they appear, so that two allocations of one sequence are equal.
pub fn ordered_registers(body: &str) -> String {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    map_words(body, |word| {
        let class = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let is_label = word.starts_with("$L__BB");
        if !(is_label || (word.starts_with('%') && class.len() < word.len())) {
            return word.into();
        }
        let class = if is_label { "$L" } else { class };
        let count = counts.entry(class.into()).or_default();
        names
            .entry(word.into())
            .or_insert_with(|| {
                *count += 1;
                format!("{class}{count}")
            })
            .clone()
    })
}

/// The body of a kernel as one instruction a line: no comments, directives or declarations; asm blocks taken apart.
pub fn body(module: &str, kernel: &str) -> String {
    let (_, from) =
        module.split_once(&format!(".entry {kernel}(")).unwrap_or_else(|| panic!("no kernel {kernel}"));
    let (_, from) = from.split_once("\n{\n").expect("a body");
    let (body, _) = from.split_once("\n}").expect("a body's end");
    let mut lines = Vec::new();
    for line in body.lines() {
        let line = line.split_once("//").map_or(line, |(code, _)| code).trim().replace('\t', " ");
        if line.is_empty() || line.starts_with('.') {
            continue;
        }
        if line.starts_with('$') {
            lines.push(line);
            continue;
        }
        let line =
            line.strip_prefix("{ ").and_then(|line| line.strip_suffix('}')).unwrap_or(&line).to_owned();
        for statement in line.split(';').map(str::trim).filter(|s| !s.is_empty() && !s.starts_with(".reg")) {
            lines.push(format!("{};", plain_symbols(statement, kernel)));
        }
    }
    ordered_registers(&(lines.join("\n") + "\n"))
}

/// Symbols that do not depend on the kernel's name, or on where the crate lies (a crate's hash does).
fn plain_symbols(statement: &str, kernel: &str) -> String {
    let words = map_words(statement, |word| {
        let (symbol, suffix) = word.split_at(word.find("__smem").unwrap_or(word.len()));
        match rustc_demangle::try_demangle(symbol) {
            Ok(name) => format!("{name:#}{suffix}").replace(['<', '>', ' '], ""),
            Err(_) => word.into(),
        }
    });
    words.replace(&format!("{kernel}_param_"), "param_")
}

/// Whether golden files are to be written, by `BLESS=1`.
pub fn blesses() -> bool {
    std::env::var("BLESS").is_ok_and(|value| value == "1")
}

/// Golden files under `tests/golden/<part>`: those that were compared, and what was wrong.
pub struct Golden {
    part: PathBuf,
    seen: BTreeSet<PathBuf>,
    faults: Vec<String>,
    bless: bool,
}

impl Golden {
    pub fn new(part: &str) -> Golden {
        let part = xtask::root().join("tests/golden").join(part);
        Golden { part, seen: BTreeSet::new(), faults: Vec::new(), bless: blesses() }
    }

    /// Compares, or with `BLESS=1` writes.
    pub fn check(&mut self, name: &str, text: &str) {
        let path = self.part.join(name);
        self.seen.insert(path.clone());
        let golden = fs::read_to_string(&path);
        match golden {
            Ok(golden) if golden == text => {}
            _ if self.bless => {
                fs::create_dir_all(path.parent().expect("a folder")).expect("golden folder");
                fs::write(&path, text).expect("golden file");
            }
            Ok(golden) => self.faults.push(format!("{}\n{}", self.shown(&path), diff(&golden, text))),
            Err(error) => self.faults.push(format!("{}: {error}", self.shown(&path))),
        }
    }

    /// Fails where a file differed, was missing, or belongs to nothing.
    #[track_caller]
    pub fn finish(mut self) {
        for path in files(&self.part) {
            if self.seen.contains(&path) {
                continue;
            }
            if self.bless {
                fs::remove_file(&path).expect("orphan");
            } else {
                self.faults.push(format!("{}: an orphan: nothing makes it any more", self.shown(&path)));
            }
        }
        assert!(
            self.faults.is_empty(),
            "{} golden files differ; if the change is meant, run this test with `BLESS=1` and read the diff\n\n{}",
            self.faults.len(),
            self.faults.join("\n")
        );
    }

    fn shown(&self, path: &std::path::Path) -> String {
        path.strip_prefix(xtask::root()).unwrap_or(path).display().to_string()
    }
}

fn files(folder: &std::path::Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("entry").path()) {
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// The lines that changed, with two lines around them.
pub fn diff(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut shown = String::new();
    for group in diff.grouped_ops(2) {
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, line) = match change.tag() {
                ChangeTag::Delete => ('-', change.old_index()),
                ChangeTag::Insert => ('+', change.new_index()),
                ChangeTag::Equal => (' ', change.new_index()),
            };
            shown +=
                &format!("  {sign} {:>4} {}\n", line.map_or(0, |line| line + 1), change.value().trim_end());
        }
    }
    shown
}
