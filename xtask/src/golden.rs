//! Golden files: texts that tests compare with the files under `tests/golden`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use similar::{ChangeTag, TextDiff};

use crate::device::Arch;
use crate::{files, root};

/// Returns true if `BLESS=1` asks to write golden files.
pub fn blesses() -> bool {
    std::env::var("BLESS").is_ok_and(|value| value == "1")
}

/// A folder of golden files, with the names compared so far and the changes found.
pub struct Golden {
    folder: PathBuf,
    seen: BTreeSet<PathBuf>,
    changes: Vec<String>,
    bless: bool,
}

impl Golden {
    /// Opens `tests/golden/<part>` for comparison, or for writing if `BLESS=1` is set.
    pub fn new(part: &str) -> Golden {
        Golden {
            folder: root().join("tests/golden").join(part),
            seen: BTreeSet::new(),
            changes: Vec::new(),
            bless: blesses(),
        }
    }

    /// Opens `tests/golden/<part>` for writing.
    pub fn blessed(part: &str) -> Golden {
        Golden { bless: true, ..Golden::new(part) }
    }

    /// Compares the file `name` with the expected text.
    pub fn check(&mut self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        self.seen.insert(path.clone());
        let present = fs::read_to_string(&path).unwrap_or_default();
        if present != text {
            self.changes.push(format!("{}\n{}", shown(&path), diff(&present, text)));
            if self.bless {
                files::write(&path, text)?;
            }
        }
        Ok(())
    }

    /// Compares the texts of several targets: with one file if all texts are equal, or else with one file per target.
    pub fn check_targets(&mut self, name: &str, texts: &[(Arch, String)]) -> Result<()> {
        match texts {
            [(_, first), others @ ..]
                if others.iter().all(|(_, text)| text == first) && !others.is_empty() =>
            {
                self.check(&format!("{name}.ptx"), first)
            }
            _ => texts.iter().try_for_each(|(arch, text)| self.check(&format!("{name}.{arch}.ptx"), text)),
        }
    }

    /// Ends the comparison. A file that nothing generated counts as a change. Returns the changes that were written. If nothing
    /// may be written, a change is an error.
    pub fn finish(mut self) -> Result<Vec<String>> {
        for path in files::under(&self.folder)? {
            if !self.seen.contains(&path) {
                self.changes.push(format!("{}: nothing generates this file any more\n", shown(&path)));
                if self.bless {
                    fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
                }
            }
        }
        ensure!(
            self.bless || self.changes.is_empty(),
            "{} golden files differ; if you want the change, run this test with `BLESS=1` and read the diff\n\n{}",
            self.changes.len(),
            self.changes.join("\n")
        );
        Ok(self.changes)
    }
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Returns the changed lines with two lines of context.
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
