//! In the part of one thread, no call waits for the other threads of its warp.

use ptx::launch::{Cta, FirstWarp};

pub fn of_the_cta(cta: &mut Cta) {
    let warp = cta.warp();
    cta.invoke_one((), |_, ()| warp.sync());
}

pub fn of_a_tile(cta: &mut Cta, value: u32, sum: &mut u32) {
    let tile = cta.warp().tile::<8>();
    cta.invoke_one((), |_, ()| *sum = tile.reduce_add(value));
}

pub fn of_a_group(cta: &mut Cta, value: u32, sum: &mut u32) {
    let group = cta.warp().partition_by(value);
    cta.invoke_one((), |_, ()| *sum = group.reduce_add(value));
}

pub fn of_the_lanes_of_a_vote(cta: &mut Cta, value: u32, sum: &mut u32) {
    let Some(lanes) = cta.warp().filter(value > 3) else { return };
    cta.invoke_one((), |_, ()| *sum = lanes.reduce_add(value));
}

pub fn of_its_lanes(warp: &mut FirstWarp<'_>) {
    let lanes = warp.warp();
    warp.invoke_one((), |_, ()| lanes.sync());
}

pub fn behind_the_last_scope(cta: Cta) {
    let warp = cta.warp();
    cta.async_scope_last((), |_, ()| ());
    warp.sync();
}
