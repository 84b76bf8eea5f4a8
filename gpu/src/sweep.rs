//! The same kernel built with other stages, tiles and threads: which is fastest?

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::axpy_bulk::Shape;
use crate::axpy_checks;
use crate::check::Check;
use crate::cli::Options;
use crate::report::{Outcome, Report};

/// One check for each variant in the folder `sweep`.
pub fn list(options: &Options) -> Result<Vec<Check>> {
    let dir = options.dir()?.join("sweep");
    let variants = variants(&dir)?;
    let repetitions = options.repetitions();
    let checks = variants.into_iter().map(|(name, path, shape)| {
        let shape = Shape { ctas_per_sm: options.ctas_per_sm, ..shape };
        Check::new(name, options, move |gpu| axpy_checks::check_and_measure(gpu, &path, shape, repetitions))
    });
    Ok(checks.collect())
}

fn variants(dir: &Path) -> Result<Vec<(String, PathBuf, Shape)>> {
    let entries = std::fs::read_dir(dir)
        .with_context(|| format!("no variants to sweep: cannot read the folder {}", dir.display()))?;
    let mut variants = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "cubin") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let shape = parse(&name).with_context(|| {
            format!(
                "{} is not called axpy_bulk-s<stages>-t<tile KiB>-b<threads>.cubin; rename or remove it",
                path.display()
            )
        })?;
        variants.push((name, path, shape));
    }
    ensure!(!variants.is_empty(), "no variants to sweep: no cubin in {}", dir.display());
    variants.sort_by_key(|(_, _, shape)| (shape.stages, shape.tile_bytes, shape.threads));
    Ok(variants)
}

fn parse(name: &str) -> Option<Shape> {
    let mut parts = name.strip_prefix("axpy_bulk-")?.split('-');
    let mut number = |letter| parts.next()?.strip_prefix(letter)?.parse().ok().filter(|&n: &u32| n > 0);
    let (stages, tile_kib, threads) = (number('s')?, number('t')?, number('b')?);
    let tile_bytes = tile_kib.checked_mul(1024).filter(|bytes| bytes.checked_mul(2 * stages).is_some())?;
    parts.next().is_none().then_some(Shape { threads, stages, tile_bytes, ctas_per_sm: 1 })
}

/// The variants that were right, fastest first.
pub fn table(reports: &[Report]) -> String {
    let mut right: Vec<_> = reports.iter().filter(|report| report.outcome == Outcome::Passed).collect();
    let number = |report: &Report, field: &str| report.data[field].as_f64().unwrap_or(f64::NAN);
    right.sort_by(|left, right| number(right, "ratio").total_cmp(&number(left, "ratio")));
    let mut table =
        format!("{:28} {:>7} {:>9} {:>9} {:>9}\n", "variant", "ratio", "GB/s", "copy GB/s", "registers");
    for report in right {
        table += &format!(
            "{:28} {:7.4} {:9.1} {:9.1} {:9}\n",
            report.name,
            number(report, "ratio"),
            number(report, "axpy_gbs"),
            number(report, "copy_gbs"),
            number(report, "registers"),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_says_how_the_variant_was_built() {
        let shape = parse("axpy_bulk-s4-t8-b128").unwrap();
        assert_eq!(shape, Shape { threads: 128, stages: 4, tile_bytes: 8 * 1024, ctas_per_sm: 1 });
        assert_eq!(shape.dynamic_shared_bytes(), 4 * 2 * 8 * 1024 + 128);
    }

    #[test]
    fn other_names_are_not_guessed_at() {
        for name in [
            "axpy_bulk",
            "axpy_bulk-s4-t8",
            "axpy_bulk-s4-t8-b128-x",
            "axpy_bulk-s0-t8-b128",
            "axpy_bulk-t8-s4-b128",
            "axpy_bulk-s4-t8-bx",
            "axpy_bulk-s4-t4194304-b1",
        ] {
            assert_eq!(parse(name), None, "{name}");
        }
    }

    #[test]
    fn the_table_has_the_right_ones_fastest_first() {
        let report = |name: &str, outcome, ratio: f64| Report {
            outcome,
            data: json!({ "ratio": ratio, "axpy_gbs": 4000.0, "copy_gbs": 4100.0, "registers": 32 }),
            ..Report::skipped(name.into())
        };
        let table = table(&[
            report("slow", Outcome::Passed, 0.9),
            report("wrong", Outcome::Failed, 1.5),
            report("fast", Outcome::Passed, 0.99),
        ]);
        let names: Vec<_> = table.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, ["variant", "fast", "slow"]);
        assert!(table.contains("0.9900"), "{table}");
    }
}
