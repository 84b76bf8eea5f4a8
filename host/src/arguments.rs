//! The arguments of a launch: parameter bytes, and the events of the memory that they point to.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use cudarc::driver::sys::CUstreamCaptureStatus;
use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, SyncOnDrop};

use crate::{LaunchProblem, TensorMap};

/// Bytes at the greatest alignment that a parameter can have: that of a tensor map.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Unit([MaybeUninit<u8>; 64]);

/// The bytes of the arguments.
#[derive(Default)]
struct Values {
    units: Vec<Unit>,
    /// First unit and size in bytes of each argument.
    places: Vec<(usize, usize)>,
}

impl Values {
    fn push<T: Copy>(&mut self, value: T) {
        const { assert!(align_of::<T>() <= align_of::<Unit>() && size_of::<T>() > 0) };
        let start = self.units.len();
        self.units
            .resize(start + size_of::<T>().div_ceil(size_of::<Unit>()), Unit([MaybeUninit::uninit(); 64]));
        // SAFETY: the units from `start` on hold at least the size of a `T`, and are as aligned.
        unsafe { self.units.as_mut_ptr().add(start).cast::<T>().write(value) };
        self.places.push((start, size_of::<T>()));
    }

    fn addresses(&mut self) -> Vec<*mut c_void> {
        let first = self.units.as_mut_ptr();
        self.places.iter().map(|(start, _)| first.wrapping_add(*start).cast()).collect()
    }

    fn compare(&self, parameters: &[usize]) -> Result<(), String> {
        if parameters.len() != self.places.len() {
            return Err(format!("it has {} parameters, not {}", parameters.len(), self.places.len()));
        }
        let mut pairs = parameters.iter().zip(&self.places).enumerate();
        match pairs.find(|(_, (parameter, (_, size)))| *parameter != size) {
            None => Ok(()),
            Some((i, (parameter, (_, size)))) => {
                Err(format!("parameter {i} has {parameter} bytes, the argument has {size}"))
            }
        }
    }
}

/// Collects the arguments of a launch on `stream`. The stream waits for earlier uses of each slice; the drop, after the launch,
/// records the use.
pub struct Arguments<'a> {
    stream: &'a CudaStream,
    values: Values,
    guards: Vec<SyncOnDrop<'a>>,
    problem: Option<LaunchProblem>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(stream: &'a CudaStream) -> Self {
        Self { stream, values: Values::default(), guards: Vec::new(), problem: None }
    }

    /// Adds a value bit for bit.
    pub(crate) fn value<T: Copy>(&mut self, value: T) {
        self.values.push(value);
    }

    /// Adds the address of memory that the kernel reads.
    pub(crate) fn slice<T>(&mut self, slice: &'a impl DevicePtr<T>) {
        let used = self.admits(slice.stream()).then(|| slice.device_ptr(self.stream));
        self.address(used);
    }

    /// Adds the address of memory that the kernel writes.
    pub(crate) fn slice_mut<T>(&mut self, slice: &'a mut impl DevicePtrMut<T>) {
        let used = self.admits(slice.stream()).then(|| slice.device_ptr_mut(self.stream));
        self.address(used);
    }

    fn address(&mut self, used: Option<(u64, SyncOnDrop<'a>)>) {
        // Without an address, there is a problem, and so no launch.
        let (address, guard) = used.unzip();
        self.guards.extend(guard);
        self.value(address.unwrap_or(0));
    }

    /// Returns true if the events of memory from `owner` order its uses with those on this stream; otherwise notes why not.
    fn admits(&mut self, owner: &CudaStream) -> bool {
        let (context, argument) = (self.stream.context(), self.values.places.len());
        let problem = if owner.context() != context {
            Some(LaunchProblem::SliceContext(argument))
        } else if !context.is_event_tracking() {
            Some(LaunchProblem::NoEvents(argument))
        } else {
            self.is_captured().then_some(LaunchProblem::Captured(argument))
        };
        let admits = problem.is_none();
        self.problem = self.problem.take().or(problem);
        admits
    }

    fn is_captured(&self) -> bool {
        match self.stream.capture_status() {
            Ok(status) => status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE,
            Err(error) => {
                // The launch reports it.
                self.stream.context().record_err(Err::<(), _>(error));
                false
            }
        }
    }

    /// Returns why a slice cannot be used on this stream.
    pub(crate) fn problem(&self) -> Result<(), LaunchProblem> {
        self.problem.clone().map_or(Ok(()), Err)
    }

    pub(crate) fn stream(&self) -> &'a CudaStream {
        self.stream
    }

    /// Returns the addresses of the arguments, for the driver. They are valid until the next change of the arguments.
    pub(crate) fn addresses(&mut self) -> Vec<*mut c_void> {
        self.values.addresses()
    }

    /// Compares the arguments with the sizes of a kernel's parameters.
    pub(crate) fn compare(&self, parameters: &[usize]) -> Result<(), String> {
        self.values.compare(parameters)
    }
}

