//! Lanes of a warp in values that differ between its threads.

use core::mem::swap;

use ptx::global::{Global, GlobalElementsMut};
use ptx::group::Cta;

#[ptx::kernel(threads = 64)]
pub fn lanes_that_one_lane_swaps(cta: Cta) {
    let (warp, lane) = (cta.warp(), cta.warp().lane());
    let (mut a, mut b) = (warp.partition_by(lane / 16), warp.partition_by(lane / 8));
    if lane == 0 {
        swap(&mut a, &mut b);
    }
    a.sync(); // wrong
}

#[ptx::kernel(threads = 64)]
pub fn lanes_that_the_lane_chooses(cta: Cta, output: GlobalElementsMut<u32>) {
    let (warp, lane) = (cta.warp(), cta.warp().lane());
    let (a, b) = (warp.partition_by(lane / 16), warp.partition_by(lane / 8));
    let lanes = if lane.is_multiple_of(2) { a } else { b };
    let sum = lanes.reduce_add(lane); // wrong
    output.elements(&cta).for_each(|(_, x)| x.write(sum));
}

#[ptx::kernel(threads = 64)]
pub fn lanes_at_an_index_of_the_lane(cta: Cta) {
    let (warp, lane) = (cta.warp(), cta.warp().lane());
    let lanes = [warp.partition_by(lane / 16), warp.partition_by(lane / 8)];
    lanes[(lane % 2) as usize].sync(); // wrong
}

#[ptx::kernel(threads = 64)]
pub fn lanes_that_some_lanes_replace(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let mut lanes = warp.partition_by(warp.lane() / 16);
    for i in 0..3 {
        let next = warp.partition_by(warp.lane() / (4 << i));
        if input.get(i * 64 + cta.thread_rank() as usize) == Some(1) {
            lanes = next;
        }
    }
    lanes.sync(); // wrong
}

#[ptx::kernel(threads = 64)]
pub fn lanes_of_a_filter_or_others(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    let lanes = warp.filter(x > 3).unwrap_or(warp.partition_by(x));
    lanes.sync(); // wrong
}

#[ptx::kernel(threads = 64)]
pub fn lanes_of_a_choice_of_the_input(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    let (a, b) = (warp.partition_by(x), warp.partition_by(x / 2));
    let lanes = if x > 7 { &a } else { &b };
    lanes.match_any(x); // wrong
}

/// What a filter keeps is divided in two ways.
#[ptx::kernel(threads = 64)]
pub fn members_that_choose_their_division(cta: Cta, input: Global<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    if let Some(lanes) = cta.warp().filter(x > 3) {
        let (a, b) = (lanes.partition_by(x), lanes.partition_by(x / 2));
        let chosen = if x > 7 { a } else { b };
        chosen.sync(); // wrong
    }
}

/// The lanes that are filtered first go with the condition of the others.
#[ptx::kernel(threads = 64)]
pub fn outer_lanes_below_an_inner_filter(cta: Cta, input: Global<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    if let Some(outer) = cta.warp().filter(x > 3)
        && let Some(inner) = outer.filter(x > 7)
    {
        inner.sync();
        outer.sync(); // wrong
    }
}

/// A filter of the warp inside of another one.
#[ptx::kernel(threads = 64)]
pub fn lanes_of_the_warp_below_a_filter(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    if warp.filter(x > 3).is_some() {
        let _ = warp.filter(x > 7); // wrong
    }
}

/// The lanes of an earlier round below the condition of this round.
#[ptx::kernel(threads = 64)]
pub fn earlier_lanes_below_a_filter(cta: Cta, input: Global<u32>, n: u32) {
    let warp = cta.warp();
    let mut lanes = warp.partition_by(warp.lane() / 4);
    for i in 0..n {
        let x = input.get((i * 64 + cta.thread_rank()) as usize).unwrap_or(0);
        if let Some(members) = warp.filter(x > 3) {
            members.sync();
            lanes.sync(); // wrong
        }
        lanes = warp.partition_by(x);
    }
}
