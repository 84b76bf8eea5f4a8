//! The kernels of `kernels/` that no GPU has run, in the interpreter, under 3 schedules, or under `PTX_EMU_SCHEDULES` if that is
//! set; then also without optimization, whose build takes longer than all other tests of this file.

use anyhow::{Context, Result};
use ptx_emu::{Device, Launch, Options, Schedule, lay_out};
use xtask::device::{Arch, Build, OptLevel};
use xtask::ptx::Kernel;
use xtask::{bench, ptx};

/// Returns a kernel for a target, optimized and, on request, not optimized; and the number of schedules for each.
fn builds(name: &str, arch: Arch) -> Result<Vec<(Kernel, u64)>> {
    let asked = std::env::var("PTX_EMU_SCHEDULES").ok();
    let schedules = asked.as_ref().map_or(Ok(3), |number| number.parse())?;
    let levels = [OptLevel::O3, OptLevel::O0];
    let build = |opt_level| {
        let module = Build { opt_level, ..Build::new("kernels", arch) }.run()?.text;
        Ok((alone(name, &module)?, schedules))
    };
    levels.into_iter().take(if asked.is_some() { 2 } else { 1 }).map(build).collect()
}

/// Returns a kernel without the others of its module, which would be read at each run.
fn alone(name: &str, module: &str) -> Result<Kernel> {
    ptx::split(module)?.into_iter().find(|kernel| kernel.name == name).context("the module lacks the kernel")
}

/// Allocates words, and returns their address.
fn words(device: &mut Device, words: &[u32]) -> u64 {
    let address = device.allocate(4 * words.len());
    device.write(address, &bytes(words)).expect("the memory is allocated");
    address
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Checks the words at an address.
#[track_caller]
fn assert_words(device: &Device, address: u64, expected: &[u32], what: &str) {
    let mut found = vec![0; 4 * expected.len()];
    device.read(address, &mut found).expect("the memory is allocated");
    assert_eq!(found, bytes(expected), "{what}");
}

/// Runs a kernel with the bytes of its parameters.
#[track_caller]
fn run(device: &mut Device, kernel: &Kernel, launch: Launch, arguments: &[Vec<u8>], options: &Options) {
    let module = device.load(&kernel.text).unwrap();
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let params = lay_out(module.parameters(&kernel.name).expect("the module has the kernel"), &arguments);
    let report = device.launch(&module, &kernel.name, &Launch { params, ..launch }, options).unwrap();
    assert!(report.is_clean(), "{report}");
}

fn of_schedule(number: u64) -> Options {
    Options { schedule: Schedule::of(number), ..Options::default() }
}

/// Runs the kernel on one GPU, whose grid does the work of all: it adds the values of three GPUs and stores the sums to all of
/// them. No other grid takes part, so the order between grids of several GPUs is not tested.
fn all_reduce(kernel: &Kernel, schedules: u64) {
    const GPUS: u32 = 3;
    for number in 0..schedules {
        for n in [1u32, 4, 1003] {
            let mut device = Device::new();
            let value = |gpu: u32, i: u32| ((gpu + 1) * i) as f32;
            let of_gpu = |gpu| (0..n).map(|i| value(gpu, i).to_bits()).collect::<Vec<_>>();
            let values: Vec<_> = (0..GPUS).map(|gpu| words(&mut device, &of_gpu(gpu))).collect();
            let counters: Vec<_> = (0..GPUS).map(|_| words(&mut device, &[0; 2])).collect();
            let addresses =
                [device.multicast(&values, 4 * n as usize), device.multicast(&counters, 8), counters[0]];
            let launch = Launch::new(2, 256);
            let addresses = addresses.map(|address| address.to_le_bytes().to_vec());
            let arguments: Vec<_> =
                addresses.into_iter().chain([n, 0, 1].map(|word| bytes(&[word]))).collect();
            run(&mut device, kernel, launch, &arguments, &of_schedule(number));
            let sums: Vec<_> =
                (0..n).map(|i| (0..GPUS).map(|gpu| value(gpu, i)).sum::<f32>().to_bits()).collect();
            for (gpu, values) in values.into_iter().enumerate() {
                assert_words(
                    &device,
                    values,
                    &sums,
                    &format!("{n} elements of GPU {gpu}, schedule {number}"),
                );
            }
        }
    }
}

#[test]
fn multimem_all_reduce_stores_the_sums_to_all_gpus() -> Result<()> {
    const NAME: &str = "multimem_all_reduce";
    for (kernel, schedules) in builds(NAME, Arch::Sm90a)? {
        all_reduce(&kernel, schedules);
    }
    all_reduce(&alone(NAME, &bench::twins()?)?, 2);
    Ok(())
}

/// Two blocks run at a time, so that they take over the work of the others.
#[test]
fn clusterlaunchcontrol_scale_does_the_work_of_each_block_once() -> Result<()> {
    for (kernel, schedules) in builds("clusterlaunchcontrol_scale", Arch::Sm100a)? {
        for number in 0..schedules {
            for n in [1u32, 128, 1003] {
                let mut device = Device::new();
                let input: Vec<_> = (0..n).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
                let addresses = [words(&mut device, &input), words(&mut device, &vec![5; n as usize])];
                let options = Options { resident: 2, ..of_schedule(number) };
                // The bytes of a `Global` and of a `GlobalAtomics`: an address and a length.
                let slices = addresses.map(|address| [address, n.into()].map(u64::to_le_bytes).concat());
                run(&mut device, &kernel, Launch::new(n.div_ceil(128), 128), &slices, &options);
                let expected: Vec<_> =
                    input.iter().map(|word| word.wrapping_mul(2).wrapping_add(6)).collect();
                assert_words(&device, addresses[1], &expected, &format!("{n} words, schedule {number}"));
            }
        }
    }
    Ok(())
}
