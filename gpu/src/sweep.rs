//! Sweep over the parameters of `axpy_bulk`: stages and tiles of the build (`bench/sweep`), and threads and blocks of the launch.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::axpy_checks;
use crate::check::Check;
use crate::image::Image;
use crate::options::Options;
use crate::report::{Outcome, Report};
use crate::shape::Shape;

/// Threads per block and blocks per multiprocessor to try with each variant.
const THREADS: [u32; 3] = [256, 512, 1024];
const CTAS_PER_SM: [u32; 2] = [1, 2];

/// Shared memory of a multiprocessor that blocks can use, and the part that the system reserves per block, in bytes. Blocks
/// that do not fit at the same time would run one after the other.
const SHARED_OF_SM: u32 = 227 * 1024;
const RESERVED: u32 = 1024;

/// Makes a check for each variant in the folder `sweep` and each launch that fits.
pub fn list(options: &Options) -> Result<Vec<Check>> {
    let dir = options.dir()?.join("sweep");
    let repetitions = options.repetitions();
    let checks = variants(&dir)?.into_iter().map(|(name, path, shape)| {
        let label = format!("{name}-b{}-c{}", shape.threads, shape.ctas_per_sm);
        let image = Image { label: "cubin".into(), path };
        Check::new(label, options, move |gpu| {
            axpy_checks::check_and_measure(gpu, &image, &name, shape, repetitions)
        })
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
                "{} is not called axpy_bulk_s<stages>_t<tile KiB>.cubin; rename it or remove it",
                path.display()
            )
        })?;
        for (threads, ctas_per_sm) in THREADS.iter().flat_map(|&t| CTAS_PER_SM.map(|c| (t, c))) {
            let shape = Shape { threads, ctas_per_sm, ..shape };
            if ctas_per_sm * (shape.dynamic_shared_bytes() + RESERVED) <= SHARED_OF_SM + RESERVED {
                variants.push((name.clone(), path.clone(), shape));
            }
        }
    }
    ensure!(!variants.is_empty(), "no variants to sweep: no cubin in {}", dir.display());
    variants.sort_by_key(|(_, _, shape)| (shape.stages, shape.tile_bytes, shape.threads, shape.ctas_per_sm));
    Ok(variants)
}

fn parse(name: &str) -> Option<Shape> {
    let mut parts = name.strip_prefix("axpy_bulk_")?.split('_');
    let mut number = |letter| parts.next()?.strip_prefix(letter)?.parse().ok().filter(|&n: &u32| n > 0);
    let (stages, tile_kib) = (number('s')?, number('t')?);
    let tile_bytes = tile_kib.checked_mul(1024).filter(|bytes| bytes.checked_mul(2 * stages).is_some())?;
    parts.next().is_none().then_some(Shape { threads: THREADS[0], stages, tile_bytes, ctas_per_sm: 1 })
}

/// Formats the variants with right results as a table, fastest first.
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
        let shape = parse("axpy_bulk_s4_t8").unwrap();
        assert_eq!(shape, Shape { threads: 256, stages: 4, tile_bytes: 8 * 1024, ctas_per_sm: 1 });
        assert_eq!(shape.dynamic_shared_bytes(), 4 * (2 * 8 * 1024 + 8));
    }

    #[test]
    fn other_names_are_not_guessed_at() {
        for name in [
            "axpy_bulk",
            "axpy_bulk_s4",
            "axpy_bulk_s4_t8_x",
            "axpy_bulk_s0_t8",
            "axpy_bulk_t8_s4",
            "axpy_bulk_s4_tx",
            "axpy_bulk_s4_t4194304",
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
