//! Kernels of warps: rows, queues, sorts.

use ptx::atomic::GlobalAtomics;
use ptx::global::{Global, GlobalElementsMut, GlobalMatrix, GlobalRowsMut, GlobalScatter};
use ptx::group::Cta;
use ptx::math::{exp, rsqrt};
use ptx::qualifier::{scope, sem};
use ptx::warp::Warp;

/// Row y of the output is a softmax of row y of the input, a row a warp.
#[ptx::kernel(threads = 256)]
pub fn softmax_of_warps(
    cta: Cta,
    input: GlobalMatrix<f32>,
    output: GlobalScatter<f32>,
    rows: u32,
    columns: u32,
) {
    let warp = cta.warp();
    let mut y = cta.grid_rank() * 8 + cta.warp_rank();
    while y < rows {
        let Some(row) = input.row(y as usize) else { ptx::trap() };
        let mut greatest = f32::NEG_INFINITY;
        row.for_each::<4>(warp.lane(), 32, |x| greatest = greatest.max(x));
        let greatest = warp.reduce(greatest, f32::max);
        let mut sum = 0.0;
        row.for_each::<4>(warp.lane(), 32, |x| sum += exp(x - greatest));
        let sum = warp.reduce_add(sum);
        for i in (warp.lane()..columns).step_by(32) {
            let x = row.get(i as usize).unwrap_or(0.0);
            output.write((y * columns + i) as usize, exp(x - greatest) / sum);
        }
        y += cta.grid_size() * 8;
    }
}

/// A matrix by a vector, a row a warp, four columns a lane.
#[ptx::kernel(threads = 128)]
pub fn matvec_of_warps(cta: Cta, a: GlobalMatrix<f32>, x: Global<f32>, y: GlobalElementsMut<f32, u32>) {
    let warp = cta.warp();
    for (i, y) in y.warp_elements(&cta) {
        let mut sum = 0.0;
        if let Some(row) = a.row(i) {
            row.for_each_pair::<f32, 2, 32>(x, warp.lane() as usize, |a, x| {
                sum += a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + a[3] * x[3];
            });
        }
        let sum = warp.reduce_add(sum);
        if let Some(y) = y {
            y.write(sum);
        }
    }
}

/// The squared norm of each row, by tiles of eight lanes.
#[ptx::kernel(threads = 128)]
pub fn norms_of_tiles(cta: Cta, a: GlobalMatrix<f32>, norms: GlobalScatter<f32>, rows: u32) {
    let warp = cta.warp();
    let tile = warp.tile::<8>();
    let per_cta = cta.thread_count() / 8;
    let mut first = cta.grid_rank() * per_cta + cta.warp_rank() * 4;
    while first < rows {
        let y = first + warp.lane() / 8;
        let mut sum = 0.0_f32;
        if let Some(row) = a.row(y as usize) {
            row.for_each::<2>(tile.thread_rank(), 8, |x| sum += x * x);
        }
        let sum = tile.reduce_add(sum);
        if tile.thread_rank() == 0 {
            norms.write(y as usize, rsqrt(sum));
        }
        first += cta.grid_size() * per_cta;
    }
}

fn smallest(warp: &Warp<'_>, mut mine: u32, count: u32, mut found: impl FnMut(u32, u32)) {
    for i in 0..count {
        let least = warp.reduce_min(mine);
        found(i, least);
        if mine == least {
            mine = u32::MAX;
        }
    }
}

/// The k least numbers of each group of 32.
#[ptx::kernel(threads = 64)]
pub fn least_of_warps(cta: Cta, input: Global<u32>, output: GlobalScatter<u32>, k: u32) {
    let warp = cta.warp();
    let group = cta.grid_rank() * 2 + cta.warp_rank();
    let mine = input.get((group * 32 + warp.lane()) as usize).unwrap_or(u32::MAX);
    smallest(&warp, mine, k.min(32), |i, x| {
        if warp.lane() == 0 {
            output.write((group * k + i) as usize, x);
        }
    });
}

/// Sorts 32 numbers by a bitonic network.
#[ptx::kernel(threads = 128)]
pub fn sort_of_warps(cta: Cta, input: Global<u32>, output: GlobalElementsMut<u32>) {
    let (warp, rank) = (cta.warp(), cta.grid_thread_rank());
    let mut x = input.get(rank as usize).unwrap_or(u32::MAX);
    let mut size = 2;
    while size <= 32 {
        let mut step = size / 2;
        while step > 0 {
            let other = warp.shuffle_xor(x, step);
            let ascends = warp.lane() & size == 0 || size == 32;
            let is_lower = warp.lane() & step == 0;
            x = if ascends == is_lower { x.min(other) } else { x.max(other) };
            step /= 2;
        }
        size *= 2;
    }
    output.elements(&cta).for_each(|(_, element)| element.write(x));
}

