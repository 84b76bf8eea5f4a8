//! The lengths that a kernel states of its memory (`#[len(n)]`).

use super::kernel::{RawMatrix, RawSlice};
use super::{Parameter, Plain};
use crate::parameter::layout;

/// What a kernel takes of a memory that the host passes: the first elements of a slice, or the first rows of a matrix.
#[derive(Debug, Clone, Copy)]
pub struct MemoryLength {
    /// The index of the memory among the parameters that the host passes.
    pub parameter: usize,
    /// One extent for a slice; the rows and the columns of a matrix.
    pub extents: &'static [Extent],
}

/// A number of elements, rows or columns.
#[derive(Debug, Clone, Copy)]
pub enum Extent {
    /// The value of the parameter of this index.
    Parameter(usize),
    /// The same number in each launch.
    Constant(usize),
}

impl MemoryLength {
    /// Returns the number that extent `i` has in each launch.
    pub const fn constant(&self, i: usize) -> usize {
        match self.extents[i] {
            Extent::Constant(n) => n,
            Extent::Parameter(_) => panic!("the extent is a parameter"),
        }
    }
}

/// Returns the length of a parameter of type `P`.
pub const fn length_of<P: Parameter<Raw: Extents<N>>, const N: usize>(
    parameter: usize,
    extents: &'static [Extent; N],
) -> MemoryLength {
    MemoryLength { parameter, extents }
}

/// Returns the extent that is the value of a parameter of type `N`.
pub const fn extent_of<N: Count<usize>>(index: usize) -> Extent {
    Extent::Parameter(index)
}

/// Returns the hash of what host and device must agree on.
pub const fn layout_of_lengths(lengths: &[MemoryLength]) -> u64 {
    let (mut hash, mut i) = (0, 0);
    while i < lengths.len() {
        let MemoryLength { parameter, extents } = lengths[i];
        hash = layout(&[hash, parameter as u64]);
        let mut k = 0;
        while k < extents.len() {
            hash = match extents[k] {
                Extent::Parameter(index) => layout(&[hash, 0, index as u64]),
                Extent::Constant(n) => layout(&[hash, 1, n as u64]),
            };
            k += 1;
        }
        i += 1;
    }
    hash
}

/// The types of a parameter that counts elements: as an extent of type `E`.
///
/// # Safety
///
/// The host passes the number in 4 or 8 bytes, and `count` returns it if it fits into an `E`.
#[diagnostic::on_unimplemented(
    message = "a parameter of type `{Self}` does not count elements",
    label = "`#[len(…)]` takes a parameter of type `u32`, `u64` or `usize`, or a constant of type `usize`"
)]
pub unsafe trait Count<E>: Plain {
    /// Returns the number. The launch has checked that the number is one of the memory, and so that it fits.
    fn count(self) -> E;
}

macro_rules! counts {
    ($($T:ident)*) => { $( counts!(@as $T usize); counts!(@as $T u32); )* };
    (@as $T:ident $E:ident) => {
        // SAFETY: the number is cast.
        unsafe impl Count<$E> for $T {
            #[inline(always)]
            fn count(self) -> $E {
                self as $E
            }
        }
    };
}
counts! { u32 u64 usize }

/// The bytes of a parameter that has `N` extents.
///
/// # Safety
///
/// The bytes are an address of 64 bits, and then the extents. `with` returns the bytes with the same address and these extents.
#[diagnostic::on_unimplemented(
    message = "`#[len(…)]` states as many numbers as the memory has extents",
    label = "not a memory of this number of extents",
    note = "`#[len(n)]` is for `Global`, `GlobalMut`, `GlobalElementsMut`, `GlobalVectorsMut`, `GlobalScatter`, `GlobalAtomics` and `GlobalReduce`, `#[len(rows, columns)]` for `GlobalMatrix`, `GlobalRowsMut` and `GlobalMatrixMut`"
)]
pub unsafe trait Extents<const N: usize> {
    /// The type of an extent.
    type Extent;

    /// Returns the bytes with these extents.
    fn with(&self, extents: [Self::Extent; N]) -> Self;
}
// SAFETY: as `with` writes them.
unsafe impl<T> Extents<1> for RawSlice<T> {
    type Extent = usize;

    #[inline(always)]
    fn with(&self, [len]: [usize; 1]) -> Self {
        RawSlice { base: self.base, len }
    }
}
// SAFETY: as `with` writes them.
unsafe impl<T> Extents<2> for RawMatrix<T> {
    type Extent = u32;

    #[inline(always)]
    fn with(&self, [rows, columns]: [u32; 2]) -> Self {
        RawMatrix { base: self.base, rows, columns }
    }
}

/// Makes the handle of a memory of which the kernel takes these extents.
///
/// # Safety
///
/// As for [`Parameter::from_raw`], for the first elements alone.
#[inline(always)]
pub unsafe fn from_raw_with<P: Parameter<Raw: Extents<N>>, const N: usize>(
    raw: *const P::Raw,
    extents: [<P::Raw as Extents<N>>::Extent; N],
) -> P {
    // SAFETY: `raw` is the parameter. The handle of a memory keeps the address in the bytes, and not the address of the bytes.
    unsafe { P::from_raw(&(*raw).with(extents)) }
}
