//! The operands come from the stage that the group holds.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::{Consumer, StageOperands};
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Tile, Wgmma, Zeros};

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
type Stage = (Tile<bf16, Rows<64>>, Tile<bf16, Rows<64>>);

pub fn part<'p>(
    warpgroup: &Warpgroup<'p, 1>,
    wgmma: Wgmma<'p>,
    (stage, other): (StageOperands<'p, Stage, 4>, StageOperands<'p, Stage, 4>),
) -> Wgmma<'p> {
    let flight = wgmma.start(warpgroup, Zeros::<N64>::new(), stage, |sums, _stage| {
        #[cfg(not(fixed))]
        let (a, b) = other.tiles();
        #[cfg(fixed)]
        let (a, b) = _stage.tiles();
        sums.mma(a, b)
    });
    other.release(warpgroup);
    let (wgmma, (_sums, stage)) = flight.wait(warpgroup);
    stage.release(warpgroup);
    wgmma
}
