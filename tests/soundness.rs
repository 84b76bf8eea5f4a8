//! Checks that every test, kernel and file that docs/SOUNDNESS.md cites exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::files;

const TEXT: &str = "docs/SOUNDNESS.md";

/// Returns the code spans of a Markdown text with their lines.
fn code_spans(text: &str) -> Vec<(usize, &str)> {
    text.lines()
        .enumerate()
        .flat_map(|(i, line)| {
            assert!(line.matches('`').count() % 2 == 0, "{TEXT}:{}: a code span ends on another line", i + 1);
            line.split('`').skip(1).step_by(2).map(move |span| (i + 1, span))
        })
        .collect()
}

/// Returns true if `name` matches `pattern`. Each `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            (0..=name.len()).any(|i| name.is_char_boundary(i) && matches(rest, &name[i..]))
        }),
    }
}

/// Returns true if the last part of a code span names a UI case: `r`, the number of a rule or `*`, then `_`.
fn is_case(span: &str) -> bool {
    let name = span.rsplit('/').next().unwrap_or_default();
    let number = name.strip_prefix('r').and_then(|rest| rest.split_once('_')).map(|(number, _)| number);
    number.is_some_and(|number| {
        number == "*" || (!number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()))
    })
}

/// The files, pairs and kernels that the document may cite.
#[derive(Debug, Default)]
struct Cited {
    /// Files and folders, relative to the repository root; UI cases without `.rs`.
    paths: BTreeSet<String>,
    /// The typed twins in `tests/device/typed`: `typed_…`.
    pairs: BTreeSet<String>,
    /// The kernels, as `kernels/<name>`.
    kernels: BTreeSet<String>,
}

impl Cited {
    fn read(root: &Path) -> Self {
        let mut cited = Cited::default();
        for folder in ["docs", "host", "kernels/src", "launch", "link/src", "src", "tests"] {
            for file in files::under(&root.join(folder)).unwrap() {
                let path = file.strip_prefix(root).unwrap();
                cited.paths.extend(path.ancestors().skip(1).map(name).filter(|name| !name.is_empty()));
                if !path.starts_with("tests/ui") {
                    cited.paths.insert(name(path));
                } else if let Some(case) = name(path).strip_suffix(".rs") {
                    cited.paths.insert(case.to_owned());
                }
            }
        }
        for text in texts(&root.join("tests/device/typed/src")) {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            cited.pairs.extend(words.filter(|word| word.starts_with("typed_")).map(str::to_owned));
        }
        for text in texts(&root.join("kernels/src")) {
            for start in ["#[ptx::kernel(", "extern \"ptx-kernel\""] {
                let kernels =
                    text.split(start).skip(1).filter_map(|rest| rest.split_once(" fn ")?.1.split_once('('));
                cited.kernels.extend(kernels.map(|(kernel, _)| format!("kernels/{kernel}")));
            }
        }
        cited
    }

    /// Resolves a code span. Returns `None` if the span is not a citation. `folder` is the folder of the preceding UI case.
    fn resolves(&self, span: &str, folder: &mut PathBuf) -> Option<bool> {
        // A span with `…`, such as `tests/ui/…`, describes citations and is none itself.
        if span.contains('…') {
            return None;
        }
        let found = |set: &BTreeSet<String>, pattern: &str| set.iter().any(|name| matches(pattern, name));
        if span.starts_with("tests/ui/") {
            *folder =
                if is_case(span) { Path::new(span).parent().unwrap() } else { Path::new(span) }.to_owned();
        } else if is_case(span) {
            return Some(found(&self.paths, &name(&folder.join(span))));
        }
        if span.starts_with("typed_") {
            return Some(found(&self.pairs, span));
        }
        if span.starts_with("kernels/") && !span.starts_with("kernels/src") {
            return Some(found(&self.kernels, span));
        }
        let is_path = ["docs/", "host/", "kernels/", "launch/", "link/", "src/", "tests/"]
            .iter()
            .any(|folder| span.starts_with(folder));
        is_path.then(|| found(&self.paths, span))
    }
}

fn name(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn texts(folder: &Path) -> Vec<String> {
    files::under(folder).unwrap().iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// Returns the citations that do not resolve, with their lines, and the number of all citations.
fn unresolved(text: &str, cited: &Cited) -> (Vec<String>, usize) {
    let (mut faults, mut count, mut folder) = (Vec::new(), 0, PathBuf::new());
    for (line, span) in code_spans(text) {
        let Some(resolves) = cited.resolves(span, &mut folder) else { continue };
        count += 1;
        if !resolves {
            let at = if is_case(span) { format!(" in `{}`", folder.display()) } else { String::new() };
            faults.push(format!("{TEXT}:{line}: `{span}`{at} names no test, kernel or file"));
        }
    }
    (faults, count)
}

#[test]
fn every_test_that_the_argument_cites_exists() {
    let text = fs::read_to_string(xtask::root().join(TEXT)).unwrap();
    let (faults, count) = unresolved(&text, &Cited::read(&xtask::root()));
    assert!(faults.is_empty(), "correct the citation, or restore the test:\n{}", faults.join("\n"));
    assert!(count > 200, "found only {count} citations; if their form has changed, correct this test");
}

#[test]
fn a_citation_that_resolves_to_nothing_is_named_with_its_line() {
    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let cited = Cited {
        paths: set(&["tests/ui/bulk/r5_used_in_flight", "tests/ui/launch/r0_forged", "tests/sass.rs"]),
        pairs: set(&["typed_bulk_load"]),
        kernels: set(&["kernels/axpy"]),
    };
    let text = "`Cta` (`tests/ui/bulk/r5_*`, `r5_used_*_flight`; `tests/sass.rs`)\n`typed_bulk_*`, `kernels/axpy`, `r0_forged`\n\
         `tests/ui/launch/r0_*`, `r0_forged`, `r1_*`\n`typed_gone`, `kernels/gone`, `tests/gone.rs`";
    let (faults, count) = unresolved(text, &cited);
    let spans: Vec<_> = faults.iter().map(|fault| fault.split(" names").next().unwrap()).collect();
    assert_eq!(
        spans,
        [
            "docs/SOUNDNESS.md:2: `r0_forged` in `tests/ui/bulk`",
            "docs/SOUNDNESS.md:3: `r1_*` in `tests/ui/launch`",
            "docs/SOUNDNESS.md:4: `typed_gone`",
            "docs/SOUNDNESS.md:4: `kernels/gone`",
            "docs/SOUNDNESS.md:4: `tests/gone.rs`",
        ]
    );
    assert_eq!(count, 12);
}
