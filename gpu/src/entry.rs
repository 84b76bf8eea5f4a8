//! The images on a GPU: those of a kernel of `kernels/` or of a crate, and of a twin in CUDA C++, which takes addresses and lengths.

use std::ops::Deref;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use ptx_host::{JitOptions, Kernels, LoadedKernels, Module};

use crate::gpu::Gpu;

/// A loaded image.
pub enum Loaded {
    Kernels(LoadedKernels),
    Twin(Module),
}

impl Loaded {
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

    /// Returns the kernels, for typed launches.
    pub fn kernels(&self) -> Result<&LoadedKernels> {
        match self {
            Self::Kernels(kernels) => Ok(kernels),
            Self::Twin(module) => bail!("{} is a twin, which has no types", module.name()),
        }
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
