//! The memory of `cudarc` and of other libraries as arguments of a launch.

use std::marker::PhantomData;
use std::sync::Arc;

use cudarc::driver::sys::CUstreamCaptureStatus;
use cudarc::driver::{
    CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop, result,
};

use crate::error::check;
use crate::{Argument, Arguments, ByName, Kernel, Memory, MemoryMut, Region, Result};

/// A guard that keeps memory in use until the launch is queued. The memory's own stream then waits for the launch. A drop of the
/// memory, which frees it on that stream, therefore comes after the launch, whatever has become of the events of `cudarc`.
#[derive(Debug)]
pub struct InUse<'a> {
    /// The guard of `cudarc`, which records the use when it is dropped, after the wait.
    _event: SyncOnDrop<'a>,
    /// The memory's stream and the launch's stream, if they differ.
    streams: Option<(Arc<CudaStream>, &'a CudaStream)>,
    /// Whether the memory is of a per-thread stream.
    pub(crate) is_per_thread: bool,
    /// What sets the memory before each launch.
    pub(crate) reset: Option<Box<ResetWork<'a>>>,
}

/// Returns true if the handle stands for another stream in each thread, which `cudarc` does not know.
pub(crate) fn is_per_thread(stream: &CudaStream) -> bool {
    stream.cu_stream().addr() == 2
}

impl<'a> InUse<'a> {
    /// Lets the stream wait for all uses that the memory's own stream has waited for, and for the use that `event` has: the launch
    /// records the same event again, and a later use waits for the last record alone.
    fn begin(event: SyncOnDrop<'a>, owner: Arc<CudaStream>, stream: &'a CudaStream) -> Result<Self, String> {
        let cannot_wait = |error| format!("is a slice, and the stream cannot wait for its uses: {error:?}");
        match &event {
            SyncOnDrop::Record(None) => {
                return Err("is a slice without events, so nothing orders its uses; pass memory of `CudaStream::alloc_zeros` or \
                     `clone_htod`, from a context whose event tracking is on"
                    .into());
            }
            SyncOnDrop::Record(Some((last, _))) => stream.wait(last).map_err(cannot_wait)?,
            // Its drop waits for the whole stream.
            SyncOnDrop::Sync(_) => {}
        }
        let differ = owner.cu_stream() != stream.cu_stream();
        if differ {
            stream.join(&owner).map_err(cannot_wait)?;
        }
        let is_per_thread = is_per_thread(&owner);
        let streams = differ.then_some((owner, stream));
        Ok(Self { _event: event, streams, is_per_thread, reset: None })
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        if let Some((owner, stream)) = &self.streams
            && owner.join(stream).is_err()
        {
            // The memory may be freed at once, so the work on it ends first.
            let _ = stream.synchronize();
        }
    }
}

macro_rules! memory {
    ($( $Slice:ty, $pointer:ident $($Mut:ident)?; )*) => { $(
        // SAFETY: `usable` refuses memory that `cudarc` does not order by events. `InUse` orders the launch after all launches
        // and before each later use on the memory's stream, including its drop. A `CudaSlice` is initialized, as
        // `CudaStream::alloc` is unsafe.
        unsafe impl<'a, T> Memory<'a, Kernel, T> for $Slice {
            fn lend(self, stream: &'a CudaStream) -> Result<Region<InUse<'a>>, String> {
                usable(self.stream(), stream)?;
                let (len, owner) = (self.len(), self.stream().clone());
                // `cudarc` multiplies without a check, so a slice of a greater length has less memory.
                if len.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes >= 1 << 48) {
                    return Err(format!("is a slice of {len} elements, more than any memory holds"));
                }
                let (address, event) = self.$pointer(stream);
                Ok(Region { address, len, guard: InUse::begin(event, owner, stream)? })
            }
        }
        $(
            // SAFETY: the borrow is exclusive, and the launch is ordered with all uses before and after it.
            unsafe impl<'a, T> $Mut<'a, Kernel, T> for $Slice {}
        )?
        // SAFETY: a parameter by name has no contract.
        unsafe impl<'a, T> Argument<'a, ByName, Kernel> for $Slice {
            fn pass(self, arguments: &mut Arguments<'_, 'a, Kernel>) -> Result<()> {
                arguments.push_address::<T, _>(self)
            }
        }
    )* };
}
memory! {
    &'a CudaSlice<T>, device_ptr;
    &'a CudaView<'_, T>, device_ptr;
    &'a mut CudaSlice<T>, device_ptr_mut MemoryMut;
    &'a mut CudaViewMut<'_, T>, device_ptr_mut MemoryMut;
}

