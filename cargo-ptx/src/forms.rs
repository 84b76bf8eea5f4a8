//! `cargo ptx forms`.

use std::process::ExitCode;

use anyhow::Result;

/// Lists the instructions of `ptx::raw` with their functions, and the typed functions made of them
///
/// Each line of PTX is a pattern: what stands in braces is optional, and each word such as `.sem` is a tag, for which
/// `ptx::qualifier` has the values.
#[derive(clap::Args)]
pub struct Options {
    /// Words that the PTX, the function or the typed functions contain, such as `mbarrier arrive`; without words, all are listed
    text: Vec<String>,
}

/// The index of the raw layer.
const INDEX: &str = include_str!("../INSTRUCTIONS.md");

pub fn run(options: &Options) -> Result<ExitCode> {
    let found: Vec<_> = rows(INDEX).filter(|row| row.has(&options.text)).collect();
    if found.is_empty() {
        eprintln!("no instruction of `ptx::raw` has {}", options.text.join(" "));
        return Ok(ExitCode::FAILURE);
    }
    crate::print(&found.iter().map(Row::shown).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

/// A row of the index.
struct Row<'a> {
    ptx: &'a str,
    function: &'a str,
    /// The PTX version and target from which on the instruction exists.
    since: &'a str,
    section: &'a str,
    typed: String,
}

impl Row<'_> {
    fn shown(&self) -> String {
        let Row { ptx, function, since, section, typed } = self;
        let typed = if typed.is_empty() { String::new() } else { format!("    typed: {typed}\n") };
        format!("{ptx}\n    ptx::raw::{function}   PTX ISA {since}, section {section}\n{typed}")
    }

    /// Returns true if each word occurs in the row.
    fn has(&self, words: &[String]) -> bool {
        let text = [self.ptx, self.function, &self.typed].join(" ").to_lowercase();
        words.iter().flat_map(|word| word.split_whitespace()).all(|word| text.contains(&word.to_lowercase()))
    }
}

/// Returns the rows of the index's tables.
fn rows(index: &str) -> impl Iterator<Item = Row<'_>> {
    index.lines().filter_map(|line| {
        // A cell is in backquotes, and has no bar.
        let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ");
        let ptx = cells.next()?.strip_suffix('`')?;
        let function = cells.next()?.trim_matches('`');
        Some(Row {
            ptx,
            function,
            since: cells.next()?,
            section: cells.next()?,
            typed: cells.next()?.replace('`', ""),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_index_is_read() {
        let lines = INDEX.lines().filter(|line| line.starts_with("| `")).count();
        assert!(lines > 300, "{lines}");
        assert_eq!(rows(INDEX).count(), lines);
        let functions: Vec<_> = rows(INDEX).map(|row| row.function).collect();
        for function in ["activemask", "mbarrier_init", "cp_async_bulk_global_shared_cta"] {
            assert!(functions.contains(&function), "{function}");
        }
    }

    #[test]
    fn all_words_must_occur() {
        let count = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
            rows(INDEX).filter(|row| row.has(&words)).count()
        };
        assert_eq!(count(&["ActiveMask"]), 1);
        let (both, one) = (count(&["mbarrier", "arrive"]), count(&["mbarrier"]));
        assert!(0 < both && both < one, "{both} {one}");
        assert_eq!(count(&["mbarrier arrive"]), both);
        assert_eq!(count(&["no such instruction"]), 0);
    }
}
