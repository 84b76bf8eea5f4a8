//! Checks of the device crates that the tests compile for other reasons: their PTX, their machine code, the linker.

use anyhow::{Result, bail, ensure};
use ptx_host::{LaunchConfig, Module};

use crate::check::{Check, Finding, Gpu};
use crate::guard::POISON;
use crate::image;
use crate::options::Options;

type Run = fn(&Gpu, &Module, &str) -> Result<()>;

/// The crates, with their kernels and the check of each kernel. The list omits `plain` of `link_kernels`, which waits on an
/// mbarrier that no kernel initializes, and `wide`, whose 128-bit parameter no launch by name can pass.
const CRATES: [(&str, &[(&str, Run)]); 4] = [
    ("shared", &[("first", shared), ("second", shared), ("third", shared), ("fourth", shared)]),
    ("registers", &[("outer_8x8", outer_product), ("outer_8x16", outer_product)]),
    ("fixture", &[("barrier_between", two_words), ("with_stack", with_stack)]),
    (
        "link_kernels",
        &[
            ("barrier_between", first_and_second),
            ("mask_in_both_arms", mask_in_both_arms),
            ("labeled", writes_one),
            ("needs_8_6", writes_one),
            ("needs_9_4", writes_one),
            ("addresses", addresses),
        ],
    ),
];

pub fn list(options: &Options) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for (name, kernels) in CRATES {
        checks.extend(image::for_each_of_crate(options, name, |image| {
            let of = |&(kernel, run): &(&'static str, Run)| {
                let path = image.path.clone();
                Check::new(format!("{name}/{}/{kernel}", image.label), options, move |gpu| {
                    run(gpu, &Module::load(&gpu.context, &path)?, kernel)?;
                    Ok(Finding::default())
                })
            };
            kernels.iter().map(of).collect()
        })?);
    }
    Ok(checks)
}

/// Fills an array with indices, and reads it from its end.
fn shared(gpu: &Gpu, module: &Module, kernel: &str) -> Result<()> {
    const THREADS: u32 = 32;
    let mut out = gpu.stream.clone_htod(&[POISON; THREADS as usize])?;
    let kernel = module.kernel_by_name(kernel)?;
    // SAFETY: each thread writes one word.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, THREADS), (&mut out,))? };
    gpu.wait()?;
    let got = gpu.stream.clone_dtoh(&out)?;
    let len = got[0] + 1;
    ensure!([32, 64, 96].contains(&len), "the last element is {}", got[0]);
    ensure!(got.iter().zip(0..).all(|(&word, i)| word == len - 1 - i), "got {got:?}");
    Ok(())
}

fn outer_product(gpu: &Gpu, module: &Module, kernel: &str) -> Result<()> {
    const N: usize = 5;
    let columns = if kernel.ends_with("x16") { 16 } else { 8 };
    let whole = |count: usize, by: usize| (0..count).map(|i| (i * by % 13) as f32).collect::<Vec<_>>();
    let (a, b) = (whole(8 * N, 5), whole(columns * N, 7));
    let (left, right) = (gpu.stream.clone_htod(&a)?, gpu.stream.clone_htod(&b)?);
    let mut out = gpu.stream.clone_htod(&vec![f32::NAN; 8 * columns])?;
    let kernel = module.kernel_by_name(kernel)?;
    // SAFETY: the arrays have N columns of 8 and of `columns` elements, and a sum for each pair.
    unsafe {
        kernel.launch(&gpu.stream, &LaunchConfig::new(1, 1), (&left, &right, &mut out, N as u32))?;
    }
    gpu.wait()?;
    let sum = |i: usize, j: usize| (0..N).map(|k| a[8 * k + i] * b[columns * k + j]).sum::<f32>();
    let want: Vec<_> = (0..8 * columns).map(|at| sum(at / columns, at % columns)).collect();
    ensure!(gpu.stream.clone_dtoh(&out)? == want, "a sum is wrong");
    Ok(())
}

/// Runs a kernel on `words` words, in one block, and returns them.
fn words(gpu: &Gpu, module: &Module, kernel: &str, threads: u32, words: &[u32]) -> Result<Vec<u32>> {
    let mut out = gpu.stream.clone_htod(words)?;
    let kernel = module.kernel_by_name(kernel)?;
    // SAFETY: the kernel reads and writes these words.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, threads), (&mut out,))? };
    gpu.wait()?;
    Ok(gpu.stream.clone_dtoh(&out)?)
}

fn two_words(gpu: &Gpu, module: &Module, kernel: &str) -> Result<()> {
    let got = words(gpu, module, kernel, 96, &[POISON; 2])?;
    ensure!(got == [1, 2], "got {got:?}");
    Ok(())
}

/// Checks that one thread adds eight words in an array on its stack.
fn with_stack(gpu: &Gpu, module: &Module, kernel: &str) -> Result<()> {
    let got = words(gpu, module, kernel, 1, &[1, 2, 3, 4, 5, 6, 7, 8])?;
    ensure!(got == [36, 2, 3, 4, 5, 6, 7, 8], "got {got:?}");
    Ok(())
}

fn writes_one(gpu: &Gpu, module: &Module, kernel: &str) -> Result<()> {
    let got = words(gpu, module, kernel, 1, &[POISON])?;
    ensure!(got == [1], "got {got:?}");
    Ok(())
}

fn first_and_second(gpu: &Gpu, module: &Module, kernel: &str) -> Result<()> {
    let mut out = gpu.stream.clone_htod(&[POISON; 2])?;
    let kernel = module.kernel_by_name(kernel)?;
    let (mut first, mut second) = out.split_at_mut(1);
    // SAFETY: the kernel writes one word to `first` and one to `second`.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, 96), (&mut first, &mut second))? };
    gpu.wait()?;
    let got = gpu.stream.clone_dtoh(&out)?;
    ensure!(got == [1, 2], "got {got:?}");
    Ok(())
}

/// Checks that only lanes of the same arm are active together. The hardware chooses which of them are.
fn mask_in_both_arms(gpu: &Gpu, module: &Module, kernel: &str) -> Result<()> {
    const LIMIT: u32 = 11;
    let mut out = gpu.stream.clone_htod(&[POISON; 32])?;
    let kernel = module.kernel_by_name(kernel)?;
    // SAFETY: each thread writes one word.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, 32), (&mut out, LIMIT))? };
    gpu.wait()?;
    for (lane, mask) in (0u32..).zip(gpu.stream.clone_dtoh(&out)?) {
        let below = (1 << LIMIT) - 1;
        let arm = if lane < LIMIT { below } else { !below };
        ensure!(mask & !arm == 0 && mask >> lane & 1 == 1, "lane {lane} has the mask {mask:#x}");
    }
    Ok(())
}

/// Checks that all addresses of one piece of shared memory are equal, and that two pieces have different addresses.
fn addresses(gpu: &Gpu, module: &Module, kernel: &str) -> Result<()> {
    let got = words(gpu, module, kernel, 1, &[POISON; 4])?;
    let [own, other, first, second] = got[..] else { bail!("got {got:?}") };
    ensure!(own.abs_diff(other) >= 64 && first == other && second == other + own, "got {got:?}");
    Ok(())
}
