//! Copies complete on mbarriers, which a `BarrierPair` lacks: its producers write.

use ptx::global::GlobalTile;
use ptx::group::{Thread, Warps};
use ptx::pipeline::{BarrierPair, Producer};

type Part<'p> = Producer<'p, [u32; 256], 1, BarrierPair<1, 2, 64, 64>>;
#[cfg(fixed)]
type Loading<'p> = Producer<'p, [u32; 256], 1>;

pub fn written<'p>(warps: &Warps<'p>, producer: Part<'p>) -> Part<'p> {
    producer.write(warps, |i| i as u32)
}

#[cfg(not(fixed))]
pub fn loaded<'p>(thread: &Thread<'p>, producer: Part<'p>, tile: GlobalTile<u32, 256>) -> Part<'p> {
    producer.load(thread, tile)
}

#[cfg(fixed)]
pub fn loaded<'p>(thread: &Thread<'p>, producer: Loading<'p>, tile: GlobalTile<u32, 256>) -> Loading<'p> {
    producer.load(thread, tile)
}
