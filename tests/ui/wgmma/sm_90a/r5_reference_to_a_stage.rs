//! A group owns its stage. The lifetime of a reference can be forgotten while the products read the stage.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::{Consumer, StageOperands};
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Accumulator, Flight, Tile, Wgmma, Zeros};

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
type Stage = (Tile<bf16, Rows<64>>, Tile<bf16, Rows<64>>);

fn products<'a>(sums: Flight<'a, N64>, stage: &'a StageOperands<'_, Stage, 4>) -> Flight<'a, N64> {
    let (a, b) = stage.tiles();
    sums.mma(a, b)
}

#[cfg(not(fixed))]
pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, wgmma: Wgmma<'p>, stage: StageOperands<'p, Stage, 4>) -> Wgmma<'p> {
    fn of<'x, T>(_: &'x T) -> fn(&'x ()) {
        |_| ()
    }
    let reference = &stage;
    let flight = wgmma.start(warpgroup, Zeros::<N64>::new(), of(reference), move |sums, _| {
        let (a, b) = reference.tiles();
        sums.mma(a, b)
    });
    stage.release(warpgroup);
    flight.wait(warpgroup).0
}

#[cfg(fixed)]
pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, wgmma: Wgmma<'p>, stage: StageOperands<'p, Stage, 4>) -> Wgmma<'p> {
    let flight = wgmma.start(warpgroup, Zeros::<N64>::new(), stage, products);
    let (wgmma, (_sums, stage)) = flight.wait(warpgroup);
    stage.release(warpgroup);
    wgmma
}
