//! The kernels of `kernels/` that no GPU has run, in the interpreter, under 3 schedules, or under `PTX_EMU_SCHEDULES` if that is
//! set; then also without optimization, whose build takes longer than all other tests of this file.

use anyhow::{Context, Result};
use ptx_emu::tensor::TensorMap;
use ptx_emu::{Device, Format, Launch, Options, Schedule, lay_out};
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

/// A matrix of random numbers from -1 to 1, which a format has, in memory as a tensor.
struct Operand {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
    format: Format,
    address: u64,
}

/// The `elemtype` of a tensor map, and the bytes of an element.
fn element(format: Format) -> (u8, usize) {
    match format {
        Format::F16 => (6, 2),
        Format::Bf16 => (10, 2),
        _ => (0, 1),
    }
}

impl Operand {
    fn new(
        device: &mut Device,
        format: Format,
        [rows, columns]: [usize; 2],
        random: &mut fastrand::Rng,
    ) -> Self {
        let bits: Vec<u64> = (0..rows * columns).map(|_| format.from_f64(2.0 * random.f64() - 1.0)).collect();
        let size = element(format).1;
        let bytes: Vec<u8> = bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size)).collect();
        let address = device.allocate(bytes.len());
        device.write(address, &bytes).expect("the memory is allocated");
        let values = bits.into_iter().map(|bits| format.to_f64(bits)).collect();
        Self { rows, columns, values, format, address }
    }

    /// The numbers that are in memory now.
    fn read(&self, device: &Device) -> Vec<f64> {
        let size = element(self.format).1;
        let mut bytes = vec![0; size * self.values.len()];
        device.read(self.address, &mut bytes).expect("the memory is allocated");
        let of = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        bytes.chunks(size).map(|bytes| self.format.to_f64(of(bytes))).collect()
    }

    /// The map whose boxes have so many rows of 128 bytes.
    fn map(&self, rows: u16) -> Vec<u8> {
        let (element, size) = element(self.format);
        let map = TensorMap {
            address: self.address,
            rank: 2,
            element,
            swizzle: 3,
            dims: [self.columns as u32, self.rows as u32, 0, 0, 0],
            boxes: [128 / size as u16, rows, 0, 0, 0],
            steps: [1; 5],
            strides: [(self.columns * size) as u64, 0, 0, 0],
            ..TensorMap::default()
        };
        map.to_bytes().to_vec()
    }
}

/// The product of an `m` × `k` and an `n` × `k` matrix, by so many blocks.
struct Gemm {
    of: Format,
    to: Format,
    columns: u16,
    extents: [usize; 3],
    blocks: u32,
    group: u32,
}

impl Gemm {
    /// Runs the kernel, and compares each number with the sum of products in `f64`. Returns what was found.
    fn run(&self, kernel: &Kernel, options: &Options) -> std::result::Result<(), String> {
        let [m, n, k] = self.extents;
        let mut random = fastrand::Rng::with_seed(7);
        let mut device = Device::new();
        let a = Operand::new(&mut device, self.of, [m, k], &mut random);
        let b = Operand::new(&mut device, self.of, [n, k], &mut random);
        let c = Operand::new(&mut device, self.to, [m, n], &mut random);
        let scale = device.allocate(4);
        device.write(scale, &0.5f32.to_le_bytes()).expect("the memory is allocated");
        // The map of `c` comes with the numbers of its boxes.
        let boxes = [n.div_ceil(64) as u32, m.div_ceil(128) as u32];
        let written = [c.map(128), bytes(&boxes), vec![0; 56]].concat();
        let [scale_a, scale_b] = [[scale, 1], [0, 0]].map(|slice| slice.map(u64::to_le_bytes).concat());
        let numbers = [k as u32, self.group].map(|number| bytes(&[number]));
        let [of_k, group] = numbers;
        let arguments = [a.map(128), b.map(self.columns), written, scale_a, scale_b, of_k, group];
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let module = device.load(&kernel.text).map_err(|error| error.to_string())?;
        let params = lay_out(module.parameters(&kernel.name).expect("the module has the kernel"), &arguments);
        let launch = Launch { params, dynamic_shared: 230_528, ..Launch::new(self.blocks, 256) };
        let report =
            device.launch(&module, &kernel.name, &launch, options).map_err(|error| error.to_string())?;
        if !report.is_clean() {
            return Err(report.to_string());
        }
        for (at, found) in c.read(&device).into_iter().enumerate() {
            let (row, column) = (at / n, at % n);
            let products = (0..k).map(|i| a.values[row * k + i] * b.values[column * k + i]);
            let expected = 0.5 * products.sum::<f64>();
            // Half a unit in the last place of the result, and the rounding of sums.
            let unit = if self.to == Format::Bf16 { 1.0 / 256.0 } else { 1.0 / 2048.0 };
            if (found - expected).abs() > expected.abs() * unit + 1e-5 * k as f64 {
                return Err(format!("row {row}, column {column} is {found}, not {expected}"));
            }
        }
        Ok(())
    }
}

/// Multiplies matrices of several extents by few blocks, which compute several blocks of the product or none.
fn gemm(name: &str, of: Format, to: Format, columns: u16) -> Result<()> {
    for (kernel, schedules) in builds(name, Arch::Sm100a)? {
        for number in 0..schedules {
            for (blocks, extents, group) in
                [(1, [128, 64, 64], 1), (2, [1, 8, 16], 8), (1, [300, 520, 208], 1), (3, [261, 776, 336], 2)]
            {
                let product = Gemm { of, to, columns, extents, blocks, group };
                let found = product.run(&kernel, &of_schedule(number));
                assert_eq!(found, Ok(()), "{name}, schedule {number}, {extents:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn gemm_tcgen05_multiplies_bf16() -> Result<()> {
    gemm("gemm_tcgen05_bf16_bf16_N256_4", Format::Bf16, Format::Bf16, 256)?;
    gemm("gemm_tcgen05_bf16_bf16_N128_6", Format::Bf16, Format::Bf16, 128)
}

#[test]
fn gemm_tcgen05_multiplies_f16_and_eight_bit_floats() -> Result<()> {
    gemm("gemm_tcgen05_f16_f16_N256_4", Format::F16, Format::F16, 256)?;
    gemm("gemm_tcgen05_E4m3_bf16_N256_4", Format::E4m3, Format::Bf16, 256)
}
