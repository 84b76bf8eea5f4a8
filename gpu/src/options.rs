//! The options of all checks.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use ptx_emu::Readings;

use crate::shape::Shape;

/// What emulates a device.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emulated {
    /// The interpreter in this program, which needs no driver
    Interpreter,
    /// The driver of this machine, such as that of `ptx-emu-cuda`
    Driver,
}

/// A stricter reading of the ISA: see `ptx_emu::Readings`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Exchanges,
    Init,
    Lanes,
    Peers,
    Reads,
}

/// Options of all checks.
#[derive(Args, Clone)]
pub struct Options {
    /// Folder with the kernels (axpy_bulk-O3.ptx, axpy_bulk-O3.cubin, canaries-*, sweep/) [default: the folder of this program]
    #[arg(long, global = true)]
    pub dir: Option<PathBuf>,
    /// Ordinal of the device
    #[arg(long, global = true, default_value_t = 0)]
    pub device: usize,
    /// Also run axpy_bulk on this file of little-endian f32
    #[arg(long, global = true)]
    pub file: Option<PathBuf>,
    /// Number of runs with random data of full length [default: 10, quick: 2], and most seeds of a check
    #[arg(long, global = true, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: Option<u32>,
    /// Use shorter arrays and fewer runs
    #[arg(long, global = true)]
    pub quick: bool,
    /// Run what an emulated device can: the PTX alone, on shorter arrays, without times
    #[arg(long, global = true, value_name = "BY", num_args = 0..=1, require_equals = true,
          default_missing_value = "interpreter")]
    pub emulated: Option<Emulated>,
    /// Interpreter: schedules under which each launch runs; their results must be equal
    #[arg(long, global = true, requires = "emulated", value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub schedules: u32,
    /// Interpreter: the first schedule of each launch, which a finding names
    #[arg(long, global = true, requires = "emulated", value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Interpreter: thread-instructions after which a launch is given up
    #[arg(long, global = true, requires = "emulated", value_name = "N",
          default_value_t = ptx_emu::Options::default().limit)]
    pub limit: u64,
    /// Interpreter: stricter readings of the ISA where its text leaves room, separated by commas
    #[arg(long, global = true, requires = "emulated", value_name = "LIST", value_delimiter = ',')]
    readings: Vec<Reading>,
    /// Interpreter: write what the last launch did to this file, for the viewers of trace events
    #[arg(long, global = true, requires = "emulated", value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Least bandwidth of axpy_bulk that passes, as a fraction of the copy's
    #[arg(long, global = true, default_value_t = 0.97)]
    pub min_ratio: f64,
    /// Thread blocks per multiprocessor
    #[arg(long, global = true, default_value_t = Shape::SHIPPED.ctas_per_sm,
          value_parser = clap::value_parser!(u32).range(1..=32))]
    pub ctas_per_sm: u32,
    /// Number of timed launches [default: 100, quick: 20; bench: 50]
    #[arg(long, global = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repetitions: Option<u32>,
    /// Seconds after which a launch counts as hung
    #[arg(long, global = true, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Checks that run at the same time [default: 1, emulated: one per processor]
    #[arg(long, global = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Write all results to this JSON file
    #[arg(long, global = true)]
    pub json: Option<PathBuf>,
    /// Print the names of the checks and exit
    #[arg(long, global = true)]
    pub list: bool,
    /// Run this check in this process, and print its verdict as JSON
    #[arg(long, global = true, hide = true, value_name = "CHECK")]
    pub child: Option<String>,
}

impl Options {
    pub fn dir(&self) -> Result<PathBuf> {
        if let Some(dir) = &self.dir {
            return Ok(dir.clone());
        }
        let program =
            std::env::current_exe().context("cannot find the folder of this program; give it with --dir")?;
        Ok(program.parent().unwrap_or(Path::new(".")).into())
    }

    pub fn is_emulated(&self) -> bool {
        self.emulated.is_some()
    }

