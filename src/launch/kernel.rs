//! Kernels (`__global__` functions) as the host sees them: [`Kernel`], and the types of the parameters.

use core::marker::PhantomData;

use super::{LaunchShape, MemoryLength, Prerequisite, Waited};
use crate::atomic::{AtomicValue, AtomicViewScope, GlobalAtomics};
use crate::bulk::GlobalReduce;
use crate::fp8::Fp8;
use crate::global::{
    Global, GlobalElementsMut, GlobalMatrix, GlobalMatrixMut, GlobalMut, GlobalRowsMut, GlobalScatter,
    GlobalTickets, GlobalVectorsMut, Length,
};
use crate::mark;
use crate::parameter::kind::{
    self, Atomics, Matrix, MatrixMut, Slice, SliceMut, Tensor, TensorMut, TensorReduce,
};
use crate::parameter::{layout, layout_of_name};
use crate::qualifier::{Qualifier, TypeTag};
use crate::raw;
use crate::shared::{DynamicShared, Element, Place};
use crate::tensor::{
    LoadShape, MapElement, ReduceShape, StoreShape, TensorMap, TensorMapMut, TensorMapObject,
    TensorMapReduce, UnboundedShape, shape_bytes, stored_shape_bytes,
};

/// A kernel, as [`#[ptx::kernel]`](crate::kernel) describes it to the host: the name of its entry, its launch shape and its
/// parameters.
///
/// # Safety
///
/// The entry `NAME` takes `Parameters`, enters with `Shape`, and takes at most `DYNAMIC_SHARED` bytes of dynamic shared memory,
/// or traps.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel",
    label = "not a function with `#[ptx::kernel]`",
    note = "write `#[ptx::kernel(threads = 256)]` before the function, and pass the function's name"
)]
#[doc(alias = "__global__")]
pub unsafe trait Kernel {
    /// The name of the kernel's `.entry` in PTX.
    const NAME: &'static str;
    /// The name of a symbol of the PTX module, with a hash of the kernel's source. The host looks for the symbol, so that a
    /// kernel of that name from another crate, or from an older source, does not match this description.
    #[doc(hidden)]
    const FINGERPRINT: &'static str;
    /// The value of the symbol `FINGERPRINT`: a hash of the shape, and of the types of the parameters as their crate was
    /// compiled.
    #[doc(hidden)]
    const LAYOUT: u64;
    /// The names of the kernel's parameters that the host passes.
    const PARAMETERS: &'static [&'static str];
    /// The lengths that the kernel states of its memory.
    #[doc(hidden)]
    const LENGTHS: &'static [MemoryLength] = &[];
    /// The dynamic shared memory of a launch in bytes (`sharedMemBytes`).
    const DYNAMIC_SHARED: u32;
    /// The launch shape.
    type Shape: LaunchShape;
    /// The types of the parameters that the host passes, as a tuple of [`Parameter`]s.
    type Parameters;
}

/// A kernel that any launch of its shape runs soundly, if the arguments keep the contracts of their types.
///
/// # Safety
///
/// The kernel keeps the contract of [`Cta::enter`](super::Cta::enter), its function is safe to call with handles that keep their
/// contracts, and a launch can keep the contract of each parameter.
#[diagnostic::on_unimplemented(
    message = "the launch of `{Self}` is unsafe",
    label = "this kernel is an `unsafe fn`",
    note = "call `launch_unsafe`, and keep the `# Safety` section of the kernel"
)]
pub unsafe trait SafeKernel: Kernel {}

