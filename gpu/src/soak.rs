//! Long runs: kernels launched again and again, until a fixed number of mbarrier phases and bulk copies is done.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::axpy_bulk::{Array, AxpyBulk};
use crate::check::{self, Check, Finding};
use crate::device::Device as _;
use crate::entry::Loaded;
use crate::gpu::Gpu;
use crate::guard::compare_words;
use crate::image;
use crate::kernels::{self, input};
use crate::memory::address;
use crate::options::Options;
use crate::report::Report;
use crate::shape::Shape;

/// Phases of mbarriers, which [`reverse`] completes.
const PHASES: u64 = 1_000_000_000;
/// Bulk copies of 14 KiB, which [`add`] makes.
const COPIES: u64 = 100_000_000;
/// Launches of [`multicast`].
const LAUNCHES: u64 = 2000;

/// The limit of a soak. The launches of a batch have a limit of their own.
const LIMIT: Duration = Duration::from_secs(600);

/// The amount of work for a device.
#[derive(Clone, Copy)]
struct Scale {
    /// Divisor of the numbers above.
    part: u64,
    /// Words of an array.
    words: usize,
    /// Multiprocessors that the launches use, if not all.
    multiprocessors: Option<u32>,
}

impl Scale {
    fn of(options: &Options) -> Self {
        match options {
            _ if options.is_emulated() => Self { part: 1_000_000, words: 1 << 13, multiprocessors: Some(2) },
            _ if options.quick => Self { part: 100, words: 1 << 24, multiprocessors: None },
            _ => Self { part: 1, words: 1 << 24, multiprocessors: None },
        }
    }

    fn multiprocessors(self, gpu: &Gpu) -> Result<u32> {
        self.multiprocessors.map_or_else(|| gpu.multiprocessors(), Ok)
    }
}

type Run = fn(&Gpu, &Loaded, Scale) -> Result<Done>;

const SOAKS: [(&str, Run); 3] =
    [("mbarrier_reverse", reverse), ("axpy_bulk", add), ("pipeline_multicast", multicast)];

/// The work that the launches of a soak did.
struct Done {
    launches: u64,
    phases: u64,
    copies: u64,
}

pub fn list(options: &Options) -> Result<Vec<Check>> {
    let scale = Scale::of(options);
    let mut checks = Vec::new();
    for (kernel, run) in SOAKS {
        checks.extend(check::for_each(options, kernel, |image| {
            let is_run = image.label == image::shipped(options);
            let check = move |gpu: &Gpu| {
                let Done { launches, phases, copies } = run(gpu, &gpu.load(&image)?, scale)?;
                Ok(Finding {
                    detail: format!("{launches} launches, {phases} mbarrier phases, {copies} bulk copies"),
                    data: json!({ "phases": phases, "copies": copies }),
                })
            };
            is_run
                .then(|| Check::new(format!("soak/{kernel}"), options, check).at_least(LIMIT))
                .into_iter()
                .collect()
        })?);
    }
    Ok(checks)
}

/// Returns the sums over the soaks that passed.
pub fn totals(reports: &[Report]) -> String {
    let sum = |field: &str| reports.iter().filter_map(|report| report.data[field].as_u64()).sum::<u64>();
    format!("{} mbarrier phases and {} bulk copies, all results right", sum("phases"), sum("copies"))
}

