//! Memory that is set before each launch.

use cudarc::driver::{CudaStream, ValidAsZeroBits};

use crate::memory::{InUse, ResetWork};
use crate::{Kernel, Memory, MemoryMut, Region, Result};

/// Memory of an argument that is set before each launch, to zero or to a copy of other memory: for a kernel that does not take what
/// its last launch left, such as a histogram, the flags of a look-back scan or a sort in place.
///
/// It stands for the memory in the arguments of [`bench`](crate::bench), also in a [`Matrix`](crate::Matrix) or a
/// [`Tensor`](crate::Tensor):
///
/// ```no_run
/// # use ptx_host::cudarc::driver::CudaSlice;
/// # fn f(
/// #     bench: &ptx_host::bench::Bench, axpy: &ptx_host::Launcher<launch::axpy>, x: CudaSlice<f32>, first: CudaSlice<f32>,
/// #     mut y: CudaSlice<f32>,
/// # ) -> ptx_host::Result<()> {
/// use ptx_host::Reset;
/// // The time of the kernel alone. Each launch finds zeros in `y`.
/// bench.time("axpy", axpy, 132, (2.0, &x, Reset::to_zero(&mut y)), 0)?;
/// // Each launch finds the elements of `first` in `y`.
/// bench.time("axpy", axpy, 132, (2.0, &x, Reset::to_copy(&mut y, &first)), 0)?;
/// // The time of zeroing `y` and of the kernel.
/// bench.time("zero and axpy", axpy, 132, (2.0, &x, Reset::to_zero(&mut y).timed()), 0)?;
/// # Ok(())
/// # }
/// ```
///
/// The memory is borrowed mutably:
///
/// ```compile_fail,E0277
/// # use ptx_host::cudarc::driver::{CudaSlice, CudaStream};
/// # fn f(axpy: ptx_host::Launcher<launch::axpy>, stream: &CudaStream, x: CudaSlice<f32>, y: CudaSlice<f32>) {
/// axpy.launch(stream, 4, (2.0, &x, ptx_host::Reset::to_zero(&y))); // the launch writes `y`
/// # }
/// ```
///
/// In [`Launcher::launch`](crate::Launcher::launch), the memory is set once, on the stream of the launch and before the kernel.
#[derive(Debug, Clone, Copy)]
#[must_use = "a reset is an argument of a launch"]
pub struct Reset<M, To> {
    memory: M,
    to: To,
    is_timed: bool,
}

/// What [`Reset::to_zero`] sets memory to.
#[derive(Debug, Clone, Copy)]
pub struct ToZero(());

/// What [`Reset::to_copy`] sets memory to: a copy of the memory `S`.
#[derive(Debug, Clone, Copy)]
pub struct ToCopy<S>(S);

impl<M> Reset<M, ToZero> {
    /// Sets the memory to zero before each launch.
    pub const fn to_zero(memory: M) -> Self {
        Self { memory, to: ToZero(()), is_timed: false }
    }
}

impl<M, S> Reset<M, ToCopy<S>> {
    /// Copies `source` to the memory before each launch. A launch is refused if their numbers of elements differ.
    pub const fn to_copy(memory: M, source: S) -> Self {
        Self { memory, to: ToCopy(source), is_timed: false }
    }
}

impl<M, To> Reset<M, To> {
    /// Makes the reset a part of the time that a [`Bench`](crate::bench::Bench) prints, for one that belongs to the work.
    pub fn timed(self) -> Self {
        Self { is_timed: true, ..self }
    }
}

// SAFETY: the region is that of memory that the launch may write, and `launch_with` sets it before the kernel, to zeros, which are
// elements.
unsafe impl<'a, T: ValidAsZeroBits, M: MemoryMut<'a, Kernel, T>> Memory<'a, Kernel, T> for Reset<M, ToZero> {
    fn lend(self, stream: &'a CudaStream) -> Result<Region<InUse<'a>>, String> {
        let region = self.memory.lend(stream)?;
        resetting::<T>(region, None, self.is_timed)
    }
}

// SAFETY: as above, to elements of `source`, which the guard keeps in use as long as the region.
unsafe impl<'a, T, M, S> Memory<'a, Kernel, T> for Reset<M, ToCopy<S>>
where
    M: MemoryMut<'a, Kernel, T>,
    S: Memory<'a, Kernel, T>,
{
    fn lend(self, stream: &'a CudaStream) -> Result<Region<InUse<'a>>, String> {
        let region = self.memory.lend(stream)?;
        let source = self.to.0.lend(stream);
        let source = source.map_err(|reason| format!("is reset to a copy of memory that {reason}"))?;
        if region.len != source.len {
            return Err(format!(
                "has {} elements, but is reset to a copy of {}; give both the same number",
                region.len, source.len
            ));
        }
        resetting::<T>(region, Some(source), self.is_timed)
    }
}

// SAFETY: the region is that of a `MemoryMut`.
unsafe impl<'a, T, M: MemoryMut<'a, Kernel, T>, To> MemoryMut<'a, Kernel, T> for Reset<M, To> where
    Self: Memory<'a, Kernel, T>
{
}

/// Adds the reset to the guard of its region.
fn resetting<'a, T>(
    mut region: Region<InUse<'a>>,
    source: Option<Region<InUse<'a>>>,
    is_timed: bool,
) -> Result<Region<InUse<'a>>, String> {
    let has_reset = |region: &Region<InUse<'_>>| region.guard.reset.is_some();
    if has_reset(&region) || source.as_ref().is_some_and(has_reset) {
        return Err("is a reset of a reset; give `Reset` the memory itself".into());
    }
    let bytes = region.len * size_of::<T>();
    let source = source.map(|Region { address, guard, .. }| (address, guard));
    region.guard.is_per_thread |= source.as_ref().is_some_and(|(_, guard)| guard.is_per_thread);
    let work = ResetWork { address: region.address, bytes, source, is_timed };
    // A graph takes no work without bytes.
    region.guard.reset = (bytes > 0).then(|| Box::new(work));
    Ok(region)
}
