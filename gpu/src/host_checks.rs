//! Checks of `ptx-host` that need a GPU but no bundle.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use ptx_host::{
    DeviceBuffer, DevicePtr, DeviceSlice, Error, KernelArgs, LaunchConfig, LaunchProblem, Module, Stream,
};

use crate::check::{Check, Finding, Gpu};
use crate::cli::Options;

const KERNELS: &str = include_str!("host_checks.ptx");
const NAME: &str = "host_checks.ptx";

pub fn list(options: &Options) -> Vec<Check> {
    type Run = fn(&Gpu) -> Result<Finding>;
    let checks: [(&str, Run); 10] = [
        ("host/buffers", buffers),
        ("host/arguments", arguments),
        ("host/signatures", signatures),
        ("host/shared-memory", shared_memory),
        ("host/clusters", clusters),
        ("host/graphs", graphs),
        ("host/limits", limits),
        ("host/jit-log", jit_log),
        ("host/timeout", timeout),
        ("host/fault", fault),
    ];
    checks.into_iter().map(|(name, run)| Check::new(name, options, run)).collect()
}

fn kernels(gpu: &Gpu) -> ptx_host::Result<Module> {
    Module::from_bytes(&gpu.device, NAME, KERNELS)
}

/// Passes if the result is an error whose text contains all of `parts`.
fn expect_error<T>(result: ptx_host::Result<T>, parts: &[&str]) -> Result<()> {
    let Err(error) = result else { bail!("the call succeeded; an error with {parts:?} was expected") };
    let text = error.to_string();
    match parts.iter().find(|part| !text.contains(**part)) {
        None => Ok(()),
        Some(part) => bail!("{part:?} is missing in the error message: {text}"),
    }
}

fn buffers(gpu: &Gpu) -> Result<Finding> {
    let values: Vec<u32> = (0..1000).map(|i| i * 2_654_435_761).collect();
    let mut buffer = DeviceBuffer::from_slice(&gpu.device, &values)?;
    ensure!(buffer.as_slice().to_vec()? == values, "a download differs from its upload");

    buffer.slice_mut(3..10)?.fill(7)?;
    let mut expected = values.clone();
    expected[3..10].fill(7);
    ensure!(buffer.as_slice().to_vec()? == expected, "fill(3..10) changed other elements");

    let mut copy = DeviceBuffer::<u32>::alloc(&gpu.device, 1000)?;
    copy.as_mut_slice().copy_from(buffer.as_slice(), &gpu.stream)?;
    gpu.wait()?;
    ensure!(copy.as_slice().to_vec()? == expected, "a device-to-device copy differs");

    let address = |slice: DeviceSlice<'_, u32>| slice.as_ptr().address();
    ensure!(address(buffer.as_slice()).is_multiple_of(256), "a buffer is aligned to less than 256 bytes");
    ensure!(
        address(buffer.slice(1..4)?) == address(buffer.as_slice()) + 4,
        "element 1 is not 4 bytes after element 0"
    );
    expect_error(buffer.slice(0..1001), &["0..1001", "1000"])?;
    expect_error(buffer.as_slice().download(&mut [0; 3]), &["1000 elements into 3"])?;
    let empty = DeviceBuffer::<f32>::from_slice(&gpu.device, &[])?;
    ensure!(empty.as_slice().to_vec()?.is_empty());

    let info = gpu.device.info();
    let (major, minor) = info.compute_capability;
    Ok(format!(
        "{}: sm_{major}{minor}, {} multiprocessors, L2 {} MiB, {} bytes of shared memory a block",
        info.name,
        info.multiprocessors,
        info.l2_bytes >> 20,
        info.max_shared_bytes
    )
    .into())
}

type Arguments = (DevicePtr<u64>, f32, u32, i32, u64, i64, f64);

