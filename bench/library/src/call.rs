//! The arguments of a call from C.

use std::iter::Zip;
use std::slice::Iter;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_host::ForeignSlice;

use crate::kernels::Kernel;

/// Memory of the caller on the device.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PtxMemory {
    /// The address on the device.
    pub address: u64,
    /// The number of bytes.
    pub bytes: u64,
}

/// An element type, by the name that the caller knows.
pub trait Element {
    /// The name, that of the PTX type.
    const NAME: &'static str;
}

macro_rules! elements {
    ($($T:ty: $name:literal),*) => { $(
        impl Element for $T {
            const NAME: &'static str = $name;
        }
    )* };
}
elements! { u32: "u32", f32: "f32", ptx::bf16: "bf16", [ptx::bf16; 2]: "bf16x2", ptx::f16: "f16", ptx_kernels::gemm::E4m3: "e4m3" }

/// A piece of memory that a kernel takes.
#[derive(Debug)]
pub struct Operand {
    /// The name of the memory.
    pub name: &'static str,
    /// The name of its elements' type.
    pub element: &'static str,
}

impl Operand {
    /// Makes the operand of this name, with elements of `T`.
    pub const fn of<T: Element>(name: &'static str) -> Self {
        Self { name, element: T::NAME }
    }
}

/// The arguments of a launch of a kernel.
pub struct Call<'a> {
    kernel: &'static Kernel,
    /// The memory that is not yet taken, with its place in the kernel's table.
    memory: Zip<Iter<'static, Operand>, Iter<'a, PtxMemory>>,
    numbers: &'a [u64],
}

impl<'a> Call<'a> {
    /// Makes the arguments, as many as the kernel takes.
    ///
    /// # Safety
    ///
    /// The memory keeps clause 3 of [`ptx_launch`](crate::ptx_launch).
    pub unsafe fn new(kernel: &'static Kernel, memory: &'a [PtxMemory], numbers: &'a [u64]) -> Result<Self> {
        let takes = |what, takes: Vec<&str>, given| {
            ensure!(
                takes.len() == given,
                "{} takes {} {what} ({}), not {given}",
                kernel.name,
                takes.len(),
                takes.join(", ")
            );
            Ok(())
        };
        takes("memories", kernel.memory.iter().map(|operand| operand.name).collect(), memory.len())?;
        takes("numbers", kernel.numbers.to_vec(), numbers.len())?;
        Ok(Self { kernel, memory: kernel.memory.iter().zip(memory), numbers })
    }

    /// Takes the next memory, in the order of the kernel's table. Each is taken once, so no two slices are the same memory.
    pub fn memory<T: Element>(&mut self) -> Result<ForeignSlice<T>> {
        let Some((Operand { name, element }, memory)) = self.memory.next() else {
            bail!("{} takes no more memory", self.kernel.name);
        };
        ensure!(*element == T::NAME, "`{name}` has elements of {element}, which are not {}", T::NAME);
        let PtxMemory { address, bytes } = *memory;
        let (size, align) = (size_of::<T>() as u64, align_of::<T>() as u64);
        ensure!(
            address.is_multiple_of(align) && bytes.is_multiple_of(size),
            "`{name}` has {bytes} bytes at {address:#x}, which are no elements of {element}"
        );
        // SAFETY: the memory keeps the rules of `ptx_launch` (`Call::new`), which are those of `ForeignSlice`.
        Ok(unsafe { ForeignSlice::new(address, usize::try_from(bytes / size)?) })
    }

    /// Returns the numbers, each of 32 bits.
    pub fn numbers<const COUNT: usize>(&self) -> Result<[u32; COUNT]> {
        ensure!(self.numbers.len() == COUNT, "there are {} numbers, not {COUNT}", self.numbers.len());
        let mut numbers = [0; COUNT];
        for ((to, from), name) in numbers.iter_mut().zip(self.numbers).zip(self.kernel.numbers) {
            *to = u32::try_from(*from)
                .with_context(|| format!("`{name}` is {from}, which has over 32 bits"))?;
        }
        Ok(numbers)
    }
}