/// Types of the parameters that the host passes to a kernel: scalars, [`Plain`] structs, and handles of memory and of tensors.
///
/// | Parameter | What the host passes |
/// |---|---|
/// | a scalar, a [`Plain`] struct | the value |
/// | [`Global`], [`GlobalMatrix`] | device memory that the grid only reads, for a matrix with its extents |
/// | [`GlobalMut`], [`GlobalElementsMut`], [`GlobalVectorsMut`], [`GlobalRowsMut`], [`GlobalMatrixMut`], [`GlobalScatter`], [`GlobalAtomics`], [`GlobalReduce`] | exclusive device memory |
/// | [`GlobalTickets`] | exclusive device memory, of one `u64` that is 0 |
/// | [`TensorMap`], [`TensorMapMut`], [`TensorMapReduce`] | a tensor; its map becomes a grid constant (`__grid_constant__`) |
/// | [`Prerequisite`] of one of these | the same |
/// | a raw pointer | an address; the launch is unsafe |
///
/// # Safety
///
/// Host and device lay `Raw` out alike.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel",
    label = "not a type that the host can pass; shared memory has the attribute `#[shared]`",
    note = "the host passes memory as a handle of `ptx::global`: `Global<T>` to read, `GlobalElementsMut<T>` or `GlobalMut<T, N>` to write",
    note = "it also passes scalars, structs with `#[derive(ptx::Plain)]`, `GlobalAtomics`, `GlobalReduce`, the handles of `ptx::tensor`, and these in a `Prerequisite`",
    note = "static shared memory has the attribute `#[shared]`, dynamic shared memory `#[dynamic]`"
)]
#[doc(alias = "__grid_constant__")]
pub unsafe trait Parameter: Sized {
    /// The bytes that the host passes. The entry has them as `.param .align A .b8 name[SIZE]`.
    type Raw;
    /// What the host passes, as a type of [`kind`].
    #[doc(hidden)]
    type Kind;
    /// A hash of what host and device must agree on for a parameter of this type: elements, extents, layout.
    #[doc(hidden)]
    const LAYOUT: u64;
    /// Whether the kernel may access memory through the parameter before earlier grids end (programmatic dependent launch).
    #[doc(hidden)]
    const EARLY: bool;
    /// Whether a kernel with such a parameter waits for the grids before it (`griddepcontrol.wait`), at its end at the latest.
    #[doc(hidden)]
    const PREREQUISITE: bool = false;

    /// Makes a value of this type, in a thread of the kernel, from the bytes of the parameter at `raw`.
    ///
    /// # Safety
    ///
    /// `raw` is the address of a parameter of the kernel, which lives until the grid ends. The contract of the constructor of
    /// `Self` holds (`Global::from_raw`, …).
    unsafe fn from_raw(raw: *const Self::Raw) -> Self;

    /// Lets the value share with the kernel's other parameters that the thread has waited for the grids before its grid.
    ///
    /// # Safety
    ///
    /// `waited` is the thread's own, lives as long as the value, and `Self::from_raw` made the value in this thread.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn share(&mut self, waited: *const Waited) {
        let _ = waited;
    }
}

/// Plain data, whose values the host passes to a kernel bit for bit. Derive the trait for a `repr(C)` struct by
/// [`#[derive(ptx::Plain)]`](crate::Plain).
///
/// # Safety
///
/// Host and device lay the type out alike.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data that a host can pass to a kernel",
    label = "not a scalar, an array of plain data, or a struct that derives `ptx::Plain`"
)]
pub unsafe trait Plain: Copy + 'static {
    /// A hash of the type's fields and their offsets, which host and device compare.
    #[doc(hidden)]
    const LAYOUT: u64;

    /// Writes the value's bytes, on the host, to `bytes`, which has the size of the type. Padding is left as it is.
    #[doc(hidden)]
    #[cfg(not(target_arch = "nvptx64"))]
    fn write_to(self, bytes: &mut [u8]);
}

/// Names the type of a field by a function that returns the field, which nobody calls. So the derive of [`Plain`] expands no type: a
/// macro inside of the type may expand to another type each time.
#[doc(hidden)]
pub const fn type_of_field<S, T>(_field: fn(S) -> T) -> PhantomData<T> {
    PhantomData
}

/// Returns the hash of a field's type.
#[doc(hidden)]
pub const fn layout_of_field<T: Plain>(_field: PhantomData<T>) -> u64 {
    T::LAYOUT
}

/// Writes a field's bytes to the first of `bytes`, which begin with the field's place in its struct.
#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub fn write_field<T: Plain>(field: T, bytes: &mut [u8]) {
    field.write_to(&mut bytes[..size_of::<T>()]);
}

/// Fails to compile if the host cannot pass a `T` as a parameter of a kernel.
#[doc(hidden)]
pub const fn assert_parameter<T: Parameter>() {}

/// Fails to compile if a launch cannot keep the contract of a parameter of type `T`, such as a raw pointer.
#[doc(hidden)]
pub const fn assert_safe_parameter<T: Parameter<Kind: kind::SafeKind>>() {}