/// Appends the numbers over a limit to a list, with one atomic addition a warp.
#[ptx::kernel(threads = 128)]
pub fn append_by_ballot(
    cta: Cta,
    input: Global<u32>,
    count: GlobalAtomics<u32, scope::Gpu>,
    list: GlobalScatter<u32>,
    limit: u32,
    n: u32,
) {
    let warp = cta.warp();
    let mut first = cta.grid_rank() * 128 + cta.warp_rank() * 32;
    while first < n {
        let x = input.get((first + warp.lane()) as usize).filter(|x| *x > limit);
        let wanted = warp.ballot(x.is_some());
        let mut start = 0;
        if warp.lane() == 0
            && let Some(count) = count.get(0)
        {
            start = count.fetch_add(wanted.count(), sem::Relaxed);
        }
        let start = warp.shuffle(start, 0);
        if let Some(x) = x {
            let before = wanted.bits() & ((1 << warp.lane()) - 1);
            list.write((start + before.count_ones()) as usize, x);
        }
        first += cta.grid_size() * 128;
    }
}

/// The same by a group of the lanes that append.
#[ptx::kernel(threads = 128)]
pub fn append_by_filter(
    cta: Cta,
    input: Global<u32>,
    count: GlobalAtomics<u32, scope::Gpu>,
    list: GlobalScatter<u32>,
) {
    let (warp, rank) = (cta.warp(), cta.grid_thread_rank());
    let x = input.get(rank as usize).unwrap_or(0);
    if let Some(lanes) = warp.filter(x > 7) {
        let mut start = 0;
        if lanes.thread_rank() == 0
            && let Some(count) = count.get(0)
        {
            start = count.fetch_add(lanes.mask().count(), sem::Relaxed);
        }
        let start = lanes.reduce_max(start);
        list.write((start + lanes.thread_rank()) as usize, x);
    }
}

/// One atomic addition for all lanes with one digit.
#[ptx::kernel(threads = 256)]
pub fn histogram_by_match(cta: Cta, input: Global<u32>, bins: GlobalAtomics<u32, scope::Gpu>, n: u32) {
    let warp = cta.warp();
    for first in (cta.grid_rank() * 256 + cta.warp_rank() * 32..n).step_by(256) {
        let digit = input.get((first + warp.lane()) as usize).map_or(256, |x| x & 255);
        let peers = warp.match_any(digit);
        if peers.bits().trailing_zeros() == warp.lane()
            && let Some(bin) = bins.get(digit as usize)
        {
            bin.add(peers.count(), sem::Relaxed);
        }
    }
}

/// Segmented sums of whole warps.
#[ptx::kernel(threads = 128)]
pub fn segments_of_warps(cta: Cta, keys: Global<u32>, values: Global<f32>, output: GlobalElementsMut<f32>) {
    let (warp, rank) = (cta.warp(), cta.grid_thread_rank() as usize);
    let key = keys.get(rank).unwrap_or(u32::MAX);
    let is_head = warp.shuffle_up(key, 1) != Some(key);
    let sum = warp.segmented_scan(values.get(rank).unwrap_or(0.0), is_head, |x, y| x + y);
    output.elements(&cta).for_each(|(_, element)| element.write(sum));
}

/// A step of an iteration until all lanes have converged.
#[ptx::kernel(threads = 128)]
pub fn newton_until_all_converge(cta: Cta, input: Global<f32>, output: GlobalElementsMut<f32>) {
    let (warp, rank) = (cta.warp(), cta.grid_thread_rank() as usize);
    let a = input.get(rank).unwrap_or(1.0).max(1.0);
    let mut x = a;
    loop {
        let next = 0.5 * (x + a / x);
        let is_near = (next - x).abs() < 1e-4 * x;
        x = next;
        if warp.all(is_near) {
            break;
        }
    }
    output.elements(&cta).for_each(|(_, element)| element.write(x));
}

/// Layer norm of rows, a row a CTA's first warps by turns.
#[ptx::kernel(threads = 256)]
pub fn scale_of_rows(cta: Cta, input: GlobalMatrix<f32>, output: GlobalRowsMut<f32>) {
    for (y, to) in output.rows(&cta) {
        let Some(from) = input.row(y) else { break };
        for (i, to) in to.elements(&cta) {
            to.write(2.0 * from.get(i).unwrap_or(0.0));
        }
    }
}
