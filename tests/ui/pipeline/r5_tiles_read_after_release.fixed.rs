//! The tiles are read before the release.

use ptx::launch::Warps;
use ptx::pipeline::{FullStage, Consumer};

type Stage = ([f32; 64], [f32; 64]);

pub fn consume<'p>(warps: &Warps<'p>, stage: FullStage<'p, Stage, 2>) -> (Consumer<'p, Stage, 2>, Option<f32>) {
    let (x, _) = stage.tiles();
    let first = x.get(0);
    (stage.release(warps), first)
}
