//! What runs the checks of kernels of words: a GPU, or the interpreter without a driver.

use anyhow::{Result, ensure};
use ptx::launch::Kernel as Description;
use ptx_host::cudarc::driver::{CudaView, CudaViewMut};
use ptx_host::{Function, Grid, KernelArguments, Memory, MemoryMut};

use crate::check::Gpu;
use crate::entry::Loaded;
use crate::guard::{GUARD, POISON, between};
use crate::memory::address;

/// A device that runs a check.
pub trait Device: Sized {
    /// A kernel of the device.
    type Function: Function;
    /// A loaded image.
    type Loaded;
    /// Words that a kernel reads.
    type Input<'a>: Memory<'a, Self::Function, u32>
    where
        Self: 'a;
    /// Words that a kernel writes.
    type Output<'a>: MemoryMut<'a, Self::Function, u32>
    where
        Self: 'a;

    /// Returns the address of the input, the address of the output, and the words of the input: the arguments of a twin.
    fn of_twin(input: &Self::Input<'_>, output: &Self::Output<'_>) -> (u64, u64, u32);

    /// Launches the kernel with `arguments`, or the twin with `of_twin` in the same shape.
    ///
    /// # Safety
    ///
    /// The twin keeps to its arguments. If the kernel is an `unsafe fn`, its `# Safety` section holds.
    unsafe fn launch<'a, K, A>(
        &'a self,
        loaded: &Self::Loaded,
        kernel: K,
        grid: Grid,
        arguments: A,
        of_twin: (u64, u64, u32),
    ) -> Result<()>
    where
        K: Description,
        A: KernelArguments<'a, K::Parameters, Self::Function>;

    /// Runs `launch` on these words and on an output of zeros in parts of these lengths, and returns the output. Fails if the
    /// launch has changed other words.
    fn run<const PARTS: usize>(
        &self,
        words: &[u32],
        parts: [usize; PARTS],
        launch: impl for<'a> FnOnce(&'a Self, Self::Input<'a>, [Self::Output<'a>; PARTS]) -> Result<()>,
    ) -> Result<Vec<u32>>;
}

impl Device for Gpu {
    type Function = ptx_host::Kernel;
    type Loaded = Loaded;
    type Input<'a> = &'a CudaView<'a, u32>;
    type Output<'a> = &'a mut CudaViewMut<'a, u32>;

    fn of_twin(input: &Self::Input<'_>, output: &Self::Output<'_>) -> (u64, u64, u32) {
        (address(*input), address(&**output), input.len() as u32)
    }

    unsafe fn launch<'a, K, A>(
        &'a self,
        loaded: &Loaded,
        kernel: K,
        grid: Grid,
        arguments: A,
        of_twin: (u64, u64, u32),
    ) -> Result<()>
    where
        K: Description,
        A: KernelArguments<'a, K::Parameters, Self::Function>,
    {
        // SAFETY: `# Safety` of this function.
        unsafe { loaded.entry(kernel)?.launch(self, grid, arguments, of_twin) }
    }

    fn run<const PARTS: usize>(
        &self,
        words: &[u32],
        parts: [usize; PARTS],
        launch: impl for<'a> FnOnce(&'a Self, Self::Input<'a>, [Self::Output<'a>; PARTS]) -> Result<()>,
    ) -> Result<Vec<u32>> {
        let gpu = self.with_stream()?;
        let len: usize = parts.iter().sum();
        // The padding makes the address valid even for 0 words.
        let padded = [words, &[POISON]].concat();
        let source = gpu.stream.clone_htod(&padded)?;
        let filled = [&[POISON; GUARD], &vec![0; len][..], &[POISON; GUARD]].concat();
        let mut target = gpu.stream.clone_htod(&filled)?;
        {
            assert!(PARTS <= 2, "an output has one or two parts");
            // A twin has the parts as one output.
            let mut views = target.slice_mut(GUARD..GUARD + len);
            let (first, second) = views.split_at_mut(parts[0]);
            let mut views: Vec<_> = [first, second].into_iter().take(PARTS).collect();
            let views = views.iter_mut().collect::<Vec<_>>().try_into().expect("a view of each part");
            launch(&gpu, &source.slice(0..words.len()), views)?;
        }
        gpu.wait()?;
        ensure!(gpu.stream.clone_dtoh(&source)? == padded, "the input was changed");
        Ok(between(&gpu.stream.clone_dtoh(&target)?, len)?.to_vec())
    }
}

/// The interpreter.
#[cfg(test)]
impl Device for ptx_emu::Emulator {
    type Function = ptx_emu::Kernel;
    type Loaded = ptx_emu::Kernels;
    type Input<'a> = &'a ptx_emu::Slice<u32>;
    type Output<'a> = &'a mut ptx_emu::Slice<u32>;

    fn of_twin(input: &Self::Input<'_>, output: &Self::Output<'_>) -> (u64, u64, u32) {
        (input.address(), output.address(), input.len() as u32)
    }

    unsafe fn launch<'a, K, A>(
        &'a self,
        kernels: &ptx_emu::Kernels,
        kernel: K,
        grid: Grid,
        arguments: A,
        _: (u64, u64, u32),
    ) -> Result<()>
    where
        K: Description,
        A: KernelArguments<'a, K::Parameters, Self::Function>,
    {
        let to_anyhow = |error: ptx_emu::Error| anyhow::anyhow!("{error}");
        let kernel = kernels.kernel(kernel).map_err(to_anyhow)?;
        // SAFETY: `# Safety` of this function.
        unsafe { kernel.launch_unsafe(self, grid, arguments) }.map_err(to_anyhow)
    }

    fn run<const PARTS: usize>(
        &self,
        words: &[u32],
        parts: [usize; PARTS],
        launch: impl for<'a> FnOnce(&'a Self, Self::Input<'a>, [Self::Output<'a>; PARTS]) -> Result<()>,
    ) -> Result<Vec<u32>> {
        // The interpreter finds an access beside an allocation.
        let source = self.slice(words);
        let mut targets = parts.map(|part| self.slice(&vec![0; part]));
        launch(self, &source, targets.each_mut())?;
        ensure!(source.to_vec() == words, "the input was changed");
        Ok(targets.iter().flat_map(ptx_emu::Slice::to_vec).collect())
    }
}
