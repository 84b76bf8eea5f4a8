//! The threads of a part use the handle of their own run.

use ptx::global::GlobalTile;
use ptx::group::{Thread, Warps};
use ptx::pipeline::{Consumer, FullStage, Producer};

#[cfg(not(fixed))]
pub fn load<'p, 'q>(
    thread: &Thread<'q>,
    producer: Producer<'p, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Producer<'p, [f32; 64], 2> {
    producer.load(thread, tile)
}

#[cfg(fixed)]
pub fn load<'p>(
    thread: &Thread<'p>,
    producer: Producer<'p, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Producer<'p, [f32; 64], 2> {
    producer.load(thread, tile)
}

#[cfg(not(fixed))]
pub fn wait<'p, 'q>(warps: &Warps<'q>, consumer: Consumer<'p, [f32; 64], 2>) -> FullStage<'p, [f32; 64], 2> {
    consumer.wait(warps)
}

#[cfg(fixed)]
pub fn wait<'p>(warps: &Warps<'p>, consumer: Consumer<'p, [f32; 64], 2>) -> FullStage<'p, [f32; 64], 2> {
    consumer.wait(warps)
}

#[cfg(not(fixed))]
pub fn release<'p, 'q>(warps: &Warps<'q>, tile: FullStage<'p, [f32; 64], 2>) -> Consumer<'p, [f32; 64], 2> {
    tile.release(warps)
}

#[cfg(fixed)]
pub fn release<'p>(warps: &Warps<'p>, tile: FullStage<'p, [f32; 64], 2>) -> Consumer<'p, [f32; 64], 2> {
    tile.release(warps)
}
