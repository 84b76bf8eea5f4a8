//! A consumer reads a tile between `wait` and `release`.

use ptx::group::Warps;
use ptx::pipeline::{BarrierPair, Consumer};

type Pair = BarrierPair<1, 2, 64, 64>;
type Part<'p> = Consumer<'p, [u32; 256], 1, Pair>;

pub fn consume<'p>(warps: &Warps<'p>, consumer: Part<'p>) -> Part<'p> {
    #[cfg(not(fixed))]
    {
        let _first = consumer.get(0);
        consumer.wait(warps).release(warps)
    }
    #[cfg(fixed)]
    {
        let tile = consumer.wait(warps);
        let _first = tile.get(0);
        tile.release(warps)
    }
}
