//! In the part of one thread, no call waits for the other threads of its warp.

use ptx::launch::{Cta, FirstWarp};

pub fn of_the_cta(cta: &mut Cta) {
    cta.warp().sync();
    cta.invoke_one((), |_, ()| ());
}

pub fn of_a_tile(cta: &mut Cta, value: u32, sum: &mut u32) {
    let of_the_tile = cta.warp().tile::<8>().reduce_add(value);
    cta.invoke_one((), |_, ()| *sum = of_the_tile);
}

pub fn of_a_group(cta: &mut Cta, value: u32, sum: &mut u32) {
    let of_the_group = cta.warp().partition_by(value).reduce_add(value);
    cta.invoke_one((), |_, ()| *sum = of_the_group);
}

pub fn of_the_lanes_of_a_vote(cta: &mut Cta, value: u32, sum: &mut u32) {
    let of_the_lanes = cta.warp().filter(value > 3).map_or(0, |lanes| lanes.reduce_add(value));
    cta.invoke_one((), |_, ()| *sum = of_the_lanes);
}

pub fn of_its_lanes(warp: &mut FirstWarp<'_>) {
    warp.warp().sync();
    warp.invoke_one((), |_, ()| ());
}

pub fn behind_the_last_scope(cta: Cta) {
    cta.async_scope_last((), |cta, ()| cta.warp().sync());
}
