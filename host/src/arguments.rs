//! The arguments of a launch: parameter bytes, and the events of the memory that they point to.

use std::ffi::c_void;
use std::fmt;
use std::mem::MaybeUninit;

use cudarc::driver::SyncOnDrop;

use crate::{Function, Kernel, LaunchProblem, TensorMap};

/// Bytes at the greatest alignment that a parameter can have: that of a tensor map.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Unit([MaybeUninit<u8>; 64]);

impl Unit {
    fn bytes(units: &[Self]) -> &[MaybeUninit<u8>] {
        // SAFETY: a unit is 64 bytes without padding.
        unsafe { std::slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
    }
}

/// The bytes of the arguments.
#[derive(Default)]
pub(crate) struct Values {
    units: Vec<Unit>,
    /// First unit and size in bytes of each argument.
    places: Vec<(usize, usize)>,
}

impl Values {
    fn push<T>(&mut self, value: T) {
        const { assert!(align_of::<T>() <= align_of::<Unit>() && size_of::<T>() > 0) };
        let start = self.units.len();
        self.units
            .resize(start + size_of::<T>().div_ceil(size_of::<Unit>()), Unit([MaybeUninit::uninit(); 64]));
        // SAFETY: the units from `start` on hold at least the size of a `T`, and are as aligned.
        unsafe { self.units.as_mut_ptr().add(start).cast::<T>().write(value) };
        self.places.push((start, size_of::<T>()));
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the addresses of the arguments, for the driver. They are valid until the next change.
    pub(crate) fn addresses(&mut self) -> Vec<*mut c_void> {
        let first = self.units.as_mut_ptr();
        self.places.iter().map(|(start, _)| first.wrapping_add(*start).cast()).collect()
    }

    /// Compares the arguments with the sizes of a kernel's parameters.
    pub(crate) fn compare(&self, parameters: &[usize]) -> Result<(), String> {
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

/// The arguments of a launch on a queue. Each piece of memory stays in use until the drop, after the launch.
pub struct Arguments<'a, F: Function = Kernel> {
    pub(crate) queue: &'a F::Queue,
    pub(crate) values: Values,
    guards: Vec<F::Guard<'a>>,
    /// Why the queue cannot use an argument.
    pub(crate) problem: Option<LaunchProblem>,
}

impl<'a, F: Function> Arguments<'a, F> {
    pub(crate) fn new(queue: &'a F::Queue) -> Self {
        Self { queue, values: Values::default(), guards: Vec::new(), problem: None }
    }

    /// Returns the bytes of the parameters, each aligned to 64 bytes.
    pub fn bytes(&self) -> impl Iterator<Item = &[MaybeUninit<u8>]> {
        self.values.places.iter().map(|(start, size)| &Unit::bytes(&self.values.units[*start..])[..*size])
    }

    /// Returns the queue of the launch.
    pub fn queue(&self) -> &'a F::Queue {
        self.queue
    }

    /// Adds the bytes of a parameter.
    pub(crate) fn value<T>(&mut self, value: T) {
        self.values.push(value);
    }

    /// Keeps memory in use until the launch.
    pub(crate) fn guard(&mut self, guard: F::Guard<'a>) {
        self.guards.push(guard);
    }
}

impl<'a> Arguments<'a> {
    /// Adds the address of memory, or notes why the stream cannot use it.
    pub(crate) fn address(&mut self, used: Result<(u64, SyncOnDrop<'a>), String>) {
        match used {
            Ok((address, guard)) => {
                self.guard(guard);
                self.value(address);
            }
            // There is a problem, and so no launch.
            Err(reason) => {
                let argument = self.values.len().to_string();
                self.problem.get_or_insert(LaunchProblem::Argument(argument, reason));
                self.value(0u64);
            }
        }
    }
}

impl<F: Function> fmt::Debug for Arguments<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arguments({})", self.values.places.len())
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
