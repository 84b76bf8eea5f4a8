//! Layout of arrays in shared memory: the swizzle of tensor copies (`CUtensorMapSwizzle`).

use super::{Element, Shared};
use crate::qualifier::{Sealed, swizzle_atomicity, swizzle_mode};

/// Swizzles of a tensor map, such as [`swizzle_mode::B128`] (`CUtensorMapSwizzle`, PTX ISA 5.5.7).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a swizzle of a tile",
    label = "not `swizzle_mode::B32`, `B64` or `B128`",
    note = "pass a value of `qualifier::swizzle_mode` other than `None`, or a pair of `swizzle_mode::B128` and the `swizzle_atomicity` of the map: `B16`, `B32` or `B64`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Swizzle: Sealed {
    /// The address bits that the swizzle changes, and the distance to the higher bits that the swizzle XORs into them.
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
// The tables of 5.5.7: the swizzle permutes units of 16 bytes, or of the atomicity, by the index of their 128-byte row.
swizzles! {
    swizzle_mode::B32: 0x10 by 3;
    swizzle_mode::B64: 0x30 by 3;
    swizzle_mode::B128: 0x70 by 3;
    (swizzle_mode::B128, swizzle_atomicity::B16): 0x70 by 3;
    (swizzle_mode::B128, swizzle_atomicity::B32): 0x60 by 2;
    (swizzle_mode::B128, swizzle_atomicity::B64): 0x40 by 1;
}
impl<Atomicity: Sealed> Sealed for (swizzle_mode::B128, Atomicity) {}

impl<'s, T: Element, const N: usize, State> Shared<'s, T, N, State> {
    /// Gives the function from an element's index in the box of a tensor copy (TMA) to its index in this swizzled tile, for tiles
    /// that a tensor copy has loaded or will store. The function is its own inverse: a swizzle exchanges elements.
    ///
    /// ```
    /// # use ptx::{group::Cta, qualifier::swizzle_mode, shared::{Free, Loaded, Shared, Written}};
    /// # fn kernel<'s>(cta: &Cta, tile: &Shared<'s, f32, 1024, Loaded>, turned: Shared<'s, f32, 1024, Free>)
    /// # -> Shared<'s, f32, 1024, Written> {
    /// // Both tiles have rows of 32 `f32`, which are 128 bytes.
    /// let (from, to) = (tile.swizzle_index(swizzle_mode::B128), turned.swizzle_index(swizzle_mode::B128));
    /// let _element_5_of_row_3 = tile.get(from(3 * 32 + 5));
    /// turned.write(cta, |i| {
    ///     let (x, y) = (to(i) % 32, to(i) / 32);
    ///     tile.get(from(x * 32 + y)).unwrap_or(0.0)
    /// })
    /// # }
    /// ```
    #[inline(always)]
    #[doc(alias("CUtensorMapSwizzle", "cute::Swizzle"))]
    pub fn swizzle_index<M: Swizzle>(
        &self,
        _mode: M,
    ) -> impl Fn(usize) -> usize + Copy + use<T, N, State, M> {
        let addr = self.addr;
        move |i| {
            let (bits, above) = M::BITS;
            let of_element = addr.wrapping_add((i * size_of::<T>()) as u32);
            (of_element ^ of_element >> above & bits).wrapping_sub(addr) as usize / size_of::<T>()
        }
    }
}
