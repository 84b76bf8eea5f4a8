//! A GPU as a device.

use std::mem::ManuallyDrop;

use anyhow::{Result, ensure};
use ptx::launch::Kernel as Description;
use ptx_host::cudarc::driver::sys::CUlimit;
use ptx_host::cudarc::driver::{CudaSlice, CudaStream};
use ptx_host::{ByName, KernelArguments, LaunchConfig, Launcher, TensorElement, TensorMapBuilder};
use serde_json::Value;

use super::{Device, Element};
use crate::entry::Loaded;
use crate::gpu::{DeviceInfo, Gpu};
use crate::guard::POISON;
use crate::image::{Image, NVCC};
use crate::memory::address;
use crate::options::Options;
use crate::output::with_output;

/// The bytes on each side of memory that no kernel may write: a multiple of the alignment of all elements.
const GUARD: usize = 256;

/// Memory between guards.
#[derive(Debug)]
pub struct Guarded<T> {
    /// The elements, a part of `all`.
    elements: ManuallyDrop<CudaSlice<T>>,
    all: CudaSlice<u8>,
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        // SAFETY: only the drop, which runs once, takes the slice. `leak` does not free the memory, which `all` owns.
        unsafe { ManuallyDrop::take(&mut self.elements) }.leak();
    }
}

fn guard() -> Vec<u8> {
    POISON.to_le_bytes().repeat(GUARD / size_of_val(&POISON))
}

impl Device for Gpu {
    type Function = ptx_host::Kernel;
    type Loaded = Loaded;
    type Memory<T: Element> = Guarded<T>;
    type Read<'a, T: Element> = &'a CudaSlice<T>;
    type Write<'a, T: Element> = &'a mut CudaSlice<T>;

    fn open(options: &Options) -> Result<Self> {
        Gpu::open(options)
    }

    fn describe(&self) -> Result<(String, Value)> {
        let info = DeviceInfo::of(&self.context)?;
        Ok((info.to_string(), info.data()))
    }

    fn multiprocessors(&self) -> Result<u32> {
        Ok(DeviceInfo::of(&self.context)?.multiprocessors)
    }

    fn on_queue<R>(&self, check: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        check(&self.with_stream()?)
    }

    fn load(&self, image: &Image) -> Result<Loaded> {
        if image.build() == "O0" {
            // Functions that are not inlined need more than the 1024 bytes of stack that the driver gives each thread if ptxas
            // cannot compute the size.
            self.context.set_limit(CUlimit::CU_LIMIT_STACK_SIZE, 64 << 10)?;
        }
        Loaded::read(self, &image.path, image.build() == NVCC)
    }

    fn is_twin(loaded: &Loaded) -> bool {
        matches!(loaded, Loaded::Twin(_))
    }

    fn memory<T: Element>(&self, elements: &[T]) -> Result<Guarded<T>> {
        let mut bytes = vec![0; size_of_val(elements)];
        for (element, bytes) in elements.iter().zip(bytes.chunks_exact_mut(size_of::<T>())) {
            element.write_to(bytes);
        }
        let all = self.stream.clone_htod(&[guard(), bytes, guard()].concat())?;
        // SAFETY: behind the guard are the bytes of the elements, aligned to 256, and `all` keeps them.
        let part = unsafe { self.stream.upgrade_device_ptr(address(&all) + GUARD as u64, elements.len()) };
        Ok(Guarded { elements: ManuallyDrop::new(part), all })
    }

    fn to_vec<T: Element>(&self, memory: &Guarded<T>) -> Result<Vec<T>> {
        self.wait()?;
        let all = self.stream.clone_dtoh(&memory.all)?;
        let n = memory.elements.len();
        let (before, rest) = all.split_at(GUARD);
        let (bytes, after) = rest.split_at(n * size_of::<T>());
        ensure!(before == guard() && after == guard(), "memory beside {n} elements was written");
        // SAFETY: each chunk has the bytes of a `T`, and any bits are a value of an `Element` (its clause 1).
        let element = |bytes: &[u8]| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() };
        Ok(bytes.chunks_exact(size_of::<T>()).map(element).collect())
    }

    fn read<T: Element>(memory: &Guarded<T>) -> &CudaSlice<T> {
        &memory.elements
    }

    fn write<T: Element>(memory: &mut Guarded<T>) -> &mut CudaSlice<T> {
        &mut memory.elements
    }

    fn address<T: Element>(memory: &Guarded<T>) -> u64 {
        address(&*memory.elements)
    }

    fn map<T: Element + TensorElement>(
        &self,
        map: &TensorMapBuilder,
        memory: &Guarded<T>,
    ) -> Result<[u64; 16]> {
        Ok(map.encode(&*memory.elements)?.opaque)
    }

    fn kernel<K: Description>(loaded: &Loaded, kernel: K) -> Result<Launcher<K, Self::Function>> {
        Ok(loaded.kernels()?.kernel(kernel)?)
    }

    fn function(loaded: &Loaded, name: &str) -> Result<Self::Function> {
        Ok(loaded.kernel_by_name(name)?)
    }

    fn queue(&self) -> &CudaStream {
        &self.stream
    }

    fn end(&self, launched: ptx_host::Result<()>) -> Result<()> {
        Ok(launched?)
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
        // SAFETY: `# Safety` of this function.
        Ok(unsafe { function.launch(&self.stream, config, arguments) }?)
    }

    fn printed(&self, launches: impl FnOnce() -> Result<()>) -> Result<(Result<()>, String)> {
        with_output(|| {
            launches()?;
            self.wait()?;
            // The driver writes what kernels print when the host synchronizes; querying an event is not enough.
            self.stream.synchronize()?;
            Ok(())
        })
    }
}
