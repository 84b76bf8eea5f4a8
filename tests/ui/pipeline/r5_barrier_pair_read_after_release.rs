//! The producers may overwrite a released tile.

use ptx::launch::Warps;
use ptx::pipeline::{BarrierPair, Consumer};

type Pair = BarrierPair<1, 2, 64, 64>;
type Part<'p> = Consumer<'p, [u32; 256], 1, Pair>;

pub fn consume<'p>(warps: &Warps<'p>, consumer: Part<'p>) -> Part<'p> {
    let tile = consumer.wait(warps);
    #[cfg(not(fixed))]
    let consumer = tile.release(warps);
    let _first = tile.get(0);
    #[cfg(not(fixed))]
    {
        consumer
    }
    #[cfg(fixed)]
    {
        tile.release(warps)
    }
}