/// Reverses the tiles of one array into the next of three, in a circle. A tile that is not written keeps what the third launch
/// before wrote: the reverse of the expected tile.
fn reverse(gpu: &Gpu, loaded: &Loaded, scale: Scale) -> Result<Done> {
    const TILE: usize = 512;
    const BATCH: u64 = 129;
    let gpu = &gpu.with_stream()?;
    let kernel = Gpu::entry(loaded, ptx_kernels::mbarrier::mbarrier_reverse)?;
    let grid = 8 * scale.multiprocessors(gpu)?;
    let forward = input(1, scale.words);
    let backward: Vec<u32> = forward.chunks(TILE).flat_map(|tile| tile.iter().rev().copied()).collect();
    let mut arrays = [&forward, &backward, &forward]
        .map(|words| gpu.stream.clone_htod(words))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    // A tile is loaded and stored, and each of the two mbarriers completes a phase.
    let per_launch = 2 * (scale.words / TILE) as u64;
    let launches = (PHASES / scale.part).div_ceil(per_launch).next_multiple_of(BATCH);
    for batch in 0..launches / BATCH {
        for _ in 0..BATCH {
            let [from, to, _] = &mut arrays[..] else { unreachable!("three arrays") };
            let of_twin = (address(&*from), address(&*to), scale.words as u32);
            // SAFETY: both arrays have `words` words, a multiple of 512, and nothing else accesses them.
            unsafe { kernel.launch(gpu, grid, (&*from, &mut *to, of_twin.2), of_twin)? };
            arrays.rotate_left(1);
        }
        gpu.wait()?;
        let due = if ((batch + 1) * BATCH).is_multiple_of(2) { &forward } else { &backward };
        let got = gpu.stream.clone_dtoh(&arrays[0])?;
        ensure!(got == *due, "wrong after at most {} launches", (batch + 1) * BATCH);
    }
    Ok(Done { launches, phases: launches * per_launch, copies: launches * per_launch })
}

/// Adds x to y. The elements are whole numbers, so the sums are exact.
fn add(gpu: &Gpu, loaded: &Loaded, scale: Scale) -> Result<Done> {
    const BATCH: u64 = 64;
    let multiprocessors = scale.multiprocessors(gpu)?;
    // SAFETY: the module is the shipped one.
    let kernel = unsafe {
        AxpyBulk::<Gpu>::new(loaded.kernel_by_name("axpy_bulk")?, false, Shape::SHIPPED, multiprocessors)
    };
    let x: Vec<f32> = input(2, scale.words).into_iter().map(|word| (word % 16) as f32).collect();
    let source = gpu.stream.clone_htod(&x)?;
    let sums = gpu.stream.alloc_zeros::<f32>(x.len())?;
    let array = |name, memory| Array { name, address: address(memory), len: x.len() };
    let arrays = (array("x", &source), array("y", &sums));
    // A tile has two loads, which complete one phase, and a store.
    let tiles = (scale.words / kernel.shape().tile_len()) as u64;
    let launches = (COPIES / scale.part).div_ceil(3 * tiles).next_multiple_of(BATCH);
    ensure!(15 * launches < 1 << f32::MANTISSA_DIGITS, "the sums are not exact");
    for batch in 1..=launches / BATCH {
        for _ in 0..BATCH {
            // SAFETY: both arrays are memory of this function, and all work is on one stream.
            unsafe { kernel.launch(gpu, 1.0, arrays.0, arrays.1, x.len())? };
        }
        gpu.wait()?;
        let times = (batch * BATCH) as f32;
        let got = gpu.stream.clone_dtoh(&sums)?;
        let wrong = got.iter().zip(&x).position(|(got, x)| *got != times * x);
        if let Some(i) = wrong {
            anyhow::bail!("element {i} is {} after {times} launches, want {}", got[i], times * x[i]);
        }
    }
    Ok(Done { launches, phases: launches * tiles, copies: launches * 3 * tiles })
}

/// Sums multicast tiles, and compares the sums after each launch.
fn multicast(gpu: &Gpu, loaded: &Loaded, scale: Scale) -> Result<Done> {
    const TILE: usize = 512;
    const NAME: &str = "pipeline_multicast";
    let gpu = &gpu.with_stream()?;
    let of = kernels::KERNELS.iter().find(|kernel| kernel.name == NAME).context("no such kernel")?;
    let words = input(3, scale.words.min(1 << 20));
    let expected = (of.expected)(&words);
    let launches = (LAUNCHES / scale.part).max(2);
    for launch in 1..=launches {
        let got = (of.run)(gpu, loaded, &words, expected.len());
        got.and_then(|got| compare_words(&got, &expected)).with_context(|| format!("launch {launch}"))?;
    }
    // Each CTA receives a quarter of the tiles for its row, a quarter for its column, and a half for its cluster. The CTA loads a
    // part of each tile. One phase per tile says that the tile has arrived, another that its stage is free.
    let received = launches * (of.config)().grid.count() as u64 * (words.len() / TILE) as u64;
    Ok(Done { launches, phases: 2 * received, copies: received })
}
