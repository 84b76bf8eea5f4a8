//! Kernels that multiply matrices by the raw layer: their sums, and what ptxas makes of them.

mod support;

use std::sync::LazyLock;

use ptx_emu::{Device, Format, Launch, Options, Schedule, lay_out};
use support::ok;
use xtask::cuda::Tools;
use xtask::device::{Arch, Build, Module, OptLevel, write_crate};
use xtask::uniform::Corpus;

static MODULE: LazyLock<Module> = LazyLock::new(|| ok(Build::new("tests/device/tensor", Arch::Sm90a).run()));

/// Returns rows of small integers.
fn matrix(rows: usize, columns: usize, seed: usize) -> Vec<f32> {
    (0..rows * columns).map(|i| (((i * 2654435761 + seed * 97) >> 7) & 7) as f32 - 3.0).collect()
}

/// Runs a kernel, and returns the rows by columns of `a * b`, with `b` stored by columns. Checks them.
fn check(kernel: &str, [m, n, k]: [usize; 3], threads: u32, schedule: u64, more: &[&[u8]]) {
    let (a, b) = (matrix(m, k, 1), matrix(n, k, 2));
    let mut device = Device::new();
    let module = device.load(&MODULE.text).unwrap_or_else(|error| panic!("{error}"));
    let halves = |values: &[f32]| -> Vec<u8> {
        values.iter().flat_map(|value| (Format::F16.from_f64((*value).into()) as u16).to_le_bytes()).collect()
    };
    let addresses = [2 * m * k, 2 * n * k, 4 * m * n].map(|bytes| device.allocate(bytes));
    device.write(addresses[0], &halves(&a)).unwrap();
    device.write(addresses[1], &halves(&b)).unwrap();
    let bytes = addresses.map(u64::to_le_bytes);
    let arguments: Vec<&[u8]> = bytes.iter().map(|bytes| &bytes[..]).chain(more.iter().copied()).collect();
    let params = lay_out(module.parameters(kernel).unwrap(), &arguments);
    let launch = Launch { params, dynamic_shared: 32768, ..Launch::new(1, threads) };
    let options = Options { schedule: Schedule::of(schedule), ..Options::default() };
    let report = device.launch(&module, kernel, &launch, &options).unwrap();
    assert!(report.is_clean(), "{kernel}, schedule {schedule}: {report}");
    let mut sums = vec![0; 4 * m * n];
    device.read(addresses[2], &mut sums).unwrap();
    for (i, sum) in sums.as_chunks().0.iter().enumerate() {
        let (row, column) = (i / n, i % n);
        let expected: f32 = (0..k).map(|at| a[row * k + at] * b[column * k + at]).sum();
        assert_eq!(f32::from_le_bytes(*sum), expected, "{kernel}: row {row}, column {column}");
    }
}

#[test]
fn products_have_the_sums_of_plain_loops() {
    for schedule in 0..4 {
        check("product", [64, 128, 192], 128, schedule, &[&3u32.to_le_bytes()]);
        check("product_of_a_warp", [16, 8, 16], 32, schedule, &[]);
    }
}

/// The sums stay in registers, and nothing makes ptxas serialize the products of a warpgroup.
#[test]
fn ptxas_has_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let tools = ok(Tools::find_or_fetch());
    let report = ok(tools.assemble(&MODULE.path, Arch::Sm90a, &folder.path().join("tensor.cubin")));
    assert!(!report.text.contains("(C7"), "{}", report.text);
    assert!(!MODULE.text.contains(".local"), "{}", MODULE.text);
    let uses_stack = report.text.lines().filter(|line| line.contains("stack frame"));
    for line in uses_stack {
        assert!(line.contains("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"), "{line}");
    }
}

/// Launch bounds with which warpgroups would wait for registers forever are refused, at the line of the run.
#[test]
fn launch_bounds_leave_warpgroups_their_registers() {
    let build = |bounds: &str, opt_level, of_crate: &str| {
        let source = include_str!("support/warpgroups.rs").replace("threads = 384", bounds);
        let folder = xtask::root().join("target/device/warpgroups");
        let manifest = format!(
            "[package]\nname = \"warpgroups\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n\
             [dependencies]\nptx = {{ path = {:?}, default-features = false, features = [\"tensor\"] }}\n\
             [features]\nsm_90a = [\"ptx/sm_90a\"]\n",
            xtask::root()
        );
        ok(write_crate(&folder, &manifest, &source));
        Build { opt_level, crate_flags: Corpus::flags(of_crate), ..Build::new(folder, Arch::Sm90a) }.run()
    };
    let run =
        include_str!("support/warpgroups.rs").lines().position(|line| line.contains(".run_warpgroups("));
    let place = format!("place: src/lib.rs:{}:", run.expect("a run") + 1);
    let refused = |bounds: &str, (opt_level, of_crate), start: u32| {
        let Err(error) = build(bounds, opt_level, of_crate) else { panic!("`{bounds}` is not refused") };
        let said = format!("{error:?}");
        let start = format!("`kernel`: with its launch bounds each thread starts with {start} registers");
        assert!(said.contains(&start) && said.contains(&place), "{start}\n{place}\n{said}");
    };
    refused("threads = 384, max_registers = 128", (OptLevel::O0, "0"), 128);
    refused("threads = 384, min_ctas = 2", (OptLevel::O3, "3"), 80);
    refused("max_threads = 512", (OptLevel::O3, "3"), 128);
    let ptx = ok(build("threads = 384, min_ctas = 1", OptLevel::O3, "3")).text;
    assert!(ptx.contains("setmaxnreg.inc") && !ptx.contains("// registers:"), "{ptx}");
}
