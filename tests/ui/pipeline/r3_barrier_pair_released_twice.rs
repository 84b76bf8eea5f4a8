//! A consumer releases a tile once: a second arrival would count for the next tile.

use ptx::group::Warps;
use ptx::pipeline::{BarrierPair, Consumer};

type Pair = BarrierPair<1, 2, 64, 64>;
type Part<'p> = Consumer<'p, [u32; 256], 1, Pair>;

pub fn consume<'p>(warps: &Warps<'p>, consumer: Part<'p>) -> Part<'p> {
    #[cfg(not(fixed))]
    {
        consumer.wait(warps).release(warps).release(warps)
    }
    #[cfg(fixed)]
    {
        consumer.wait(warps).release(warps)
    }
}
