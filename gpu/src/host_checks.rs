//! Checks of `ptx-host` that need a GPU but no bundle. They test what a driver does, so the interpreter alone runs none of them. The
//! tests of `ptx-emu-cuda` run them on its driver.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use ptx_host::cudarc::driver::sys::CUstreamCaptureStatus;
use ptx_host::cudarc::driver::{CudaSlice, CudaStream};
use ptx_host::{
    Error, Function, Image, JitOptions, Kernel, KernelArgs, LaunchConfig, LaunchProblem, Module,
    TensorMapBuilder,
};

use crate::check::{Check, Finding};
use crate::device::Device as _;
use crate::gpu::{DeviceInfo, Gpu};
use crate::memory::address;
use crate::options::Options;

const KERNELS: &str = include_str!("host_checks.ptx");
const NAME: &str = "host_checks.ptx";

pub fn list(options: &Options) -> Vec<Check> {
    type Run = fn(&Gpu) -> Result<Finding>;
    let checks: [(&str, Run); 16] = [
        ("host/buffers", buffers),
        ("host/arguments", arguments),
        ("host/signatures", signatures),
        ("host/shared-memory", shared_memory),
        ("host/clusters", clusters),
        ("host/required-shapes", required_shapes),
        ("host/cooperative", cooperative),
        ("host/streams", streams),
        ("host/contexts", contexts),
        ("host/tensor-maps", tensor_maps),
        ("host/images", images),
        ("host/graphs", graphs),
        ("host/limits", limits),
        ("host/jit-log", jit_log),
        ("host/timeout", timeout),
        ("host/fault", fault),
    ];
    // An emulated device does its work within the call, so no wait can time out.
    let can_run = |(name, _): &(&str, Run)| !options.is_emulated() || *name != "host/timeout";
    checks.into_iter().filter(can_run).map(|(name, run)| Check::new(name, options, run)).collect()
}

fn load(gpu: &Gpu, name: &str, ptx: &str) -> ptx_host::Result<Module> {
    Module::from_bytes(&gpu.context, name, ptx, &JitOptions::default())
}

fn kernel(gpu: &Gpu, name: &str) -> ptx_host::Result<Kernel> {
    load(gpu, NAME, KERNELS)?.kernel_by_name(name)
}

/// Passes if the result is an error whose text contains all of `parts`.
pub fn expect_error<T>(result: ptx_host::Result<T>, parts: &[&str]) -> Result<()> {
    let Err(error) = result else { bail!("the call succeeded; an error with {parts:?} was expected") };
    let text = error.to_string();
    match parts.iter().find(|part| !text.contains(**part)) {
        None => Ok(()),
        Some(part) => bail!("{part:?} is missing in the error message: {text}"),
    }
}

