//! `cargo ptx forms`.

use std::process::ExitCode;

use anyhow::Result;

/// Lists the instructions of `ptx::raw` with their functions, and the typed functions made of them
///
/// Each line of PTX is a pattern: what stands in braces is optional, and each word such as `.sem` is a tag, for which
/// `ptx::qualifier` has the values.
#[derive(clap::Args)]
pub struct Options {
    /// An instruction with its qualifiers, such as `mbarrier.arrive.release.cta.b64`; or words that the PTX, the function or the
    /// typed functions contain, such as `mbarrier arrive`; without words, all are listed
    text: Vec<String>,
}

/// The index of the raw layer.
const INDEX: &str = include_str!("../INSTRUCTIONS.md");

pub fn run(options: &Options) -> Result<ExitCode> {
    let found = matching(&options.text);
    if found.is_empty() {
        eprintln!("no instruction of `ptx::raw` has {}", options.text.join(" "));
        return Ok(ExitCode::FAILURE);
    }
    crate::print(&found.iter().map(Row::shown).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the rows that contain each word. Without such a row, returns those whose pattern the first word fits best.
fn matching(words: &[String]) -> Vec<Row<'static>> {
    let found: Vec<_> = rows(INDEX).filter(|row| row.has(words)).collect();
    let instruction = words.first().and_then(|word| word.split_whitespace().next()).unwrap_or_default();
    if !found.is_empty() || !instruction.contains('.') {
        return found;
    }
    let mut pieces: Vec<_> = instruction.trim_end_matches(';').split('.').collect();
    // `bar` and `barrier` are older names of `barrier.cta` (PTX ISA 9.7.13.1).
    if let ["bar" | "barrier", "sync" | "arrive" | "red", ..] = pieces[..] {
        pieces.splice(..1, ["barrier", "cta"]);
    }
    let fits = |row: Row<'static>| Some((fixed_pieces(&pieces, &row.pattern())?, row));
    let fitting: Vec<_> = rows(INDEX).filter_map(fits).collect();
    let best = fitting.iter().map(|(fixed, _)| *fixed).max().unwrap_or_default();
    fitting.into_iter().filter(|(fixed, _)| *fixed == best && best > 1).map(|(_, row)| row).collect()
}

/// A part of the pattern of an instruction's name.
enum Part<'a> {
    Fixed(&'a str),
    /// A qualifier of any value, or none.
    Qualifier,
}

/// Returns the number of pieces that are fixed parts of the pattern; `None` if the pieces do not fit. The end may be missing.
fn fixed_pieces(pieces: &[&str], pattern: &[Part]) -> Option<usize> {
    let Some((piece, rest)) = pieces.split_first() else { return Some(0) };
    match pattern.split_first()? {
        (Part::Fixed(fixed), after) if piece == fixed => Some(1 + fixed_pieces(rest, after)?),
        (Part::Fixed(_), _) => None,
        (Part::Qualifier, after) => fixed_pieces(pieces, after).max(fixed_pieces(rest, after)),
    }
}

/// A row of the index.
struct Row<'a> {
    ptx: &'a str,
    function: &'a str,
    /// The first PTX version and the first target that have the instruction.
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

    /// Returns the parts of the instruction's name, which ends before the operands.
    fn pattern(&self) -> Vec<Part<'_>> {
        let name = self.ptx.split([' ', ';']).next().unwrap_or_default();
        let parts = name.split(['{', '}']).enumerate();
        let parts = parts.flat_map(|(i, part)| match i % 2 {
            0 => part.split('.').filter(|piece| !piece.is_empty()).map(Part::Fixed).collect(),
            _ => vec![Part::Qualifier],
        });
        parts.collect()
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

    #[test]
    fn an_instruction_with_its_qualifiers_is_found() {
        let functions = |instruction: &str| -> Vec<_> {
            matching(&[instruction.to_owned()]).into_iter().map(|row| row.function).collect()
        };
        let found = functions("mbarrier.try_wait.parity.acquire.cta.shared::cta.b64");
        assert_eq!(found, ["mbarrier_try_wait_parity"]);
        assert_eq!(functions("mbarrier.try_wait.parity.acquire"), ["mbarrier_try_wait_parity"]);
        let load = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [a], [b], 16, [c], p;";
        assert_eq!(functions(load), ["cp_async_bulk_shared_cluster_global"]);
        assert_eq!(functions("fence.proxy.async.global;"), ["fence_proxy_async"]);
        assert_eq!(functions("bar.sync"), ["barrier_cta_sync"]);
        assert!(functions("atom.relaxed.gpu.global.add.u32").contains(&"atom_add"));
        assert!(functions("atom.global.mul.u32").is_empty());
        assert!(functions("mbarrier.wait.b64").is_empty());
    }
}
