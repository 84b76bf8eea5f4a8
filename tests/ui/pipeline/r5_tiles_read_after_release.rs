//! A released stage is loaded again, so the borrows of its tiles end.

use ptx::group::Warps;
use ptx::pipeline::{Consumer, FullStage};

type Stage = ([f32; 64], [f32; 64]);

pub fn consume<'p>(warps: &Warps<'p>, stage: FullStage<'p, Stage, 2>) -> (Consumer<'p, Stage, 2>, Option<f32>) {
    let (x, _) = stage.tiles();
    #[cfg(not(fixed))]
    {
        let consumer = stage.release(warps);
        (consumer, x.get(0))
    }
    #[cfg(fixed)]
    {
        let first = x.get(0);
        (stage.release(warps), first)
    }
}
