//! Lanes that all their members hold.

use ptx::global::{Global, GlobalElementsMut};
use ptx::group::Cta;

#[ptx::kernel(threads = 64)]
pub fn a_filter_of_a_filter(cta: Cta, input: Global<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    if let Some(outer) = cta.warp().filter(x > 0) {
        if let Some(inner) = outer.filter(x > 1) {
            inner.sync();
            if let Some(innermost) = inner.filter(x > 2) {
                innermost.reduce_add(x);
            }
        }
        outer.sync();
    }
}

#[ptx::kernel(threads = 64)]
pub fn a_division_of_a_filter(cta: Cta, input: Global<u32>, output: GlobalElementsMut<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    let mut count = 0;
    if let Some(lanes) = cta.warp().filter(x > 3) {
        let same = lanes.partition_by(x);
        count = same.reduce_add(1_u32);
        if let Some(upper) = same.filter(x > 7) {
            count += upper.reduce_max(x);
        }
    }
    output.elements(&cta).for_each(|(_, element)| element.write(count));
}

#[ptx::kernel(threads = 64)]
pub fn a_filter_of_a_division_and_of_a_tile(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    let same = warp.partition_by(x);
    if let Some(lanes) = same.filter(warp.lane() > 3) {
        lanes.sync();
    }
    same.sync();
    if let Some(lanes) = warp.tile::<8>().filter(x > 3) {
        lanes.sync();
    }
}

/// All threads of the warp choose the same lanes.
#[ptx::kernel(threads = 64)]
pub fn a_choice_of_the_warp(cta: Cta, input: Global<u32>, n: u32) {
    let warp = cta.warp();
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    let mut lanes = if warp.any(x > 3) { warp.partition_by(x) } else { warp.partition_by(x / 2) };
    for i in 0..n {
        lanes.reduce_add(x);
        lanes = warp.partition_by(x >> i);
    }
    lanes.sync();
}

#[ptx::kernel(threads = 64)]
pub fn lanes_that_all_threads_keep(cta: Cta, input: Global<u32>, n: u32) {
    let warp = cta.warp();
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    let (mut a, mut b) = (warp.partition_by(x), warp.partition_by(x / 2));
    for _ in 0..n {
        core::mem::swap(&mut a, &mut b);
        a.sync();
    }
}
