//! Calls of warps, lanes and parts under conditions that differ in them.

use ptx::global::Global;
use ptx::group::Cta;

#[ptx::kernel(threads = 128)]
pub fn warp_in_some_lanes(cta: Cta) {
    let warp = cta.warp();
    if warp.lane() < 16 {
        warp.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_below_a_rank_inside(cta: Cta) {
    if cta.thread_rank() < 33 {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_above_a_rank_inside(cta: Cta) {
    if cta.thread_rank() > 32 {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_of_a_half(cta: Cta) {
    if cta.thread_rank() / 16 == 1 {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn cta_by_a_ballot(cta: Cta, input: Global<u32>) {
    let votes = cta.warp().ballot(input.get(cta.thread_rank() as usize) == Some(1));
    if votes.bits() != 0 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn cta_by_a_sum_of_the_warp(cta: Cta, input: Global<u32>) {
    if cta.warp().reduce_add(input.get(cta.thread_rank() as usize).unwrap_or(0)) > 4 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_by_a_tile(cta: Cta, input: Global<u32>) {
    let tile = cta.warp().tile::<8>();
    if tile.ballot(input.get(cta.thread_rank() as usize) == Some(1)).bits() != 0 {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_inside_of_lanes(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    if let Some(lanes) = warp.filter(input.get(cta.thread_rank() as usize) == Some(1)) {
        lanes.sync();
        warp.sync(); // wrong
    }
}

/// The members of one group of lanes are not those of another.
#[ptx::kernel(threads = 128)]
pub fn lanes_inside_of_other_lanes(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let of = |i: usize| input.get(cta.thread_rank() as usize + i) == Some(1);
    let (one, other) = (warp.filter(of(0)), warp.filter(of(128)));
    if let (Some(_), Some(other)) = (one, other) {
        other.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn lanes_by_a_value_of_a_member(cta: Cta, input: Global<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    if let Some(lanes) = cta.warp().filter(x > 1)
        && x > 2
    {
        lanes.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn lanes_of_a_choice(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let of = |i: usize| input.get(cta.thread_rank() as usize + i) == Some(1);
    let lanes = if warp.lane() < 7 { warp.filter(of(0)) } else { warp.filter(of(128)) }; // wrong
    if let Some(lanes) = lanes {
        lanes.sync();
    }
}

/// The members of the lanes of the round before are others.
#[ptx::kernel(threads = 128)]
pub fn lanes_by_the_round_before(cta: Cta, input: Global<u32>, n: u32) {
    let (warp, mut before) = (cta.warp(), false);
    for i in 0..n {
        let lanes = warp.filter(input.get((i * 128 + cta.thread_rank()) as usize) == Some(1));
        if let Some(lanes) = &lanes
            && before
        {
            lanes.sync(); // wrong
        }
        before = lanes.is_some();
    }
}

/// The flag that the leader's part sets is true in one lane.
#[ptx::kernel(threads = 128)]
pub fn warp_by_a_flag_of_a_part(mut cta: Cta) {
    let mut flag = false;
    cta.invoke_one((), |_, ()| flag = true);
    if flag {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn cta_by_a_flag_of_a_part(mut cta: Cta) {
    let mut flag = false;
    cta.invoke_warp((), |_, ()| flag = true);
    if flag {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_by_a_flag_of_an_earlier_part(mut cta: Cta) {
    let mut flag = false;
    cta.invoke_one((), |_, ()| flag = true);
    cta.invoke_warp((), |warp, ()| {
        if flag {
            warp.warp().sync(); // wrong
        }
    });
}

#[ptx::kernel(threads = 128)]
pub fn part_in_some_threads(mut cta: Cta) {
    if cta.thread_rank() < 64 {
        cta.invoke_warp((), |warp, ()| warp.warp().sync()); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_of_a_part_in_some_lanes(mut cta: Cta) {
    cta.invoke_warp((), |warp, ()| {
        if warp.warp().lane() > 3 {
            warp.warp().sync(); // wrong
        }
    });
}

#[ptx::kernel(threads = 128)]
pub fn elected_in_a_branch(cta: Cta) {
    if cta.warp().lane() % 2 == 0 {
        cta.warp().invoke_elected(|| ()); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_inside_of_elected(cta: Cta) {
    let warp = cta.warp();
    warp.invoke_elected(|| warp.sync()); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn cta_by_a_shuffle(cta: Cta, input: Global<u32>) {
    let x = cta.warp().shuffle(input.get(cta.thread_rank() as usize).unwrap_or(0), 0);
    if x == 1 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_by_a_shuffle_of_many_lanes(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let x = warp.shuffle(input.get(cta.thread_rank() as usize).unwrap_or(0), warp.lane() / 2);
    if x == 1 {
        warp.sync(); // wrong
    }
}

/// Lane 20 of the last warp has no thread.
#[ptx::kernel(threads = 48)]
pub fn warp_by_a_shuffle_without_a_thread(cta: Cta, input: Global<u32>) {
    let x = cta.warp().shuffle(input.get(cta.thread_rank() as usize).unwrap_or(0), 20);
    if x == 1 {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_in_one_cta(cta: Cta) {
    cta.finish_cluster((), |cluster, ()| {
        if cluster.cta_rank() == 0 {
            cluster.sync(); // wrong
        }
        (cluster, ())
    });
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_by_the_rank_in_the_grid(cta: Cta) {
    let rank = cta.grid_rank();
    cta.finish_cluster((), |cluster, ()| {
        for _ in 0..rank {
            cluster.sync(); // wrong
        }
        (cluster, ())
    });
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_by_a_count_of_the_cta(cta: Cta, input: Global<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    cta.finish_cluster((), |cluster, ()| {
        if cluster.cta().sync_count(x > 1) > 3 {
            cluster.sync(); // wrong
        }
        (cluster, ())
    });
}
