//! Stages whose tiles warpgroups multiply.

use super::stage::{StageSource, StageTile, StageTiles, second};
use crate::cluster::Peers;
use crate::raw;
use crate::shared::Element;
use crate::size;
use crate::tensor::{MatrixBox, MulticastShape, Operand, TensorTile, Tile, panel};

// SAFETY: the panels lie one after another, each a multiple of eight rows, to which the tile is aligned.
unsafe impl<T: Element, S: MatrixBox, const PANELS: usize> StageTiles for Tile<T, S, PANELS> {
    const BYTES: usize = size::product([panel::<T, S, PANELS>(), PANELS]);
    const ALIGN: u32 = 8 * S::ROW_BYTES as u32;
    const SIZE: usize = Self::BYTES;
    type View<'a> = ();
    #[inline(always)]
    unsafe fn view<'a>(_addr: u32) -> Self::View<'a> {}
}

// SAFETY: the copies of all panels bring the bytes of the tile.
unsafe impl<T: Element, S: MatrixBox, const PANELS: usize> StageSource<Tile<T, S, PANELS>, ()>
    for TensorTile<T, S>
{
    const FITS: () = ();
    #[inline(always)]
    unsafe fn load(self, addr: u32, _peers: (), full: u32, hint: impl raw::L2CacheHint) {
        let mut i = 0;
        while i < PANELS {
            let at = S::beside(self.at, (i * S::INNER) as i32);
            let dst = addr + i as u32 * const { size::shared(panel::<T, S, PANELS>()) };
            // SAFETY: the stage is free and its mbarrier valid (`# Safety`). The map has this shape by the contract of
            // `TensorMap::from_raw`. A row is a multiple of 16 bytes, so a panel begins where a copy may.
            unsafe { S::load(dst, self.map.object, at, full, hint) };
            i += 1;
        }
    }
}

// SAFETY: each peer brings one part to all of them; `FITS` asserts that the parts make up the tile.
unsafe impl<T: Element, S: MatrixBox, P: MatrixBox + MulticastShape, const CTAS: u32>
    StageSource<Tile<T, S>, Peers<'_, CTAS>> for TensorTile<T, P>
{
    const FITS: () = {
        let part = panel::<T, P, 1>();
        assert!(
            P::INNER == S::INNER && P::ROW_BYTES == S::ROW_BYTES,
            "the rows of a part are not those of the operand: give the tensor map's box the same columns and swizzle"
        );
        assert!(
            size::product([part, CTAS as usize]) == panel::<T, S, 1>(),
            "each peer loads its part of the operand: give the tensor map a box of the operand's rows divided by the number of peers"
        );
    };
    #[inline(always)]
    unsafe fn load(self, addr: u32, peers: Peers<'_, CTAS>, full: u32, hint: impl raw::L2CacheHint) {
        let dst = addr + peers.cta_rank() * const { size::shared(panel::<T, P, 1>()) };
        // SAFETY: the stage is free and its mbarrier valid in each CTA (`# Safety`). The map has this shape by the contract of
        // `TensorMap::from_raw`. A part has a multiple of eight rows (`panel`), after which the swizzle repeats.
        unsafe { P::multicast(dst, self.map.object, self.at, full, peers.mask(), hint) }
    }
}

/// Stages whose tiles are operands of tensor cores: a [`Tile`], a tile `[T; N]`, which threads read, or a pair of these.
///
/// # Safety
///
/// Implemented here only: the operands lie in the stage, and threads read none of them if `LOADED` is false.
#[diagnostic::on_unimplemented(
    message = "a stage of `{Self}` has no operands of tensor cores",
    label = "neither a `tensor::Tile`, nor a tile `[T; N]` that threads read, nor a pair of them",
    note = "declare the stage with the layout of its tiles: `(Tile<bf16, Box2<64, 128, swizzle_mode::B128>>, Tile<bf16, Box2<64, 256, swizzle_mode::B128>>)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait OperandTiles: StageTiles {
    /// An [`Operand`], a [`StageTile`], or a pair.
    type Operands<'a>;
    /// Whether threads may read the stage by ordinary loads.
    #[doc(hidden)]
    const LOADED: bool;
    /// Returns the operands at `addr`.
    ///
    /// # Safety
    ///
    /// The tiles lie at `addr`, have arrived by the async proxy, and are not written during `'a`.
    #[doc(hidden)]
    unsafe fn operands<'a>(addr: u32) -> Self::Operands<'a>;
}
// SAFETY: the operand is the tile.
unsafe impl<T: Element, S: MatrixBox, const PANELS: usize> OperandTiles for Tile<T, S, PANELS> {
    type Operands<'a> = Operand<'a, T, S, PANELS>;
    const LOADED: bool = false;
    #[inline(always)]
    unsafe fn operands<'a>(addr: u32) -> Operand<'a, T, S, PANELS> {
        // SAFETY: the tile lies at `addr`, has arrived, and is not written (`# Safety`).
        unsafe { Operand::at(addr) }
    }
}
// SAFETY: the view is of the tile, and `LOADED` is true.
unsafe impl<T: Element, const N: usize> OperandTiles for [T; N] {
    type Operands<'a> = StageTile<'a, T, N>;
    const LOADED: bool = true;
    #[inline(always)]
    unsafe fn operands<'a>(addr: u32) -> StageTile<'a, T, N> {
        // SAFETY: the tile lies at `addr`, has arrived, and is not written (`# Safety`).
        unsafe { Self::view(addr) }
    }
}
// SAFETY: the operands are those of both tiles.
unsafe impl<X: OperandTiles, Y: OperandTiles> OperandTiles for (X, Y) {
    type Operands<'a> = (X::Operands<'a>, Y::Operands<'a>);
    const LOADED: bool = X::LOADED || Y::LOADED;
    #[inline(always)]
    unsafe fn operands<'a>(addr: u32) -> Self::Operands<'a> {
        // SAFETY: both tiles lie at `addr` (`# Safety`), the second aligned behind the first.
        unsafe { (X::operands(addr), Y::operands(addr + const { second::<X, Y>() })) }
    }
}
