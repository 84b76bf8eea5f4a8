//! Conditions, groups and results that are equal in a group.

use ptx::global::{Global, GlobalElementsMut, GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;
use ptx::reduce::ReduceMemory;

ptx::shared_memory! {
    struct Sums { memory: ReduceMemory<u32> }
}

#[ptx::kernel(threads = 128)]
pub fn by_a_parameter(cta: Cta, n: u32) {
    for _ in 0..n {
        cta.sync();
    }
}

/// No thread writes the input.
#[ptx::kernel(threads = 128)]
pub fn by_what_the_cta_loads(cta: Cta, input: Global<u32>) {
    for _ in 0..input.get(cta.grid_rank() as usize).unwrap_or(0) {
        cta.sync();
    }
}

#[ptx::kernel(threads = 128)]
pub fn by_the_rank_of_the_cta(cta: Cta, n: u32) {
    if cta.grid_rank() < n {
        cta.sync();
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_by_warp(cta: Cta) {
    if cta.warp_rank() == 1 {
        cta.warp().sync();
    }
    if cta.thread_rank() < 64 {
        cta.warp().sync();
    }
    if (32..96).contains(&cta.thread_rank()) {
        cta.warp().sync();
    }
}

#[ptx::kernel(threads = (32, 4))]
pub fn warp_by_warp_in_two_dimensions(cta: Cta) {
    if cta.thread_rank() >= 64 {
        cta.warp().sync();
    }
}

#[ptx::kernel(threads = 128)]
pub fn until_no_thread_has_more(cta: Cta, input: Global<u32>) {
    let mut i = cta.thread_rank() as usize;
    while cta.sync_or(input.get(i).is_some_and(|x| x > 0)) {
        i += 128;
    }
}

#[ptx::kernel(threads = 128)]
pub fn by_a_sum_of_the_cta(cta: Cta, #[shared] smem: Sums, input: Global<u32>) {
    let mut memory = smem.memory;
    let mut left = input.get(cta.thread_rank() as usize).unwrap_or(0);
    while memory.reduce_max(&cta, left) > 1 {
        left /= 2;
    }
    if memory.inclusive_sum(&cta, left).1 > 3 {
        cta.sync();
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_by_a_vote(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    if warp.any(x > 3) && warp.reduce_add(x) > 7 && warp.ballot(x > 1).bits() != 0 && warp.shuffle(x, 5) > 1 {
        warp.sync();
    }
}

#[ptx::kernel(threads = 128)]
pub fn lanes_of_a_filter(cta: Cta, input: Global<u32>, output: GlobalElementsMut<u32>) {
    let warp = cta.warp();
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    let mut sum = 0;
    if let Some(lanes) = warp.filter(x > 3) {
        sum = lanes.reduce_add(x);
        lanes.sync();
    }
    warp.sync();
    output.elements(&cta).for_each(|(_, element)| element.write(sum));
}

#[ptx::kernel(threads = 128)]
pub fn parts(mut cta: Cta, n: u32) {
    cta.invoke_one((), |_, ()| ());
    cta.invoke_warp((), |warp, ()| {
        for _ in 0..n {
            warp.warp().sync();
        }
        warp.invoke_one((), |_, ()| ());
    });
    cta.sync();
}

#[ptx::kernel(threads = 256)]
pub fn row_of_a_warp(cta: Cta, matrix: GlobalMatrix<f32>, sums: GlobalElementsMut<f32, u32>) {
    let warp = cta.warp();
    for (y, sum) in sums.warp_elements(&cta) {
        let Some(row) = matrix.row(y) else { ptx::trap() };
        let (mut i, mut all) = (warp.lane() as usize, 0.0);
        while let Some(x) = row.get(i) {
            all += x;
            i += 32;
        }
        let all = warp.reduce_add(all);
        if let Some(sum) = sum {
            sum.write(all);
        }
    }
}

#[ptx::kernel(threads = 256)]
pub fn rows_of_warps(cta: Cta, input: GlobalMatrix<f32>, output: GlobalRowsMut<f32>) {
    let warp = cta.warp();
    for (_, row, to) in output.warp_rows_with(&cta, input) {
        let (mut i, mut greatest) = (warp.lane() as usize, 0.0_f32);
        while let Some(x) = row.get(i) {
            greatest = x.max(greatest);
            i += 32;
        }
        let greatest = warp.reduce_max(greatest);
        to.for_each_update::<2, _>((), |(), x| x.map(|x| x - greatest));
    }
}

/// Two matrices are dealt out together. The number of a row is equal in the warp.
#[ptx::kernel(threads = 256)]
pub fn rows_of_two_matrices_by_warps(
    cta: Cta,
    limits: Global<u32>,
    also: GlobalRowsMut<u32>,
    output: GlobalRowsMut<u32>,
) {
    let warp = cta.warp();
    for (_, (limit, also), to) in output.warp_rows_with(&cta, (limits, also)) {
        let mut sum = 0;
        also.clone().for_each(|(_, x)| sum += x.read()[0]);
        if limit > 7 {
            sum = warp.reduce_add(sum);
        }
        to.for_each_update::<2, _>((), |(), x| x.map(|x| x + sum));
        also.for_each(|(_, x)| x.write([sum; 4]));
    }
}

/// The same by CTAs: a row's number is equal in the CTA.
#[ptx::kernel(threads = 256)]
pub fn rows_of_two_matrices(
    cta: Cta,
    #[shared] smem: Sums,
    limits: Global<u32>,
    also: GlobalRowsMut<u32>,
    output: GlobalRowsMut<u32>,
) {
    let mut memory = smem.memory;
    for (_, (limit, also), to) in output.rows_with(&cta, (limits, also)) {
        if limit == 0 {
            continue;
        }
        let own = also.vectors(&cta);
        let mut sum = 0;
        own.clone().for_each(|(_, x)| sum += x.read()[0]);
        let sum = memory.reduce_add(&cta, sum);
        own.for_each(|(_, x)| x.write([sum; 4]));
        to.elements(&cta).for_each(|(_, x)| x.write(sum));
    }
}

#[ptx::kernel(threads = 256)]
pub fn row_of_a_cta(cta: Cta, #[shared] smem: Sums, input: GlobalMatrix<u32>, output: GlobalRowsMut<u32>) {
    let mut memory = smem.memory;
    for (y, to) in output.rows(&cta) {
        let Some(row) = input.row(y) else { break };
        let mut greatest = 0;
        let mut i = cta.thread_rank() as usize;
        while let Some(x) = row.get(i) {
            greatest = x.max(greatest);
            i += 256;
        }
        let greatest = memory.reduce_max(&cta, greatest);
        for (_, x) in to.elements(&cta) {
            x.write(greatest);
        }
    }
}

fn tree(cta: &Cta, mut add: impl FnMut(u32)) {
    let mut step = cta.thread_count() / 2;
    while step > 0 {
        if cta.thread_rank() < step {
            add(step);
        }
        cta.sync();
        step /= 2;
    }
}

#[ptx::kernel(threads = 128)]
pub fn tree_reduction(cta: Cta, output: GlobalElementsMut<u32>) {
    let mut sum = 0;
    tree(&cta, |step| sum += step);
    output.elements(&cta).for_each(|(_, element)| element.write(sum));
}

#[ptx::kernel(threads = 128)]
pub fn a_loop_over_an_array(cta: Cta, output: GlobalElementsMut<u32>) {
    let (warp, mut sum) = (cta.warp(), cta.thread_rank());
    for delta in [1, 2, 4, 8, 16] {
        sum += warp.shuffle_up(sum, delta).unwrap_or(0);
        if delta > 2 {
            cta.sync();
        }
    }
    output.elements(&cta).for_each(|(_, element)| element.write(sum));
}

#[ptx::kernel(threads = 128)]
pub fn traps_in_some_threads(cta: Cta, input: Global<u32>) {
    let Some(x) = input.get(cta.thread_rank() as usize) else { ptx::trap() };
    cta.sync();
    assert!(x > 0);
    cta.sync();
}

/// All threads of the CTA come to the loop, or none.
#[ptx::kernel(threads = 128)]
pub fn a_loop_before_a_trap(cta: Cta, n: u32) {
    if n > 100 {
        for i in 0..n {
            ptx::println!("{}", i);
        }
        ptx::trap();
    }
    cta.sync();
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_by_its_index(cta: Cta) {
    cta.finish_cluster((), |cluster, ()| {
        for _ in 0..ptx::raw::clusterid_x() {
            cluster.sync();
        }
        (cluster, ())
    });
}