macro_rules! plain {
    ($($(#[$attribute:meta])* $T:ty)*) => { $(
        $(#[$attribute])*
        // SAFETY: a scalar has one layout on 64-bit hosts and on the device.
        unsafe impl Plain for $T {
            const LAYOUT: u64 = layout_of_name(stringify!($T));

            #[cfg(not(target_arch = "nvptx64"))]
            fn write_to(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
        }
    )* };
}
plain! {
    u8 i8 u16 i16 u32 i32 u64 i64 f32 f64
    #[cfg(target_pointer_width = "64")] usize
    #[cfg(target_pointer_width = "64")] isize
    half::f16
    half::bf16
}
// SAFETY: an eight-bit float is its byte on all targets.
unsafe impl<F: TypeTag + raw::MultimemByteType + 'static> Plain for Fp8<F> {
    const LAYOUT: u64 = layout(&[layout_of_name("fp8"), layout_of_name(F::PTX)]);

    #[cfg(not(target_arch = "nvptx64"))]
    fn write_to(self, bytes: &mut [u8]) {
        self.to_bits().write_to(bytes);
    }
}
// SAFETY: a `bool` is one byte, 0 or 1, on 64-bit hosts and on the device.
unsafe impl Plain for bool {
    const LAYOUT: u64 = layout_of_name("bool");

    #[cfg(not(target_arch = "nvptx64"))]
    fn write_to(self, bytes: &mut [u8]) {
        u8::from(self).write_to(bytes);
    }
}
// SAFETY: the elements of an array follow one another.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {
    const LAYOUT: u64 = layout(&[T::LAYOUT, N as u64]);

    #[cfg(not(target_arch = "nvptx64"))]
    fn write_to(self, bytes: &mut [u8]) {
        // A type without bytes has none to write.
        for (element, bytes) in self.into_iter().zip(bytes.chunks_exact_mut(size_of::<T>().max(1))) {
            element.write_to(bytes);
        }
    }
}

// SAFETY: host and device lay `T` out alike (`# Safety` of `Plain`).
unsafe impl<T: Plain> Parameter for T {
    type Raw = T;
    type Kind = kind::Value<T>;
    const LAYOUT: u64 = T::LAYOUT;
    const EARLY: bool = false;

    #[inline(always)]
    unsafe fn from_raw(raw: *const T) -> T {
        // SAFETY: `raw` is the parameter (`# Safety`).
        unsafe { raw.read() }
    }
}

macro_rules! pointers {
    ($($Pointer:ty)*) => { $(
        // SAFETY: an address has 64 bits on the device and on a 64-bit host.
        unsafe impl<T> Parameter for $Pointer {
            type Raw = Self;
            type Kind = kind::Address<T>;
            const LAYOUT: u64 = layout_of_name("address");
            const EARLY: bool = true;

            #[inline(always)]
            unsafe fn from_raw(raw: *const Self) -> Self {
                // SAFETY: `raw` is the parameter (`# Safety`).
                unsafe { raw.read() }
            }
        }
    )* };
}
pointers! { *const T  *mut T }

/// The bytes of a kernel parameter that is a slice of global memory: the address and the number of elements.
#[doc(hidden)]
#[allow(missing_docs)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawSlice<T> {
    pub base: *mut T,
    pub len: usize,
}

/// The bytes of a kernel parameter that is a matrix in global memory: the address, and the numbers of rows and columns.
#[doc(hidden)]
#[allow(missing_docs)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawMatrix<T> {
    pub base: *mut T,
    pub rows: u32,
    pub columns: u32,
}

/// The bytes of a kernel parameter that is a written tensor: its tensor map (`CUtensorMap`) and the number of its boxes.
#[doc(hidden)]
#[allow(missing_docs)]
#[repr(C)]
#[derive(Debug)]
pub struct RawTensorMut<Boxes> {
    pub object: TensorMapObject,
    pub boxes: Boxes,
}