fn buffers(gpu: &Gpu) -> Result<Finding> {
    let values: Vec<u32> = (0..1000u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let mut memory = gpu.stream.clone_htod(&values)?;
    ensure!(gpu.stream.clone_dtoh(&memory)? == values, "a download differs from its upload");

    gpu.stream.memset_zeros(&mut memory.slice_mut(3..10))?;
    let mut expected = values.clone();
    expected[3..10].fill(0);
    ensure!(gpu.stream.clone_dtoh(&memory)? == expected, "zeroing 3..10 changed other elements");

    let copy = gpu.stream.clone_dtod(&memory)?;
    gpu.wait()?;
    ensure!(gpu.stream.clone_dtoh(&copy)? == expected, "a device-to-device copy differs");
    ensure!(address(&memory).is_multiple_of(256), "device memory is aligned to less than 256 bytes");
    ensure!(address(&memory.slice(1..4)) == address(&memory) + 4, "element 1 is not 4 bytes after element 0");

    let info = DeviceInfo::of(&gpu.context)?;
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

fn arguments(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernel(gpu, "arguments")?;
    let mut out = gpu.stream.alloc_zeros::<u64>(6)?;
    let mut view = out.slice_mut(..);
    let args = (&mut view, 1.5f32, 0xffff_fff0u32, -2i32, 1u64 << 63, -3i64, -0.25f64);
    // SAFETY: the kernel writes six words to `out`.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, 1), args)? };
    gpu.wait()?;
    let want =
        [u64::from(1.5f32.to_bits()), 0xffff_fff0, -2i64 as u64, 1 << 63, -3i64 as u64, (-0.25f64).to_bits()];
    let got = gpu.stream.clone_dtoh(&out)?;
    ensure!(got == want, "the kernel received {got:x?}, not {want:x?}");
    Ok("seven arguments of different types arrive".to_owned().into())
}

fn signatures(gpu: &Gpu) -> Result<Finding> {
    let stream = &gpu.stream;
    let out = address(&stream.alloc_zeros::<u32>(1)?);
    let module = load(gpu, NAME, KERNELS)?;
    let kernel = module.kernel_by_name("last_shared_word")?;
    fn refuse<'a>(
        kernel: &Kernel,
        stream: &'a CudaStream,
        args: impl KernelArgs<'a>,
        problem: &str,
    ) -> Result<()> {
        // SAFETY: the arguments break clause 1 of `launch`, but the launch must be refused.
        let refused = unsafe { kernel.launch(stream, &LaunchConfig::new(1, 1).dynamic_shared(4), args) };
        expect_error(refused, &["last_shared_word", NAME, problem])
    }
    refuse(&kernel, stream, (out,), "2 parameters, not 1")?;
    refuse(&kernel, stream, (out, 1u32, 2u32), "2 parameters, not 3")?;
    refuse(&kernel, stream, (out, 1u64), "parameter 1 has 4 bytes, the argument has 8")?;
    refuse(&kernel, stream, (1u32, 1u32), "parameter 0 has 8 bytes, the argument has 4")?;
    expect_error(module.kernel_by_name("nothing"), &["`nothing`", NAME, "CUDA_ERROR_NOT_FOUND"])?;
    gpu.wait()?;
    Ok("argument tuples that differ from the parameters are refused".to_owned().into())
}

fn shared_memory(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernel(gpu, "last_shared_word")?;
    let most = kernel.attributes().max_dynamic_shared_bytes;
    let mut out = gpu.stream.alloc_zeros::<u32>(1)?;
    for bytes in [4, 48 * 1024, 48 * 1024 + 4, most, 1024] {
        let config = LaunchConfig::new(1, 1).dynamic_shared(bytes);
        // SAFETY: the kernel writes one word to `out`, with `bytes` bytes of dynamic shared memory.
        unsafe { kernel.launch(&gpu.stream, &config, (&mut out, bytes ^ 0x5555))? };
        gpu.wait()?;
        ensure!(
            gpu.stream.clone_dtoh(&out)? == [bytes ^ 0x5555],
            "{bytes} bytes: the kernel wrote a wrong word"
        );
    }
    let config = LaunchConfig::new(1, 1).dynamic_shared(most + 1);
    // SAFETY: the kernel writes one word to `out`; the launch must be refused anyway.
    let refused = unsafe { kernel.launch(&gpu.stream, &config, (&mut out, 0u32)) };
    expect_error(refused, &["last_shared_word", &format!("at most {most}")])?;
    let blocks =
        |bytes| kernel.max_active_blocks_per_multiprocessor(&LaunchConfig::new(1, 32).dynamic_shared(bytes));
    ensure!(blocks(most)? == 1 && blocks(4)? > 1, "{} and {} blocks fit", blocks(most)?, blocks(4)?);
    Ok(format!("up to {most} bytes").into())
}

fn ranks(gpu: &Gpu, out: &CudaSlice<u32>, size: u32) -> Result<()> {
    gpu.wait()?;
    let want: Vec<_> = (0..out.len() as u32).map(|block| size * 256 + block % size).collect();
    let got = gpu.stream.clone_dtoh(out)?;
    ensure!(got == want, "clusters of {size}: got {got:x?}, want {want:x?}");
    Ok(())
}

fn clusters(gpu: &Gpu) -> Result<Finding> {
    const BLOCKS: u32 = 16;
    let kernel = kernel(gpu, "cluster_ranks")?;
    let mut out = gpu.stream.alloc_zeros::<u32>(BLOCKS as usize)?;
    let mut active = Vec::new();
    for size in [1, 2, 8, 16] {
        let config = LaunchConfig::new(BLOCKS, 32).cluster(size);
        // SAFETY: the kernel writes one word per block to `out`.
        unsafe { kernel.launch(&gpu.stream, &config, (&mut out,))? };
        ranks(gpu, &out, size)?;
        active.push(kernel.max_active_clusters(&config)?);
    }
    ensure!(active.is_sorted_by(|less, more| less >= more) && active[3] > 0, "{active:?} clusters fit");
    Ok(format!("clusters of 1, 2, 8 and 16 blocks, of which {active:?} run at the same time").into())
}

fn required_shapes(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernel(gpu, "pairs")?;
    let attributes = kernel.attributes();
    let (block, cluster) = (attributes.required_block, attributes.required_cluster);
    ensure!(block == Some(64.into()) && cluster == Some(2.into()), "{attributes:?}");
    let mut out = gpu.stream.alloc_zeros::<u32>(4)?;
    for config in [LaunchConfig::new(4, 64), LaunchConfig::new(4, 64).cluster(2)] {
        // SAFETY: the kernel writes one word per block to `out`.
        unsafe { kernel.launch(&gpu.stream, &config, (&mut out,))? };
        ranks(gpu, &out, 2)?;
    }
    for (config, problem) in [
        (LaunchConfig::new(4, 32), "blocks of (64, 1, 1)"),
        (LaunchConfig::new(4, 64).cluster(4), "clusters of (2, 1, 1)"),
        (LaunchConfig::new(3, 64), "whole clusters"),
    ] {
        // SAFETY: the kernel writes one word per block to `out`; the launch must be refused anyway.
        expect_error(unsafe { kernel.launch(&gpu.stream, &config, (&mut out,)) }, &["`pairs`", problem])?;
    }
    Ok("another block or cluster than the kernel's is refused".to_owned().into())
}

fn cooperative(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernel(gpu, "spin")?;
    let shape = |grid| LaunchConfig::new(grid, 256).cooperative();
    let per_multiprocessor = kernel.max_active_blocks_per_multiprocessor(&shape(1))?;
    let resident = per_multiprocessor * gpu.multiprocessors()?;
    for config in [shape(resident), shape(8).cluster(2), LaunchConfig::new(1, 1).programmatic()] {
        // SAFETY: the kernel accesses no memory.
        unsafe { kernel.launch(&gpu.stream, &config, (1000u64,))? };
    }
    gpu.wait()?;
    // SAFETY: the kernel accesses no memory.
    let refused = unsafe { kernel.launch(&gpu.stream, &shape(resident + 1), (0u64,)) };
    expect_error(refused, &["cooperative", &format!("at most {resident} blocks")])?;
    Ok(format!("cooperative grids up to {resident} blocks, and a programmatic dependent launch").into())
}

fn streams(gpu: &Gpu) -> Result<Finding> {
    let (spin, write) = (kernel(gpu, "spin")?, kernel(gpu, "last_shared_word")?);
    let (first, second) = (gpu.context.new_stream()?, gpu.context.new_stream()?);
    let mut out = first.alloc_zeros::<u32>(1)?;
    let config = LaunchConfig::new(1, 1).dynamic_shared(4);
    for (seed, (late, early)) in (7..).zip([(&first, &second), (&second, &first)]) {
        // SAFETY: `spin` accesses no memory, and `last_shared_word` writes one word to `out`.
        unsafe {
            spin.launch(late, &LaunchConfig::new(1, 1), (20_000_000u64,))?;
            write.launch(late, &config, (&mut out, seed))?;
        }
        let got = early.clone_dtoh(&out)?;
        ptx_host::wait(early, gpu.timeout)?;
        ensure!(got == [seed], "a copy on another stream did not wait for the kernel that writes: {got:?}");
    }
    // `cudarc` has one event for all reads of a slice. A launch that reads records it again, and keeps the copy that reads before.
    let (third, idle) = (gpu.context.new_stream()?, kernel(gpu, "idle")?);
    let (mut source, mut copy) = (gpu.stream.clone_htod(&[5])?, first.alloc_zeros::<u32>(1)?);
    // SAFETY: neither kernel accesses memory.
    unsafe { spin.launch(&first, &LaunchConfig::new(1, 1), (20_000_000u64,))? };
    first.memcpy_dtod(&source, &mut copy)?;
    // SAFETY: as above.
    unsafe { idle.launch(&second, &LaunchConfig::new(1, 1), (&source.slice(..),))? };
    third.memcpy_htod(&[6], &mut source)?;
    let got = first.clone_dtoh(&copy)?;
    ptx_host::wait(&first, gpu.timeout)?;
    ensure!(got == [5], "a launch lost the event of a copy that reads its slice: {got:?}");
    // If two launches lent one slice at the same time, the event of one of them would be lost.
    let lock = Kernel::lock();
    std::thread::scope(|scope| {
        // SAFETY: `last_shared_word` writes one word to `out`.
        let launch = scope.spawn(|| unsafe { write.launch(&first, &config, (&mut out, 9)) });
        std::thread::sleep(Duration::from_millis(50));
        ensure!(!launch.is_finished(), "a launch by name lends memory while another launch does");
        drop(lock);
        launch.join().expect("no panic")?;
        Ok(())
    })?;
    ensure!(second.clone_dtoh(&out)? == [9], "a launch from another thread");
    Ok("a slice's events order the streams that use it".to_owned().into())
}

fn contexts(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernel(gpu, "last_shared_word")?;
    let config = LaunchConfig::new(1, 1).dynamic_shared(4);
    let other = ptx_host::cudarc::driver::CudaContext::new_non_primary(gpu.context.ordinal(), 0)?;
    let (theirs, mut foreign) = (other.default_stream(), other.default_stream().alloc_zeros::<u32>(1)?);
    // SAFETY: the stream and the null pointer break clause 2 of `launch`, but the launch must be refused.
    let refused = unsafe { kernel.launch(&theirs, &config, (0u64, 0u32)) };
    expect_error(refused, &["a stream of the module's context"])?;
    // SAFETY: the foreign slice breaks clause 2 of `launch`, but the launch must be refused.
    let refused = unsafe { kernel.launch(&gpu.stream, &config, (&mut foreign, 0u32)) };
    expect_error(refused, &["argument 0 is a slice of another context"])?;
    let mut out = gpu.stream.alloc_zeros::<u32>(1)?;
    // SAFETY: all work is on one stream.
    unsafe { gpu.context.disable_event_tracking() };
    // SAFETY: without events, the slice breaks clause 2 of `launch`, but the launch must be refused.
    let refused = unsafe { kernel.launch(&gpu.stream, &config, (&mut out, 0u32)) };
    // SAFETY: every slice was made before the tracking was disabled.
    unsafe { gpu.context.enable_event_tracking() };
    expect_error(refused, &["argument 0 is a slice", "event tracking is off"])?;
    gpu.wait()?;
    drop(out);
    // The drop frees the memory in the current context.
    other.bind_to_thread()?;
    drop(foreign);
    Ok("streams and slices of another context, and slices without events, are refused".to_owned().into())
}

fn tensor_maps(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernel(gpu, "map_words")?;
    let tensor = gpu.stream.alloc_zeros::<f32>(64 * 32)?;
    let map = TensorMapBuilder::tiled(&[64, 32], &[32, 8]).encode(&tensor)?;
    let mut out = gpu.stream.alloc_zeros::<u64>(16)?;
    // SAFETY: the kernel writes sixteen words to `out`.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, 16), (map, &mut out))? };
    gpu.wait()?;
    let got = gpu.stream.clone_dtoh(&out)?;
    ensure!(got == map.opaque, "the kernel received the map {got:x?}, not {:x?}", map.opaque);
    let wrong = TensorMapBuilder::tiled(&[64, 33], &[32, 8]).encode(&tensor);
    expect_error(wrong, &["the tensor has 8448 bytes, but the memory has 8192"])?;
    Ok("a map arrives by value".to_owned().into())
}

fn images(gpu: &Gpu) -> Result<Finding> {
    let (major, minor) = gpu.context.compute_capability()?;
    let future = format!("sm_{}", 10 * major + minor + 1);
    let images =
        [Image { target: &future, bytes: b"" }, Image { target: "sm_90", bytes: KERNELS.as_bytes() }];
    let options = JitOptions { max_registers: Some(24), optimization_level: Some(1), line_info: true };
    let module = Module::from_images(&gpu.context, NAME, &images, &options)?;
    ensure!(module.name().ends_with("sm_90 (PTX)"), "{} was loaded", module.name());
    let registers = module.kernel_by_name("arguments")?.attributes().registers;
    ensure!(registers <= 24, "{registers} registers, where 24 were allowed");
    let none = Module::from_images(&gpu.context, NAME, &images[..1], &options);
    expect_error(none, &["no image", NAME, &format!("of sm_{major}{minor}"), &format!("{future} (PTX)")])?;
    // A cubin that the driver refuses: a header without content. An emulated device refuses every cubin.
    let mut cubin = [0; 64];
    cubin[..6].copy_from_slice(b"\x7fELF\x02\x01");
    cubin[18] = 190;
    let refused = Image { target: &format!("sm_{major}{minor}"), bytes: &cubin };
    let module = Module::from_images(&gpu.context, NAME, &[refused, images[1]], &options)?;
    ensure!(module.name().ends_with("sm_90 (PTX)"), "{} was loaded", module.name());
    expect_error(Module::from_images(&gpu.context, NAME, &[refused], &options), &["(cubin)"])?;
    Ok("the image that runs is chosen, and compiled with options".to_owned().into())
}

fn limits(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernel(gpu, "spin")?;
    let most = kernel.attributes().max_threads;
    for config in [
        LaunchConfig::new(0, 1),
        LaunchConfig::new(1, 0),
        LaunchConfig::new(1, most + 1),
        LaunchConfig::new((1, 1 << 16), 1),
        LaunchConfig::new(3, 1).cluster(2),
    ] {
        // SAFETY: the kernel accesses no memory.
        match unsafe { kernel.launch(&gpu.stream, &config, (0u64,)) } {
            Err(Error::Launch { problem, .. }) => {
                ensure!(!matches!(problem, LaunchProblem::SharedMemory(..)))
            }
            other => bail!("{config:?} gave {other:?}; the launch must be refused before the driver sees it"),
        }
    }
    // SAFETY: the kernel accesses no memory.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, most), (0u64,))? };
    gpu.wait()?;
    Ok("impossible launches are refused before the driver sees them".to_owned().into())
}

fn graphs(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernel(gpu, "last_shared_word")?;
    let mut words = gpu.stream.alloc_zeros::<u32>(3)?;
    let config = LaunchConfig::new(1, 1).dynamic_shared(1024);
    let put = |i: u32| -> Result<()> {
        let word = address(&words.slice(i as usize..));
        // SAFETY: the kernel writes one word to `words[i]`.
        Ok(unsafe { kernel.launch(&gpu.stream, &config, (word, i + 7)) }?)
    };
    let graph = gpu.capture(|| (0..3).try_for_each(put))?;
    ensure!(gpu.capture(|| bail!("no")).is_err(), "an error in the captured work was not reported");
    let mut refused = Ok(());
    gpu.capture(|| {
        // SAFETY: the kernel writes one word to `words`; the launch must be refused anyway.
        refused = unsafe { kernel.launch(&gpu.stream, &config, (&words, 0u32)) };
        Ok(())
    })?;
    expect_error(refused, &["argument 0 is a slice", "the stream is being captured"])?;
    let other = gpu.context.new_stream()?;
    let (mut refused, mut status) = (Ok(()), None);
    gpu.capture(|| {
        // SAFETY: the kernel writes one word to `words`; the launch must be refused anyway.
        refused = unsafe { kernel.launch(&other, &config, (&words, 0u32)) };
        status = Some(other.capture_status()?);
        Ok(())
    })?;
    expect_error(refused, &["argument 0 is a slice", "its own stream is being captured"])?;
    let none = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    ensure!(status == Some(none), "a refused launch let the capture take its stream: {status:?}");
    gpu.wait()?;
    ensure!(gpu.stream.clone_dtoh(&words)? == [0; 3], "a captured launch ran before its graph");
    for round in 0..2 {
        gpu.stream.memcpy_htod(&[round; 3], &mut words)?;
        graph.launch()?;
        gpu.wait()?;
        let got = gpu.stream.clone_dtoh(&words)?;
        ensure!(got == [7, 8, 9], "the recorded launches did not all run, in round {round}");
    }
    Ok("captured launches run with each launch of their graph".to_owned().into())
}

fn jit_log(gpu: &Gpu) -> Result<Finding> {
    const BROKEN: &str =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n    no.such.thing;\n}\n";
    let loaded = load(gpu, "broken.ptx", BROKEN);
    expect_error(loaded, &["broken.ptx", "CUDA_ERROR_INVALID_PTX", "line 6"])?;
    let newer = KERNELS.replace(".version 8.0", ".version 99.0");
    let loaded = load(gpu, "newer.ptx", &newer);
    expect_error(loaded, &["newer.ptx", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "load a cubin"])?;
    Ok("the driver's log names the faulty line".to_owned().into())
}

