//! A consumer reads a tile between `wait` and `release`.

use ptx::launch::Warps;
use ptx::pipeline::{Consumer, BarrierPair};

type Pair = BarrierPair<1, 2, 64, 64>;
type Part<'p> = Consumer<'p, [u32; 256], 1, Pair>;

pub fn consume<'p>(warps: &Warps<'p>, consumer: Part<'p>) -> Part<'p> {
    let tile = consumer.wait(warps);
    let _first = tile.get(0);
    tile.release(warps)
}