macro_rules! memory {
    ($( [$($generics:tt)*] $Handle:ty [$($number:expr),*]: $Raw:ty, $Kind:ty, |$raw:ident| ($($argument:expr),*); )*) => { $(
        // SAFETY: the bytes are `repr(C)` of addresses and numbers of 32 and 64 bits.
        unsafe impl<$($generics)*> Parameter for $Handle {
            type Raw = $Raw;
            type Kind = $Kind;
            const LAYOUT: u64 = layout(&[
                layout_of_name(stringify!($Handle)), size_of::<T>() as u64, align_of::<T>() as u64, $($number as u64),*
            ]);
            const EARLY: bool = true;

            #[inline(always)]
            unsafe fn from_raw(raw: *const $Raw) -> Self {
                // SAFETY: `raw` is the parameter, and the contract of the constructor holds (`# Safety`).
                unsafe {
                    let $raw = &*raw;
                    <$Handle>::from_raw($($argument),*)
                }
            }
        }
    )* };
}
memory! {
    [T: Element] Global<T> []: RawSlice<T>, Slice<T>, |raw| (mark::read_only(raw.base), raw.len);
    [T: Element, const N: usize] GlobalMut<T, N> [N]: RawSlice<T>, SliceMut<T, 16>, |raw| (raw.base, raw.len);
    [T: Element, L: Length] GlobalElementsMut<T, L> [size_of::<L>()]: RawSlice<T>, L::Kind<T>, |raw| (raw.base, L::of(raw.len));
    [T: Element] GlobalVectorsMut<T> []: RawSlice<T>, SliceMut<T, 16>, |raw| (raw.base, raw.len);
    [T: Element] GlobalScatter<T> []: RawSlice<T>, SliceMut<T, 1>, |raw| (raw.base, raw.len);
    [T: AtomicValue, S: AtomicViewScope] GlobalAtomics<T, S> []: RawSlice<T>, Atomics<T, S>, |raw| (raw.base, raw.len);
    [T: Element, const N: usize] GlobalReduce<T, N> [N]: RawSlice<T>, SliceMut<T, 16>, |raw| (raw.base, raw.len);
    [T: Element] GlobalMatrix<T> []: RawMatrix<T>, Matrix<T>, |raw| (mark::read_only(raw.base), raw.rows, raw.columns);
    [T: Element] GlobalRowsMut<T> []: RawMatrix<T>, MatrixMut<T>, |raw| (raw.base, raw.rows, raw.columns);
    [T: Element, const R: usize, const C: usize] GlobalMatrixMut<T, R, C> [R, C]: RawMatrix<T>, MatrixMut<T>,
        |raw| (raw.base, raw.rows, raw.columns);
    [T: Element, S: LoadShape + UnboundedShape] TensorMap<T, S> [S::LAYOUT, shape_bytes::<T, S>()]: TensorMapObject, Tensor<T, S>,
        |raw| (raw);
    // A reduction computes with the elements as the map has them, and the host encodes the map.
    [T: MapElement, S: ReduceShape + UnboundedShape] TensorMapReduce<T, S>
        [S::LAYOUT, stored_shape_bytes::<T, S>(), layout_of_name(<T::Elemtype as Qualifier>::PTX)]: TensorMapObject,
        TensorReduce<T, S>, |raw| (raw);
    [T: Element, S: StoreShape] TensorMapMut<T, S> [S::LAYOUT, stored_shape_bytes::<T, S>()]: RawTensorMut<S::Boxes>,
        TensorMut<T, S>, |raw| (&raw.object, raw.boxes);
}

// SAFETY: the bytes are `repr(C)` of an address and a number of 64 bits.
unsafe impl Parameter for GlobalTickets {
    type Raw = RawSlice<u64>;
    type Kind = SliceMut<u64, 8>;
    const LAYOUT: u64 = layout_of_name("GlobalTickets");
    const EARLY: bool = true;

    #[inline(always)]
    unsafe fn from_raw(raw: *const RawSlice<u64>) -> Self {
        // SAFETY: `raw` is the parameter, and the contract of the constructor holds (`# Safety`).
        unsafe { GlobalTickets::from_raw((*raw).base, (*raw).len) }
    }
}

// SAFETY: the bytes are those of `T`.
unsafe impl<T: Parameter> Parameter for Prerequisite<T> {
    type Raw = T::Raw;
    type Kind = T::Kind;
    const LAYOUT: u64 = layout(&[layout_of_name("Prerequisite"), T::LAYOUT]);
    const EARLY: bool = false;
    const PREREQUISITE: bool = true;