/// Memory that another library owns and orders, such as a tensor of PyTorch: an argument in place of a slice of `cudarc`. The
/// launch neither waits for other uses of the memory nor lets them wait.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use ptx_host::cudarc::driver::CudaContext;
/// # fn f(axpy: ptx_host::Launcher<launch::axpy>, context: Arc<CudaContext>) -> ptx_host::Result<()> {
/// # let (stream, x, y, n) = (std::ptr::null_mut(), 0, 0, 0);
/// // SAFETY: the other library keeps its stream, and puts all work on the memory at `x` and `y` on that stream. It has
/// // initialized the `n` elements at each, and frees them after the work that is on the stream.
/// let (stream, x, mut y) = unsafe {
///     use ptx_host::ForeignSlice;
///     (context.wrap_borrowed_stream(stream), ForeignSlice::<f32>::new(x, n), ForeignSlice::<f32>::new(y, n))
/// };
/// axpy.launch(&stream, 132, (2.0, &x, &mut y))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ForeignSlice<T> {
    address: u64,
    len: usize,
    element: PhantomData<T>,
}

impl<T> ForeignSlice<T> {
    /// Makes the slice of `len` elements at `address`.
    ///
    /// # Safety
    ///
    /// For each launch that takes the slice, from the call until the kernel has ended:
    ///
    /// 1. The elements are initialized, in memory that the kernels of the launch's context can access, and stay allocated.
    /// 2. Nothing writes them. If the launch takes `&mut` the slice, nothing else accesses them. That includes other launches of
    ///    this slice: those on one stream follow one another, and the caller orders those on several.
    #[must_use]
    pub const unsafe fn new(address: u64, len: usize) -> Self {
        Self { address, len, element: PhantomData }
    }

    fn region<'a>(&self) -> Region<InUse<'a>> {
        let guard =
            InUse { _event: SyncOnDrop::Record(None), streams: None, is_per_thread: false, reset: None };
        Region { address: self.address, len: self.len, guard }
    }
}

macro_rules! foreign {
    ($($Slice:ty),*) => { $(
        // SAFETY: the caller of `ForeignSlice::new` keeps the memory allocated, initialized and unchanged during each launch.
        unsafe impl<'a, T> Memory<'a, Kernel, T> for $Slice {
            fn lend(self, _: &'a CudaStream) -> Result<Region<InUse<'a>>, String> {
                Ok(self.region())
            }
        }
    )* };
}
foreign! { &'a ForeignSlice<T>, &'a mut ForeignSlice<T> }
// SAFETY: the caller of `ForeignSlice::new` keeps other accesses away during a launch that takes the slice mutably.
unsafe impl<'a, T> MemoryMut<'a, Kernel, T> for &'a mut ForeignSlice<T> {}

/// Refuses memory of `owner` whose uses on `stream` are not ordered by events.
fn usable(owner: &CudaStream, stream: &CudaStream) -> Result<(), String> {
    let refuse = |reason: &str| Err(reason.to_owned());
    // Each opening of a device counts its own streams, and the count decides whether slices have events.
    if !Arc::ptr_eq(owner.context(), stream.context()) {
        return refuse(
            "is a slice of another context than the stream's; open the device once, or copy the slice",
        );
    }
    if !stream.context().is_event_tracking() {
        return refuse(
            "is a slice, and the context's event tracking is off, so nothing orders the uses of the slice; leave the tracking on, \
             or pass the address as a `u64` to a launch by name",
        );
    }
    // A stream that waits for a captured one would be captured too.
    for (whose, stream) in [("the stream", stream), ("its own stream", owner)] {
        match is_captured(stream) {
            Ok(false) => {}
            Ok(true) => {
                return Err(format!(
                    "is a slice, and {whose} is being captured, but a graph runs after the borrow has ended; pass the address as a \
                     `u64` to a launch by name"
                ));
            }
            Err(reason) => return Err(format!("is a slice, and {whose} {reason}")),
        }
    }
    Ok(())
}

/// Returns true if work on the stream becomes part of a graph.
pub(crate) fn is_captured(stream: &CudaStream) -> Result<bool, String> {
    let status = stream.capture_status();
    let status = status.map_err(|error| format!("does not say whether it is being captured: {error:?}"))?;
    Ok(status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
}

/// The reset of a region.
#[derive(Debug)]
pub(crate) struct ResetWork<'a> {
    pub(crate) address: u64,
    pub(crate) bytes: usize,
    /// The address of the bytes to copy, and what keeps them in use. Without a source, all bytes become 0.
    pub(crate) source: Option<(u64, InUse<'a>)>,
    pub(crate) is_timed: bool,
}

impl ResetWork<'_> {
    /// Puts the reset on the stream.
    ///
    /// # Safety
    ///
    /// The stream is the one that the region was lent for. Whenever the work runs, the region's guard is there, and nothing else
    /// accesses the region.
    pub(crate) unsafe fn put(&self, stream: &CudaStream) -> Result<()> {
        let &Self { address, bytes, ref source, .. } = self;
        let doing = || format!("resetting {bytes} bytes before a launch");
        check(stream.context().bind_to_thread(), doing)?;
        let stream = stream.cu_stream();
        // Without the events of `cudarc`: the region's guard orders the work, and a captured stream takes no events of others.
        let done = match source {
            // SAFETY: the region has so many bytes, and so has the source. The rest is `# Safety` of this function.
            Some((source, _)) => unsafe { result::memcpy_dtod_async(address, *source, bytes, stream) },
            // SAFETY: as above.
            None => unsafe { result::memset_d8_async(address, 0, bytes, stream) },
        };
        check(done, doing)
    }
}
