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

/// The opcode and the qualifiers of all forms of each function: `function: opcode qualifier …`.
const QUALIFIERS: &str = include_str!("../QUALIFIERS.txt");

/// Returns the rows that contain each word. Without such a row, returns those that the first word, an instruction, is a form of.
fn matching(words: &[String]) -> Vec<Row<'static>> {
    let found: Vec<_> = rows(INDEX).filter(|row| row.has(words)).collect();
    let instruction = words.first().and_then(|word| word.split_whitespace().next()).unwrap_or_default();
    if !found.is_empty() || !instruction.contains('.') {
        return found;
    }
    let pieces = pieces(instruction);
    let Some((last, before)) = pieces.split_last() else { return found };
    let has_all = |row: &Row| before.iter().all(|piece| row.has_piece(piece)) && row.has_piece(last);
    let mut fitting: Vec<_> = rows(INDEX).filter(has_all).collect();
    if fitting.is_empty() {
        // The last piece may be the beginning of one.
        let begins = |row: &Row| row.pieces.iter().any(|piece| piece.starts_with(*last));
        let begun = |row: &Row| before.iter().all(|piece| row.has_piece(piece)) && begins(row);
        fitting = rows(INDEX).filter(begun).collect();
    }
    // A row whose fixed parts are all there is the instruction; otherwise, the instruction is not complete.
    let is_whole = |row: &Row| row.fixed().all(|part| pieces.iter().any(|piece| row.is(piece, part)));
    if fitting.iter().any(is_whole) {
        fitting.retain(is_whole);
    }
    fitting
}

/// Returns the opcode and the qualifiers of an instruction, in the spelling of the index.
fn pieces(instruction: &str) -> Vec<&str> {
    const ORDERS: [&str; 6] = ["weak", "volatile", "relaxed", "acquire", "release", "mmio"];
    let name = instruction.trim_start_matches('@').split(';').next().unwrap_or_default();
    let mut pieces: Vec<_> = name.split('.').filter(|piece| !piece.is_empty()).collect();
    match pieces[..] {
        // `bar` and `barrier` are older names of `barrier.cta` (PTX ISA 9.7.13.1).
        ["bar" | "barrier", "sync" | "arrive" | "red", ..] => _ = pieces.splice(..1, ["barrier", "cta"]),
        // `membar` is an older name of `fence` (PTX ISA 9.7.13.4).
        ["membar", "proxy", ..] => pieces[0] = "fence",
        ["membar", scope, ..] => {
            pieces.splice(..2, ["fence", "sc", if scope == "gl" { "gpu" } else { scope }]);
        }
        // Without an order, an access is weak (PTX ISA 9.7.9.8).
        ["ld" | "st", second, ..]
            if second != "async"
                && second != "bulk"
                && !pieces.iter().any(|piece| ORDERS.contains(piece)) =>
        {
            pieces.insert(1, "weak");
        }
        _ => {}
    }
    pieces
}

/// A row of the index.
struct Row<'a> {
    ptx: &'a str,
    function: &'a str,
    /// The first PTX version and the first target that have the instruction.
    since: &'a str,
    section: &'a str,
    typed: String,
    /// The opcode and the qualifiers of all its forms.
    pieces: Vec<&'static str>,
}

impl Row<'_> {
    fn shown(&self) -> String {
        let Row { ptx, function, since, section, typed, .. } = self;
        let typed = if typed.is_empty() { String::new() } else { format!("    typed: {typed}\n") };
        format!("{ptx}\n    ptx::raw::{function}   PTX ISA {since}, section {section}\n{typed}")
    }

    /// Returns the parts of the instruction's name that stand outside of braces.
    fn fixed(&self) -> impl Iterator<Item = &str> {
        let name = self.ptx.split([' ', ';']).next().unwrap_or_default();
        let parts = name.split(['{', '}']).step_by(2);
        parts.flat_map(|part| part.split('.')).filter(|part| !part.is_empty())
    }

    fn has_piece(&self, piece: &str) -> bool {
        self.pieces.iter().any(|own| self.is(piece, own))
    }

    /// Returns true if a piece of an instruction is a piece of the row: `.shared` is an older name of `.shared::cta`.
    fn is(&self, piece: &str, own: &str) -> bool {
        piece.eq_ignore_ascii_case(own)
            || piece == "shared" && own == "shared::cta" && !self.pieces.contains(&"shared")
    }

    /// Returns true if each word occurs in the row, or is a qualifier of the function.
    fn has(&self, words: &[String]) -> bool {
        let text = [self.ptx, self.function, &self.typed].join(" ").to_lowercase();
        let mut words = words.iter().flat_map(|word| word.split_whitespace());
        words.all(|word| text.contains(&word.to_lowercase()) || self.has_piece(word.trim_start_matches('.')))
    }
}