/// One argument of a launch: a number, a tensor map, or a borrowed slice of `cudarc`, which becomes its address. The address of
/// other memory is a `u64`.
///
/// The launch waits for earlier work on the slice, on any stream, and later work waits for the launch.
pub trait KernelArg<'a> {
    #[doc(hidden)]
    fn add_to(self, arguments: &mut Arguments<'a>);
}

macro_rules! values {
    ($($T:ty),*) => { $(
        impl<'a> KernelArg<'a> for $T {
            fn add_to(self, arguments: &mut Arguments<'a>) {
                arguments.value(self);
            }
        }
    )* };
}
values!(bool, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, TensorMap);
#[cfg(target_pointer_width = "64")]
values!(usize, isize);

macro_rules! slices {
    ($($Slice:ty, $add:ident;)*) => { $(
        impl<'a, T> KernelArg<'a> for $Slice {
            fn add_to(self, arguments: &mut Arguments<'a>) {
                arguments.$add(self);
            }
        }
    )* };
}
slices! {
    &'a CudaSlice<T>, slice;
    &'a CudaView<'_, T>, slice;
    &'a mut CudaSlice<T>, slice_mut;
    &'a mut CudaViewMut<'_, T>, slice_mut;
}

/// The arguments of a launch: a tuple of up to twelve [`KernelArg`]s.
pub trait KernelArgs<'a> {
    #[doc(hidden)]
    fn add_to(self, arguments: &mut Arguments<'a>);
}

macro_rules! tuples {
    () => { tuples!(@one); };
    ($first:ident $($rest:ident)*) => {
        tuples!(@one $first $($rest)*);
        tuples!($($rest)*);
    };
    (@one $($A:ident)*) => {
        impl<'a, $($A: KernelArg<'a>),*> KernelArgs<'a> for ($($A,)*) {
            #[allow(non_snake_case, unused_variables)]
            fn add_to(self, arguments: &mut Arguments<'a>) {
                let ($($A,)*) = self;
                $( $A.add_to(arguments); )*
            }
        }
    };
}
tuples!(A B C D E F G H I J K L);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_aligned_and_in_order() {
        let mut values = Values::default();
        values.push(7u32);
        values.push([u64::MAX; 16]);
        values.push(-0.25f64);
        let addresses = values.addresses();
        assert!(addresses.iter().all(|address| address.addr() % 64 == 0));
        // SAFETY: the addresses are those of the values above, which live.
        unsafe {
            assert_eq!(*addresses[0].cast::<u32>(), 7);
            assert_eq!(*addresses[1].cast::<[u64; 16]>(), [u64::MAX; 16]);
            assert_eq!(*addresses[2].cast::<f64>(), -0.25);
        }
    }

    #[test]
    fn other_parameters_are_told_apart() {
        let mut values = Values::default();
        assert_eq!(values.compare(&[]), Ok(()));
        values.push(2.0f32);
        values.push(8u64);
        assert_eq!(values.compare(&[4, 8]), Ok(()));
        assert_eq!(values.compare(&[4]), Err("it has 1 parameters, not 2".into()));
        assert_eq!(values.compare(&[4, 8, 8]), Err("it has 3 parameters, not 2".into()));
        assert_eq!(values.compare(&[4, 4]), Err("parameter 1 has 4 bytes, the argument has 8".into()));
    }
}
