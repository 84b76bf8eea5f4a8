//! The litmus tests of `litmus/`: many instances of each at a time.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use ptx_host::{JitOptions, LaunchConfig, Module};
use ptx_litmus::{Expected, Outcome, STRIDE, Test};
use serde_json::json;

use crate::check::{Check, Finding};
use crate::gpu::Gpu;
use crate::options::Options;

/// Instances of a test that run at a time.
const INSTANCES: u32 = 1024;
/// The instances on an emulated device, which finds a race whatever runs at the same time.
const EMULATED_INSTANCES: u32 = 4;

/// Makes a check for each test that expects outcomes. A GPU may do anything in a test whose program is broken, so no check runs
/// such a test.
pub fn list(options: &Options) -> Result<Vec<Check>> {
    let (instances, launches) = if options.is_emulated() {
        (EMULATED_INSTANCES, 10)
    } else {
        (INSTANCES, 10 * options.repetitions())
    };
    let tests = ptx_litmus::all()?.into_iter();
    let tests = tests.filter(|test| matches!(test.expected, Expected::Outcomes { .. }));
    let check =
        |test: Test| Check::new(test.name.clone(), options, move |gpu| run(gpu, &test, instances, launches));
    Ok(tests.map(check).collect())
}

fn run(gpu: &Gpu, test: &Test, instances: u32, launches: usize) -> Result<Finding> {
    let Expected::Outcomes { allowed, unshown, forbidden } = &test.expected else {
        return Ok(Finding::default());
    };
    let module = Module::from_bytes(&gpu.context, &test.name, test.module(), &JitOptions::default())?;
    let kernel = module.kernel_by_name(Test::KERNEL)?;
    let (grid, cluster, block) = test.shape(instances);
    let mut config = LaunchConfig::new(grid, block);
    if cluster > 1 {
        config = config.cluster(cluster);
    }
    let mut memory = gpu.stream.alloc_zeros::<u8>(STRIDE * instances as usize)?;
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    for _ in 0..launches {
        gpu.stream.memset_zeros(&mut memory)?;
        // SAFETY: the kernel accesses `STRIDE` bytes of each instance, and ends: no test waits for a store that never comes.
        unsafe { kernel.launch(&gpu.stream, &config, (&mut memory,))? };
        gpu.wait()?;
        for instance in gpu.stream.clone_dtoh(&memory)?.chunks(STRIDE) {
            *counts.entry(test.outcome(instance)).or_default() += 1;
        }
    }
    let text = |outcome: &Outcome| outcome.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    for (outcome, count) in &counts {
        let why = if forbidden.contains(outcome) { "the model forbids" } else { "the test does not list" };
        ensure!(
            allowed.contains(outcome) || unshown.contains(outcome),
            "{count} times the outcome {}, which {why} (PTX ISA {})",
            text(outcome),
            test.section
        );
    }
    let list: Vec<_> = counts.iter().map(|(outcome, count)| format!("{}: {count}", text(outcome))).collect();
    let data =
        json!(counts.iter().map(|(outcome, count)| (text(outcome), count)).collect::<BTreeMap<_, _>>());
    let all: usize = counts.values().sum();
    let detail = format!("{all} runs; {}", list.join(", "));
    Ok(Finding { detail, data })
}