fn timeout(gpu: &Gpu) -> Result<Finding> {
    const RUNS: Duration = Duration::from_secs(2);
    const GIVEN: Duration = Duration::from_millis(200);
    let kernel = kernel(gpu, "spin")?;
    let stream = gpu.context.new_stream()?;
    // SAFETY: the kernel accesses no memory.
    unsafe { kernel.launch(&stream, &LaunchConfig::new(1, 1), (RUNS.as_nanos() as u64,))? };
    expect_error(ptx_host::wait(&stream, GIVEN), &["hang", "`spin`", NAME, "200ms"])?;
    ptx_host::wait(&stream, gpu.timeout.max(2 * RUNS))?;
    Ok("a kernel that takes too long is reported by name".to_owned().into())
}

fn fault(gpu: &Gpu) -> Result<Finding> {
    let kernel = kernel(gpu, "fault")?;
    // SAFETY: the kernel faults, which breaks clause 2 of `launch`, on purpose. The context is lost, and this process ends with
    // it.
    unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, 1), ())? };
    expect_error(gpu.wait(), &["`fault`", NAME, "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal memory access"])?;
    Ok("an illegal address is reported with CUDA's error name and the kernel's name".to_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_of_the_checks_are_in_their_file() {
        for name in ["arguments", "last_shared_word", "cluster_ranks", "pairs", "map_words", "spin", "fault"]
        {
            assert!(KERNELS.contains(&format!(".entry {name}(")), "{name}");
        }
    }
}