fn arguments(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernels(gpu)?.kernel::<Arguments>("arguments")?;
    let mut out = DeviceBuffer::from_slice(&gpu.device, &[0u64; 6])?;
    let args = (out.as_mut_slice().as_mut_ptr(), 1.5, 0xffff_fff0, -2, 1 << 63, -3, -0.25);
    // SAFETY: the kernel writes six words to `out`.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, 1), args)? };
    gpu.wait()?;
    let want =
        [u64::from(1.5f32.to_bits()), 0xffff_fff0, -2i64 as u64, 1 << 63, -3i64 as u64, (-0.25f64).to_bits()];
    let got = out.as_slice().to_vec()?;
    ensure!(got == want, "the kernel received {got:x?}, not {want:x?}");
    Ok("seven arguments of different types arrive".to_owned().into())
}

fn signatures(gpu: &Gpu) -> Result<Finding> {
    fn expect<A: KernelArgs>(module: &Module, problem: &str) -> Result<()> {
        expect_error(module.kernel::<A>("last_shared_word"), &["last_shared_word", NAME, problem])
    }
    let module = kernels(gpu)?;
    expect::<(DevicePtr<u32>,)>(&module, "2 parameters, not 1")?;
    expect::<(DevicePtr<u32>, u32, u32)>(&module, "2 parameters, not 3")?;
    expect::<(DevicePtr<u32>, u64)>(&module, "parameter 1 has 4 bytes, the argument has 8")?;
    expect_error(module.kernel::<()>("nothing"), &["`nothing`", NAME, "CUDA_ERROR_NOT_FOUND"])?;
    Ok("argument tuples that differ from the parameters are refused".to_owned().into())
}

fn shared_memory(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernels(gpu)?.kernel::<(DevicePtr<u32>, u32)>("last_shared_word")?;
    let most = kernel.max_dynamic_shared_bytes();
    let mut out = DeviceBuffer::from_slice(&gpu.device, &[0u32])?;
    for bytes in [4, 48 * 1024, 48 * 1024 + 4, most, 1024] {
        let args = (out.as_mut_slice().as_mut_ptr(), bytes ^ 0x5555);
        // SAFETY: the kernel writes one word to `out`, with that much dynamic shared memory.
        unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, 1).dynamic_shared(bytes), args)? };
        gpu.wait()?;
        ensure!(out.as_slice().to_vec()? == [bytes ^ 0x5555], "{bytes} bytes: the kernel wrote a wrong word");
    }
    let config = LaunchConfig::new(1, 1).dynamic_shared(most + 1);
    // SAFETY: the kernel writes one word to `out`; the launch must be refused anyway.
    let refused = unsafe { kernel.launch(&gpu.stream, &config, (out.as_mut_slice().as_mut_ptr(), 0)) };
    expect_error(refused, &["last_shared_word", &format!("at most {most}")])?;
    Ok(format!("up to {most} bytes").into())
}

fn clusters(gpu: &Gpu) -> Result<Finding> {
    const BLOCKS: u32 = 16;
    let kernel = kernels(gpu)?.kernel::<(DevicePtr<u32>,)>("cluster_ranks")?;
    let mut out = DeviceBuffer::from_slice(&gpu.device, &[0u32; BLOCKS as usize])?;
    for size in [1, 2, 8, 16] {
        let config = LaunchConfig::new(BLOCKS, 32).cluster(size);
        // SAFETY: the kernel writes one word per block to `out`.
        unsafe { kernel.launch(&gpu.stream, &config, (out.as_mut_slice().as_mut_ptr(),))? };
        gpu.wait()?;
        let want: Vec<_> = (0..BLOCKS).map(|block| size * 256 + block % size).collect();
        let got = out.as_slice().to_vec()?;
        ensure!(got == want, "clusters of {size}: got {got:x?}, want {want:x?}");
    }
    Ok("clusters of 1, 2, 8 and 16 blocks".to_owned().into())
}

