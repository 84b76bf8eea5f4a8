//! The images of a kernel of `kernels/`, and of its twin in CUDA C++, which takes addresses and lengths.

use std::ops::Deref;
use std::path::Path;

use anyhow::{Context as _, Result};
use ptx::launch::Kernel as Description;
use ptx_host::cudarc::driver::sys::CUlimit;
use ptx_host::{
    Grid, JitOptions, Kernel, KernelArgs, KernelArguments, Kernels, Launcher, LoadedKernels, Module,
};

use crate::check::Gpu;
use crate::image::{Image, NVCC};

/// A loaded image.
pub enum Loaded {
    Kernels(LoadedKernels),
    Twin(Module),
}

impl Loaded {
    /// Loads an image that `./x` has made.
    pub fn load(gpu: &Gpu, image: &Image) -> Result<Self> {
        let (path, twin) = (&image.path, image.build() == NVCC);
        if image.build() == "O0" {
            // Functions that are not inlined need more than the 1024 bytes of stack that the driver gives each thread if ptxas
            // cannot compute the size.
            gpu.context.set_limit(CUlimit::CU_LIMIT_STACK_SIZE, 64 << 10)?;
        }
        Self::read(gpu, path, twin)
    }

    /// Loads the kernels of a file, or a twin.
    pub fn read(gpu: &Gpu, path: &Path, twin: bool) -> Result<Self> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let (name, images) = (path.to_str().context("a path in UTF-8")?, [("sm_90a", &bytes[..])]);
        if twin {
            return Ok(Self::Twin(Module::from_bytes(
                &gpu.context,
                name,
                &bytes[..],
                &JitOptions::default(),
            )?));
        }
        // SAFETY: `./x` gives this file name to the output of `ptx-link` for the crate.
        let kernels = unsafe { Kernels::new(name, &images) };
        Ok(Self::Kernels(kernels.load(&gpu.context)?))
    }

    /// Finds a kernel, or the twin of its name.
    pub fn entry<K: Description>(&self, kernel: K) -> Result<Entry<K>> {
        Ok(match self {
            Self::Kernels(kernels) => Entry::Kernel(kernels.kernel(kernel)?),
            Self::Twin(module) => Entry::Twin(module.kernel_by_name(K::NAME)?),
        })
    }
}

impl Deref for Loaded {
    type Target = Module;

    fn deref(&self) -> &Module {
        match self {
            Self::Kernels(kernels) => kernels,
            Self::Twin(module) => module,
        }
    }
}

/// A kernel, or its twin.
pub enum Entry<K> {
    Kernel(Launcher<K>),
    Twin(Kernel),
}

impl<K: Description> Entry<K> {
    /// Launches the kernel with `arguments`, or the twin with `of_twin` in the same shape.
    ///
    /// # Safety
    ///
    /// The twin keeps to its arguments. If the kernel is an `unsafe fn`, its `# Safety` section holds.
    pub unsafe fn launch<'a, A, T>(
        &self,
        gpu: &'a Gpu,
        grid: impl Into<Grid>,
        arguments: A,
        of_twin: T,
    ) -> Result<()>
    where
        A: KernelArguments<'a, K::Parameters, Kernel>,
        T: KernelArgs<'a>,
    {
        let (stream, grid) = (&*gpu.stream, grid.into());
        // SAFETY: `# Safety` of this function.
        unsafe {
            match self {
                Self::Kernel(kernel) => kernel.launch_unsafe(stream, grid, arguments)?,
                Self::Twin(twin) => twin.launch(stream, &grid.config::<K>(), of_twin)?,
            }
        }
        Ok(())
    }
}