    /// Returns whether an option is given that the interpreter alone has.
    pub fn are_of_interpreter(&self) -> bool {
        let is_limited = self.limit != ptx_emu::Options::default().limit;
        let is_chosen = self.schedules > 1 || self.seed > 0;
        is_chosen || is_limited || !self.readings.is_empty() || self.trace.is_some()
    }

    pub fn readings(&self) -> Readings {
        let has = |reading| self.readings.contains(&reading);
        Readings {
            exchanges_order_nothing: has(Reading::Exchanges),
            init_needs_proxy_fence: has(Reading::Init),
            active_lanes_differ: has(Reading::Lanes),
            peer_copies_need_cluster_scope: has(Reading::Peers),
            reads_need_proxy_fence: has(Reading::Reads),
            ..Readings::default()
        }
    }

    pub fn seeds(&self) -> u32 {
        self.seeds.unwrap_or(if self.quick || self.is_emulated() { 2 } else { 10 })
    }

    /// Returns the seeds of a check that has `all` seeds. An emulated device runs the seeds in `emulated`. `--seeds` limits their
    /// number.
    pub fn seeds_of(&self, all: u32, emulated: &[u32]) -> Vec<u32> {
        let mut seeds = match self {
            _ if self.is_emulated() => emulated.into(),
            _ if self.quick => vec![0, 1],
            _ => (0..all).collect(),
        };
        seeds.truncate(self.seeds.map_or(usize::MAX, |seeds| seeds as usize));
        seeds
    }

    /// Returns the kinds of images to run, which are also the extensions of their files.
    pub fn kinds(&self) -> &'static [&'static str] {
        if self.is_emulated() { &["ptx"] } else { &["ptx", "cubin"] }
    }

    pub fn repetitions(&self) -> usize {
        self.repetitions.unwrap_or(if self.quick { 20 } else { 100 }) as usize
    }

    pub fn bench_repetitions(&self) -> usize {
        self.repetitions.map_or(if self.quick { 20 } else { 50 }, |repetitions| repetitions as usize)
    }

    /// Returns the number of checks that run at the same time. Checks that share a GPU would spoil each other's times.
    pub fn jobs(&self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(|| if self.is_emulated() { processors() } else { 1 }, usize::from)
    }

    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn of(arguments: &[&str]) -> Options {
        Line::parse_from([&["ptx-gpu"], arguments].concat()).options
    }

    impl Default for Options {
        fn default() -> Self {
            of(&[])
        }
    }

    #[test]
    fn quick_means_less() {
        let quick = of(&["--quick"]);
        assert!(quick.seeds() < Options::default().seeds());
        assert!(quick.repetitions() < Options::default().repetitions());
        assert_eq!(of(&["--quick", "--seeds", "7"]).seeds(), 7);
        let emulated = of(&["--emulated"]);
        assert_eq!(emulated.seeds_of(100, &[3, 5]), [3, 5]);
        assert_eq!(Options::default().seeds_of(100, &[3]).len(), 100);
    }

    #[test]
    fn the_interpreter_has_options_of_its_own() {
        assert_eq!(of(&["--emulated"]).emulated, Some(Emulated::Interpreter));
        assert_eq!(of(&["--emulated=driver"]).emulated, Some(Emulated::Driver));
        assert_eq!(of(&["--emulated"]).readings(), Readings::default());
        let all = of(&["--emulated", "--readings", "exchanges,init,lanes,peers,reads"]);
        assert_eq!(all.readings(), Readings::strictest());
        for wrong in [
            &["--seed", "3"][..],
            &["--schedules", "2"],
            &["--emulated", "--schedules", "0"],
            &["--emulated", "--readings", "all"],
            &["--emulated=cuda"],
        ] {
            assert!(Line::try_parse_from([&["ptx-gpu"], wrong].concat()).is_err(), "{wrong:?}");
        }
    }
}