/// Returns the rows of the index's tables.
fn rows(index: &str) -> impl Iterator<Item = Row<'_>> {
    index.lines().filter_map(|line| {
        // A cell is in backquotes, and has no bar.
        let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ");
        let ptx = cells.next()?.strip_suffix('`')?;
        let function = cells.next()?.trim_matches('`');
        let pieces = QUALIFIERS.lines().filter_map(|line| line.split_once(": "));
        let pieces = pieces.filter(|(name, _)| *name == function).flat_map(|(_, pieces)| pieces.split(' '));
        Some(Row {
            ptx,
            function,
            pieces: pieces.collect(),
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
        // With optional operands, and without.
        let parity = ["_conditional", "_report", "_report_value", ""]
            .map(|more| format!("mbarrier_try_wait_parity{more}"));
        assert_eq!(found, ["mbarrier_try_wait_parity"]);
        assert_eq!(functions("mbarrier.try_wait.parity.acquire"), parity);
        let load = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [a], [b], 16, [c], p;";
        assert_eq!(
            functions(load),
            ["cp_async_bulk_shared_cluster_global", "cp_async_bulk_shared_cluster_global_report"]
        );
        assert_eq!(functions("fence.proxy.async.global;"), ["fence_proxy_async"]);
        assert_eq!(functions("bar.sync"), ["barrier_cta_sync"]);
        assert!(functions("atom.relaxed.gpu.global.add.u32").contains(&"atom_add"));
        assert!(functions("atom.global.mul.u32").is_empty());
        assert!(functions("mbarrier.wait.b64").is_empty());
    }

    #[test]
    fn qualifiers_have_values_and_any_order() {
        let functions = |instruction: &str| -> Vec<_> {
            matching(&[instruction.to_owned()]).into_iter().map(|row| row.function).collect()
        };
        assert_eq!(functions("ld.relaxed.cta"), ["ld"]);
        assert_eq!(functions("ld.relaxed.cta.shared::cta.v2.f32"), ["ld_v2"]);
        assert_eq!(functions("ld.shared.f32"), ["ld_weak"]);
        assert_eq!(functions("st.release.gpu.shared::cluster.b128"), ["st_b128"]);
        assert_eq!(functions("cvt.rn.f16x2.f32"), ["cvt_f32x2"]);
        assert_eq!(functions("cvt.f32.rn.bf16x2"), ["cvt_f32x2"]);
        assert_eq!(functions("cvt.rn.f16x2.e4m3x2"), ["cvt_f16x2_f8x2"]);
        assert_eq!(functions("atom.add.gpu.relaxed.global.u32"), ["atom_add"]);
        assert_eq!(functions("membar.gl"), ["fence"]);
        assert_eq!(functions("bar.sync.aligned"), functions("barrier.cta.sync.aligned"));
        assert!(functions("mbarrier.try").iter().all(|name| name.starts_with("mbarrier_try_wait")));
        assert!(!functions("mbarrier.try").is_empty());
        assert!(functions("cvt.rn.f16x2.f64").is_empty());
        assert!(functions("ld.relaxed.grid").is_empty());
        let words = ["ld".to_owned(), "relaxed".into(), "b128".into()];
        assert!(matching(&words).iter().any(|row| row.function == "ld_b128"));
    }

    /// `BLESS=1 cargo test --test coverage index` writes the file.
    #[test]
    fn the_qualifiers_are_those_of_the_golden_files() {
        assert!(QUALIFIERS == xtask::index::qualifiers().unwrap(), "QUALIFIERS.txt is out of date");
        for row in rows(INDEX) {
            assert!(!row.pieces.is_empty(), "{}", row.function);
        }
    }
}
