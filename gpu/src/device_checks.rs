//! Checks of the device crates that the tests compile for other reasons: their PTX, their machine code, the linker.

use anyhow::{Result, bail, ensure};
use ptx_host::LaunchConfig;

use crate::check::{self, Check, Finding};
use crate::device::Device;
use crate::guard::POISON;
use crate::options::Options;

type Run<D> = fn(&D, &<D as Device>::Loaded, &str) -> Result<()>;

/// A crate, with the check of each of its kernels.
type Crate<D> = (&'static str, Vec<(&'static str, Run<D>)>);

/// Returns the crates. The list omits `plain` of `link_kernels`, which waits on an
/// mbarrier that no kernel initializes, and `wide`, whose 128-bit parameter no launch by name can pass.
fn crates<D: Device>() -> [Crate<D>; 4] {
    [
        ("shared", vec![("first", shared), ("second", shared), ("third", shared), ("fourth", shared)]),
        ("registers", vec![("outer_8x8", outer_product), ("outer_8x16", outer_product)]),
        ("fixture", vec![("barrier_between", two_words), ("with_stack", with_stack)]),
        (
            "link_kernels",
            vec![
                ("barrier_between", first_and_second),
                ("mask_in_both_arms", mask_in_both_arms),
                ("labeled", writes_one),
                ("needs_8_6", writes_one),
                ("needs_9_4", writes_one),
                ("addresses", addresses),
            ],
        ),
    ]
}

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    let mut checks = Vec::new();
    for (name, kernels) in crates::<D>() {
        checks.extend(check::for_each_of_crate(options, name, |image| {
            let of = |&(kernel, run): &(&'static str, Run<D>)| {
                let image = image.clone();
                Check::new(format!("{name}/{}/{kernel}", image.label), options, move |device: &D| {
                    run(device, &device.load(&image)?, kernel)?;
                    Ok(Finding::default())
                })
            };
            kernels.iter().map(of).collect()
        })?);
    }
    Ok(checks)
}

/// Fills an array with indices, and reads it from its end.
fn shared<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str) -> Result<()> {
    const THREADS: u32 = 32;
    let out = device.memory(&[POISON; THREADS as usize])?;
    let kernel = D::function(loaded, kernel)?;
    // SAFETY: each thread writes one word.
    unsafe { device.launch_by_name(&kernel, &LaunchConfig::new(1, THREADS), (D::address(&out),))? };
    let got = device.to_vec(&out)?;
    let len = got[0] + 1;
    ensure!([32, 64, 96].contains(&len), "the last element is {}", got[0]);
    ensure!(got.iter().zip(0..).all(|(&word, i)| word == len - 1 - i), "got {got:?}");
    Ok(())
}

fn outer_product<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str) -> Result<()> {
    const N: usize = 5;
    let columns = if kernel.ends_with("x16") { 16 } else { 8 };
    let whole = |count: usize, by: usize| (0..count).map(|i| (i * by % 13) as f32).collect::<Vec<_>>();
    let (a, b) = (whole(8 * N, 5), whole(columns * N, 7));
    let (left, right) = (device.memory(&a)?, device.memory(&b)?);
    let out = device.memory(&vec![f32::NAN; 8 * columns])?;
    let kernel = D::function(loaded, kernel)?;
    // SAFETY: the arrays have N columns of 8 and of `columns` elements, and a sum for each pair.
    unsafe {
        device.launch_by_name(
            &kernel,
            &LaunchConfig::new(1, 1),
            (D::address(&left), D::address(&right), D::address(&out), N as u32),
        )?;
    }
    let sum = |i: usize, j: usize| (0..N).map(|k| a[8 * k + i] * b[columns * k + j]).sum::<f32>();
    let want: Vec<_> = (0..8 * columns).map(|at| sum(at / columns, at % columns)).collect();
    ensure!(device.to_vec(&out)? == want, "a sum is wrong");
    Ok(())
}

/// Runs a kernel on `words` words, in one block, and returns them.
fn words<D: Device>(
    device: &D,
    loaded: &D::Loaded,
    kernel: &str,
    threads: u32,
    words: &[u32],
) -> Result<Vec<u32>> {
    let out = device.memory(words)?;
    let kernel = D::function(loaded, kernel)?;
    // SAFETY: the kernel reads and writes these words.
    unsafe { device.launch_by_name(&kernel, &LaunchConfig::new(1, threads), (D::address(&out),))? };
    device.to_vec(&out)
}

fn two_words<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str) -> Result<()> {
    let got = words(device, loaded, kernel, 96, &[POISON; 2])?;
    ensure!(got == [1, 2], "got {got:?}");
    Ok(())
}

/// Checks that one thread adds eight words in an array on its stack.
fn with_stack<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str) -> Result<()> {
    let got = words(device, loaded, kernel, 1, &[1, 2, 3, 4, 5, 6, 7, 8])?;
    ensure!(got == [36, 2, 3, 4, 5, 6, 7, 8], "got {got:?}");
    Ok(())
}

fn writes_one<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str) -> Result<()> {
    let got = words(device, loaded, kernel, 1, &[POISON])?;
    ensure!(got == [1], "got {got:?}");
    Ok(())
}

fn first_and_second<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str) -> Result<()> {
    let out = device.memory(&[POISON; 2])?;
    let kernel = D::function(loaded, kernel)?;
    let (first, second) = (D::address(&out), D::address(&out) + 4);
    // SAFETY: the kernel writes one word to `first` and one to `second`.
    unsafe { device.launch_by_name(&kernel, &LaunchConfig::new(1, 96), (first, second))? };
    let got = device.to_vec(&out)?;
    ensure!(got == [1, 2], "got {got:?}");
    Ok(())
}

/// Checks that only lanes of the same arm are active together. The hardware chooses which of them are.
fn mask_in_both_arms<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str) -> Result<()> {
    const LIMIT: u32 = 11;
    let out = device.memory(&[POISON; 32])?;
    let kernel = D::function(loaded, kernel)?;
    // SAFETY: each thread writes one word.
    unsafe { device.launch_by_name(&kernel, &LaunchConfig::new(1, 32), (D::address(&out), LIMIT))? };
    for (lane, mask) in (0u32..).zip(device.to_vec(&out)?) {
        let below = (1 << LIMIT) - 1;
        let arm = if lane < LIMIT { below } else { !below };
        ensure!(mask & !arm == 0 && mask >> lane & 1 == 1, "lane {lane} has the mask {mask:#x}");
    }
    Ok(())
}

/// Checks that all addresses of one piece of shared memory are equal, and that two pieces have different addresses.
fn addresses<D: Device>(device: &D, loaded: &D::Loaded, kernel: &str) -> Result<()> {
    let got = words(device, loaded, kernel, 1, &[POISON; 4])?;
    let [own, other, first, second] = got[..] else { bail!("got {got:?}") };
    ensure!(own.abs_diff(other) >= 64 && first == other && second == other + own, "got {got:?}");
    Ok(())
}