fn limits(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernels(gpu)?.kernel::<(u64,)>("spin")?;
    let info = gpu.device.info();
    for config in [
        LaunchConfig::new(0, 1),
        LaunchConfig::new(1, 0),
        LaunchConfig::new(1, info.max_threads + 1),
        LaunchConfig::new((1, info.max_grid.y + 1), 1),
        LaunchConfig::new(3, 1).cluster(2),
    ] {
        // SAFETY: the kernel accesses no memory.
        match unsafe { kernel.launch(&gpu.stream, &config, (0,)) } {
            Err(Error::Launch { problem, .. }) => {
                ensure!(!matches!(problem, LaunchProblem::SharedMemory { .. }))
            }
            other => bail!("{config:?} gave {other:?}; the launch must be refused before the driver sees it"),
        }
    }
    // SAFETY: the kernel accesses no memory.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, info.max_threads), (0,))? };
    gpu.wait()?;
    Ok("impossible launches are refused before the driver sees them".to_owned().into())
}

fn graphs(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernels(gpu)?.kernel::<(DevicePtr<u32>, u32)>("last_shared_word")?;
    let mut words = DeviceBuffer::from_slice(&gpu.device, &[0u32; 3])?;
    let config = LaunchConfig::new(1, 1).dynamic_shared(1024);
    let mut put = |i: usize| -> Result<()> {
        // SAFETY: the kernel writes one word to `words[i]`.
        unsafe {
            Ok(kernel.launch(
                &gpu.stream,
                &config,
                (words.slice_mut(i..i + 1)?.as_mut_ptr(), i as u32 + 7),
            )?)
        }
    };
    let graph = gpu.stream.capture(|| (0..3).try_for_each(&mut put))?;
    let failed = gpu.stream.capture(|| put(3));
    ensure!(failed.is_err(), "an error in the captured work was not reported");
    gpu.wait()?;
    ensure!(words.as_slice().to_vec()? == [0; 3], "a captured launch ran before its graph");
    for round in 0..2 {
        words.as_mut_slice().fill(round)?;
        // SAFETY: each launch writes one word of `words`, which lives, as does the module.
        unsafe { graph.launch(&gpu.stream)? };
        gpu.wait()?;
        ensure!(
            words.as_slice().to_vec()? == [7, 8, 9],
            "the recorded launches did not all run, in round {round}"
        );
    }
    Ok("captured launches run with each launch of their graph".to_owned().into())
}

fn jit_log(gpu: &Gpu) -> Result<Finding> {
    const BROKEN: &str =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n    no.such.thing;\n}\n";
    let loaded = Module::from_bytes(&gpu.device, "broken.ptx", BROKEN);
    expect_error(loaded, &["broken.ptx", "CUDA_ERROR_INVALID_PTX", "line 6"])?;
    let newer = KERNELS.replace(".version 8.0", ".version 99.0");
    let loaded = Module::from_bytes(&gpu.device, "newer.ptx", newer);
    expect_error(loaded, &["newer.ptx", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "load a cubin"])?;
    Ok("the driver's log names the faulty line".to_owned().into())
}

fn timeout(gpu: &Gpu) -> Result<Finding> {
    const RUNS: Duration = Duration::from_secs(2);
    const GIVEN: Duration = Duration::from_millis(200);
    let kernel = kernels(gpu)?.kernel::<(u64,)>("spin")?;
    let stream = Stream::new(&gpu.device)?;
    // SAFETY: the kernel accesses no memory.
    unsafe { kernel.launch(&stream, &LaunchConfig::new(1, 1), (RUNS.as_nanos() as u64,))? };
    expect_error(stream.wait(GIVEN), &["hang", "`spin`", NAME, "200ms"])?;
    stream.wait(gpu.timeout.max(2 * RUNS))?;
    Ok("a kernel that takes too long is reported by name".to_owned().into())
}

fn fault(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernels(gpu)?.kernel::<()>("fault")?;
    // SAFETY: none, on purpose: the kernel faults. The context is lost, and this process ends with it.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, 1), ())? };
    expect_error(gpu.wait(), &["`fault`", NAME, "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal memory access"])?;
    Ok("an illegal address is reported with CUDA's error name and the kernel's name".to_owned().into())
}
