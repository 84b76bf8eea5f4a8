//! The interpreter as a device.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use ptx::launch::Kernel as Description;
use ptx_emu::limits::MULTIPROCESSORS;
use ptx_emu::{Emulator, Kernels, Slice};
use ptx_host::{
    ByName, Function as _, KernelArguments, LaunchConfig, Launcher, TensorElement, TensorMapBuilder,
};
use serde_json::{Value, json};

use super::{Device, Element, told};
use crate::image::{Image, NVCC};
use crate::options::Options;

/// The interpreter, which needs no driver. It finds an access beside memory.
#[derive(Debug)]
pub struct Interpreter {
    emulator: Emulator,
    /// The file for the trace of the last launch.
    trace: Option<PathBuf>,
}

/// A loaded image.
#[derive(Debug)]
pub struct Loaded {
    kernels: Kernels,
    is_twin: bool,
}

impl Device for Interpreter {
    type Function = ptx_emu::Kernel;
    type Loaded = Loaded;
    type Memory<T: Element> = Slice<T>;
    type Read<'a, T: Element> = &'a Slice<T>;
    type Write<'a, T: Element> = &'a mut Slice<T>;

    fn open(options: &Options) -> Result<Self> {
        let runs = ptx_emu::Options {
            limit: options.limit,
            readings: options.readings(),
            trace: options.trace.is_some(),
            progress: Some(|progress| eprintln!("{progress}")),
            ..ptx_emu::Options::default()
        };
        let emulator = Emulator::new().schedules(options.schedules.into()).every_launch_from(options.seed);
        Ok(Self { emulator: emulator.one_result().options(runs), trace: options.trace.clone() })
    }

    fn describe(&self) -> Result<(String, Value)> {
        let name = "the interpreter";
        let data = json!({ "name": name, "compute_capability": [9, 0], "multiprocessors": MULTIPROCESSORS });
        Ok((format!("{name} (sm_90, {MULTIPROCESSORS} SMs)"), data))
    }

    fn multiprocessors(&self) -> Result<u32> {
        Ok(MULTIPROCESSORS)
    }

    fn on_queue<R>(&self, check: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        check(self)
    }

    fn load(&self, image: &Image) -> Result<Loaded> {
        let path = &image.path;
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let kernels = self.emulator.load(&[("sm_90a", &bytes)]).map_err(told)?;
        Ok(Loaded { kernels, is_twin: image.build() == NVCC })
    }

    fn is_twin(loaded: &Loaded) -> bool {
        loaded.is_twin
    }

    fn memory<T: Element>(&self, elements: &[T]) -> Result<Slice<T>> {
        Ok(self.emulator.slice(elements))
    }

    fn to_vec<T: Element>(&self, memory: &Slice<T>) -> Result<Vec<T>> {
        Ok(memory.to_vec())
    }

    fn read<T: Element>(memory: &Slice<T>) -> &Slice<T> {
        memory
    }

    fn write<T: Element>(memory: &mut Slice<T>) -> &mut Slice<T> {
        memory
    }

    fn address<T: Element>(memory: &Slice<T>) -> u64 {
        memory.address()
    }

    fn map<T: Element + TensorElement>(
        &self,
        map: &TensorMapBuilder,
        memory: &Slice<T>,
    ) -> Result<[u64; 16]> {
        let parameters = map.check::<T>(memory.address(), memory.len())?;
        // SAFETY: `check` has returned the parameters, and nothing has changed them.
        let map = unsafe { ptx_emu::Kernel::tensor_map(&self.emulator, &parameters) }.map_err(told)?;
        let mut words = [0; 16];
        for (word, bytes) in words.iter_mut().zip(map.to_bytes().as_chunks().0) {
            *word = u64::from_ne_bytes(*bytes);
        }
        Ok(words)
    }

    fn kernel<K: Description>(loaded: &Loaded, kernel: K) -> Result<Launcher<K, Self::Function>> {
        loaded.kernels.kernel(kernel).map_err(told)
    }

    fn function(loaded: &Loaded, name: &str) -> Result<Self::Function> {
        loaded.kernels.kernel_by_name(name).map_err(told)
    }

    fn queue(&self) -> &Emulator {
        &self.emulator
    }

    fn end(&self, launched: Result<(), ptx_emu::Error>) -> Result<()> {
        if let (Some(path), Some(trace)) = (&self.trace, self.emulator.trace()) {
            let written = std::fs::write(path, trace.to_json());
            written.with_context(|| format!("cannot write the trace to {}", path.display()))?;
        }
        launched.map_err(told)
    }

    unsafe fn launch_by_name<'a, T>(
        &'a self,
        function: &Self::Function,
        config: &LaunchConfig,
        arguments: T,
    ) -> Result<()>
    where
        T: KernelArguments<'a, ByName, Self::Function>,
    {
        self.end(function.launch(&self.emulator, config, arguments))
    }

    fn printed(&self, launches: impl FnOnce() -> Result<()>) -> Result<(Result<()>, String)> {
        drop(self.emulator.printed());
        let result = launches();
        Ok((result, self.emulator.printed()))
    }
}
