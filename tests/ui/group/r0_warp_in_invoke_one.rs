//! In the part of one thread, no call waits for the other threads of its warp.

use ptx::group::{Cta, FirstWarp};

pub fn of_the_cta(cta: &mut Cta) {
    #[cfg(not(fixed))]
    let warp = cta.warp();
    #[cfg(not(fixed))]
    cta.invoke_one((), |_, ()| warp.sync());
    #[cfg(fixed)]
    cta.warp().sync();
    #[cfg(fixed)]
    cta.invoke_one((), |_, ()| ());
}

pub fn of_a_tile(cta: &mut Cta, value: u32, sum: &mut u32) {
    #[cfg(not(fixed))]
    let tile = cta.warp().tile::<8>();
    #[cfg(not(fixed))]
    cta.invoke_one((), |_, ()| *sum = tile.reduce_add(value));
    #[cfg(fixed)]
    let of_the_tile = cta.warp().tile::<8>().reduce_add(value);
    #[cfg(fixed)]
    cta.invoke_one((), |_, ()| *sum = of_the_tile);
}

pub fn of_a_group(cta: &mut Cta, value: u32, sum: &mut u32) {
    #[cfg(not(fixed))]
    let group = cta.warp().partition_by(value);
    #[cfg(not(fixed))]
    cta.invoke_one((), |_, ()| *sum = group.reduce_add(value));
    #[cfg(fixed)]
    let of_the_group = cta.warp().partition_by(value).reduce_add(value);
    #[cfg(fixed)]
    cta.invoke_one((), |_, ()| *sum = of_the_group);
}

pub fn of_the_lanes_of_a_vote(cta: &mut Cta, value: u32, sum: &mut u32) {
    #[cfg(not(fixed))]
    let Some(lanes) = cta.warp().filter(value > 3) else { return };
    #[cfg(not(fixed))]
    cta.invoke_one((), |_, ()| *sum = lanes.reduce_add(value));
    #[cfg(fixed)]
    let of_the_lanes = cta.warp().filter(value > 3).map_or(0, |lanes| lanes.reduce_add(value));
    #[cfg(fixed)]
    cta.invoke_one((), |_, ()| *sum = of_the_lanes);
}

pub fn of_its_lanes(warp: &mut FirstWarp<'_>) {
    #[cfg(not(fixed))]
    let lanes = warp.warp();
    #[cfg(not(fixed))]
    warp.invoke_one((), |_, ()| lanes.sync());
    #[cfg(fixed)]
    warp.warp().sync();
    #[cfg(fixed)]
    warp.invoke_one((), |_, ()| ());
}

pub fn behind_the_last_scope(cta: Cta) {
    #[cfg(not(fixed))]
    let warp = cta.warp();
    #[cfg(not(fixed))]
    cta.finish((), |_, ()| ());
    #[cfg(not(fixed))]
    warp.sync();
    #[cfg(fixed)]
    cta.finish((), |cta, ()| cta.warp().sync());
}