    #[inline(always)]
    unsafe fn from_raw(raw: *const T::Raw) -> Self {
        // SAFETY: the contract of the constructor of `T` holds once the grids before this one are complete, and the parameter is
        // the only handle of its memory (`# Safety`).
        unsafe { Prerequisite::new(T::from_raw(raw)) }
    }

    #[inline(always)]
    unsafe fn share(&mut self, waited: *const Waited) {
        self.waited = waited;
    }
}

/// Returns a parameter that shares `waited` with the other parameters of its kernel.
///
/// # Safety
///
/// The entry calls this function with a variable of its own, which it does not move. [`Parameter::from_raw`] made the value in the
/// same thread.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn with_waited<P: Parameter>(mut parameter: P, waited: &Waited) -> P {
    // SAFETY: the entry calls all code that has the value, so the variable lives as long (`# Safety`).
    unsafe { parameter.share(waited) };
    parameter
}

/// Waits for the grids before this one (`griddepcontrol.wait`), at the end of a kernel with a [`Prerequisite`], unless the thread
/// has waited. A grid that ends without a wait could end before the grids before it, and so the grids after it would wait for too
/// few.
#[doc(hidden)]
#[inline(always)]
pub fn end_of_dependent_grid<const WAITS: bool>(waited: &Waited) {
    if WAITS {
        waited.wait();
    }
}

/// Notes, with the feature `checked`, that the thread makes no more collective calls.
#[doc(hidden)]
#[inline(always)]
pub fn end_of_thread() {
    #[cfg(feature = "checked")]
    crate::checked::end();
}

/// Types of a kernel's dynamic shared memory (`extern __shared__`): `()`, a [`Place`], a tuple of up to six places, or
/// [`DynamicShared`] itself, whose size the launch chooses.
///
/// # Safety
///
/// `take` takes at most `BYTES` bytes, or traps.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the dynamic shared memory of a kernel",
    label = "not a place in shared memory, and no tuple of places",
    note = "write `#[dynamic] ring: RingMemory<[f32; 1024], 2>`, or several places as a tuple"
)]
pub unsafe trait DynamicMemory: Sized {
    /// The bytes of the kernel's dynamic shared memory (`sharedMemBytes`), which the launch adds to the static shared memory.
    const BYTES: u32;

    /// Makes a value of this type from the dynamic shared memory of the launch, `memory`. Traps if the launch gives less.
    fn take(memory: DynamicShared) -> Self;
}

// SAFETY: `take` takes no bytes.
unsafe impl DynamicMemory for () {
    const BYTES: u32 = 0;

    #[inline(always)]
    fn take(_memory: DynamicShared) {}
}

// SAFETY: `bytes_for` counts the bytes of `P`.
unsafe impl<P: Place> DynamicMemory for P {
    const BYTES: u32 = DynamicShared::bytes_for::<(P,)>();

    #[inline(always)]
    fn take(memory: DynamicShared) -> P {
        memory.take().0
    }
}

// SAFETY: `take` takes no bytes.
unsafe impl DynamicMemory for DynamicShared {
    const BYTES: u32 = 0;

    #[inline(always)]
    fn take(memory: DynamicShared) -> Self {
        memory
    }
}

macro_rules! tuples {
    ($( ($($P:ident),+) )*) => { $(
        // SAFETY: `bytes_for` counts the bytes of these places in this order.
        unsafe impl<$($P: Place),+> DynamicMemory for ($($P,)+) {
            const BYTES: u32 = DynamicShared::bytes_for::<($($P,)+)>();

            #[inline(always)]
            #[allow(non_snake_case)]
            fn take(memory: DynamicShared) -> Self {
                $( let ($P, memory) = memory.take(); )+
                let _ = memory;
                ($($P,)+)
            }
        }
    )* };
}
tuples! { (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) }

/// The version of this crate, which is that of its linker.
#[doc(hidden)]
pub const VERSION: (u32, u32, u32) = (
    number(env!("CARGO_PKG_VERSION_MAJOR")),
    number(env!("CARGO_PKG_VERSION_MINOR")),
    number(env!("CARGO_PKG_VERSION_PATCH")),
);

const fn number(digits: &str) -> u32 {
    match u32::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("Cargo's versions are numbers"),
    }
}
