//! Benchmarks: each kernel beside its twin in CUDA C++ (`bench/cuda`). Checks both results, then times both in one process.

mod case;
mod halves;
mod library;
mod math;
mod primitives;
mod tensor;
mod words;

use std::fmt::Write as _;

use anyhow::Result;

use self::case::{Bench, Case, sides};
use crate::check::{Check, Finding};
use crate::options::Options;
use crate::report::{Outcome, Report};

fn cases() -> impl Iterator<Item = Case> {
    let kernels_of_words = words::cases().into_iter().chain(math::cases());
    kernels_of_words
        .chain(tensor::cases())
        .chain(library::cases())
        .chain(primitives::cases())
        .chain(halves::cases())
}

/// Makes a check for each case. The check passes if both results are right; its data are the times.
pub fn list(options: &Options) -> Result<Vec<Check>> {
    let dir = options.dir()?;
    let repetitions = options.bench_repetitions();
    let checks = cases().map(|Case { kernel, variant, note, run }| {
        let name = if variant.is_empty() { kernel.to_owned() } else { format!("{kernel}/{variant}") };
        let dir = dir.clone();
        Check::new(name, options, move |gpu| {
            let bench = Bench { gpu, dir: &dir, sides: sides(gpu, &dir, kernel)?, repetitions };
            let timing = run(&bench)?;
            Ok(Finding { detail: timing.to_string(), data: timing.data(note) })
        })
    });
    Ok(checks.collect())
}

/// Formats the cases that ran as a Markdown table.
pub fn table(reports: &[Report]) -> String {
    let mut table = "\
| kernel | Rust, µs | C++, µs | ratio | GB/s | of the copy | C++ of the copy | |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
"
    .to_owned();
    for report in reports.iter().filter(|report| report.outcome == Outcome::Passed) {
        let number = |field: &str, digits: usize| {
            report.data[field].as_f64().map_or("–".into(), |number| format!("{number:.digits$}"))
        };
        // Writing to a `String` does not fail.
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            report.name,
            number("rust_us", 1),
            number("cpp_us", 1),
            number("ratio", 3),
            number("gbs", 0),
            number("of_copy", 3),
            number("cpp_of_copy", 3),
            report.data["note"].as_str().unwrap_or_default(),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::bench::case::Timing;

    #[test]
    fn every_twin_that_can_run_is_timed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/cuda");
        let sources = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let text: String = sources.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let kernels = text.split("extern \"C\" __global__ void").skip(1).map(|rest| {
            // No attribute before a kernel's name contains `(const` or `(float`.
            let parameters = ["(const", "(float"].iter().filter_map(|first| rest.find(first)).min();
            let head = &rest[..parameters.unwrap()];
            head.split_whitespace().next_back().unwrap()
        });
        // This kernel needs a multicast object, and therefore several GPUs.
        let mut kernels: Vec<_> = kernels.filter(|name| *name != "multimem_all_reduce").collect();
        let mut timed: Vec<_> = cases().map(|case| case.kernel).collect();
        kernels.sort_unstable();
        timed.sort_unstable();
        timed.dedup();
        assert_eq!(timed, kernels);
    }

    #[test]
    fn the_table_has_both_times_and_their_ratio() {
        let of = |timing: Timing| Report {
            outcome: Outcome::Passed,
            data: timing.data("one CTA"),
            ..Report::skipped("k".into())
        };
        let both = of(Timing { rust: Some(3e-6), twin: 2e-6, copy: Some((6000, 1.5e-6)) });
        let alone = of(Timing { rust: None, twin: 2e-6, copy: None });
        let table = table(&[both, alone, Report::skipped("other".into())]);
        let rows: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| k | 3.0 | 2.0 | 1.500 | 2 | 0.500 | 0.750 | one CTA |",
                "| k | – | 2.0 | – | – | – | – | one CTA |"
            ]
        );
    }
}
