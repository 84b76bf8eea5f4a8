//! How arrays lie in shared memory: parts of an array, and tiles that tensor copies have swizzled.

use super::{ALIGN, Element, Shared};
use crate::qualifier::{Sealed, swizzle_atomicity, swizzle_mode};
use crate::size;

/// How a tensor map swizzles the tiles in shared memory (5.5.7).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no swizzle of a tile",
    label = "not `swizzle_mode::B32`, `B64` or `B128`",
    note = "it is a value of `qualifier::swizzle_mode` but `None`, or a pair of `swizzle_mode::B128` and the `swizzle_atomicity` of the map, `B32` or `B64`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Swizzle: Sealed {
    /// The bits of an address that are changed, and how far above them those are that change them.
    #[doc(hidden)]
    const BITS: (u32, u32);
}

macro_rules! swizzles {
    ($( $Mode:ty: $bits:literal by $above:literal; )*) => { $(
        impl Swizzle for $Mode {
            const BITS: (u32, u32) = ($bits, $above);
        }
    )* };
}
// The tables of 5.5.7: units of 16 bytes, or of the atomicity, change places by the number of the 128 bytes they are in.
swizzles! {
    swizzle_mode::B32: 0x10 by 3;
    swizzle_mode::B64: 0x30 by 3;
    swizzle_mode::B128: 0x70 by 3;
    (swizzle_mode::B128, swizzle_atomicity::B16): 0x70 by 3;
    (swizzle_mode::B128, swizzle_atomicity::B32): 0x60 by 2;
    (swizzle_mode::B128, swizzle_atomicity::B64): 0x40 by 1;
}
impl<Atomicity: Sealed> Sealed for (swizzle_mode::B128, Atomicity) {}

/// Where the elements of a tile at `addr` lie in it.
#[inline(always)]
pub(crate) fn swizzled<T: Element, M: Swizzle>(addr: u32) -> impl Fn(usize) -> usize + Copy {
    move |i| {
        let (bits, above) = M::BITS;
        let of_element = addr.wrapping_add((i * size_of::<T>()) as u32);
        (of_element ^ of_element >> above & bits).wrapping_sub(addr) as usize / size_of::<T>()
    }
}

impl<'s, T: Element, const N: usize, State> Shared<'s, T, N, State> {
    /// Where the elements of a tile lie that a tensor copy has brought, or will store, under this swizzle: a function from the index
    /// of an element in the box to its index in the array. It is its own inverse, as it exchanges elements.
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::swizzle_mode, shared::{Free, Loaded, Shared, Written}};
    /// # fn kernel<'s>(cta: &Cta, tile: &Shared<'s, f32, 1024, Loaded>, turned: Shared<'s, f32, 1024, Free>)
    /// # -> Shared<'s, f32, 1024, Written> {
    /// // Rows of 32 `f32`, so of 128 bytes, in both: element 5 of row 3.
    /// let (from, to) = (tile.swizzle(swizzle_mode::B128), turned.swizzle(swizzle_mode::B128));
    /// let _x = tile.get(from(3 * 32 + 5));
    /// turned.write(cta, |i| {
    ///     let (x, y) = (to(i) % 32, to(i) / 32);
    ///     tile.get(from(x * 32 + y)).unwrap_or(0.0)
    /// })
    /// # }
    /// ```
    #[inline(always)]
    pub fn swizzle<M: Swizzle>(&self, _mode: M) -> impl Fn(usize) -> usize + Copy + use<T, N, State, M> {
        swizzled::<T, M>(self.addr)
    }

    /// Divides it into its first `A` elements and the `B` others, each in the state that it has.
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 96, Fenced>, dst: GlobalTileMut<f32, 64>)
    /// # -> Result<Shared<'s, f32, 96, Fenced>, (Shared<'s, f32, 64, Fenced>, Shared<'s, f32, 32, Fenced>)> {
    /// let (stored, rest) = tile.split::<64, 32>();
    /// let (stored, _dst) = bulk::store(cta, stored, dst).commit(cta).wait(cta); // the first 64 alone
    /// stored.join(rest)
    /// # }
    /// ```
    #[inline(always)]
    pub fn split<const A: usize, const B: usize>(self) -> (Shared<'s, T, A, State>, Shared<'s, T, B, State>) {
        const {
            assert!(size::sum(A, B) == N, "the two parts are of as many elements as the whole");
            assert!(
                size::bytes::<T, A>().is_multiple_of(ALIGN as usize),
                "an array in shared memory is aligned to 128 bytes: the first part has a multiple of 128 bytes"
            );
        }
        (Shared::new(self.addr), Shared::new(self.addr + const { size::shared(size::bytes::<T, A>()) }))
    }

    /// Puts two parts together again, or gives them back where `other` does not lie right behind this.
    ///
    /// ```
    /// # use ptx::{launch::trap, shared::{Free, Shared}};
    /// # fn kernel<'s>(tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Free> {
    /// let (first, second) = tile.split::<32, 32>();
    /// let Ok(tile) = first.join(second) else { trap() };
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn join<const B: usize, const BOTH: usize>(
        self,
        other: Shared<'s, T, B, State>,
    ) -> Result<Shared<'s, T, BOTH, State>, (Self, Shared<'s, T, B, State>)> {
        const { assert!(size::sum(N, B) == BOTH, "the whole is of as many elements as the two parts") }
        if self.addr + const { size::shared(size::bytes::<T, N>()) } == other.addr {
            Ok(Shared::new(self.addr))
        } else {
            Err((self, other))
        }
    }
}
