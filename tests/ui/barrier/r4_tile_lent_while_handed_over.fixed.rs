//! A tile that is handed over is lent to copies after the split.

use ptx::barrier::Handoff;
use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

type Tile = SharedArray<u32, 256>;

pub fn kernel(cta: &mut Cta, handoff: Handoff<1, 2, 32, 32>, tile: Tile, bar: Mbarrier<Ready>, src: GlobalTile<u32, 256>) {
    let (_handoff, tile) = handoff.split(
        cta,
        tile,
        |warp, producer| producer.send(warp, |i| i as u32).wait(warp),
        |warp, consumer| consumer.receive(warp).release(warp),
    );
    cta.lend((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        (tile.release(cta), bar)
    });
}
