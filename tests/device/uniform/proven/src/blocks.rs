//! Kernels of CTAs: reductions, scans, histograms, stencils, transposes.

use ptx::atomic::GlobalAtomics;
use ptx::bulk::{self, LoadBuffer};
use ptx::global::{
    Global, GlobalElementsMut, GlobalMatrix, GlobalMut, GlobalRowsMut, GlobalScatter, GlobalTickets,
};
use ptx::group::{AfterSync, Cta};
use ptx::math::{exp, rcp, rsqrt};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{scope, sem};
use ptx::reduce::{ReduceMemory, SegmentMemory};
use ptx::shared::SharedArray;

ptx::shared_memory! {
    struct Words { words: SharedArray<u32, 256> }
}
ptx::shared_memory! {
    struct Floats { sums: ReduceMemory<f32>, tile: SharedArray<f32, 1024> }
}
ptx::shared_memory! {
    struct Numbers { sums: ReduceMemory<u32>, segments: SegmentMemory<u32> }
}

/// A sum of 256 words, by halves.
#[ptx::kernel(threads = 256)]
pub fn tree_in_shared_memory(cta: Cta, #[shared] smem: Words, input: Global<u32>, sums: GlobalScatter<u32>) {
    let rank = cta.thread_rank() as usize;
    let first = cta.grid_rank() as usize * 256;
    cta.finish(smem.words, |cta, words| {
        let mut words = words.write(cta, |i| input.get(first + i).unwrap_or(0)).into_atomic(cta);
        let at = |words: &ptx::shared::Shared<'_, u32, 256, ptx::atomic::Atomic>, i: usize| {
            words.atomic(i).map_or(0, |word| word.load(sem::Relaxed))
        };
        let mut half = 128;
        while half > 0 {
            if rank < half {
                let sum = at(&words, rank) + at(&words, rank + half);
                if let Some(word) = words.atomic(rank) {
                    word.store(sum, sem::Relaxed);
                }
            }
            cta.sync();
            half /= 2;
        }
        if rank == 0 {
            sums.write(cta.grid_rank() as usize, at(&words, 0));
        }
        words = words.publish().sync(cta).release().sync(cta).write(cta, |_| 0).into_atomic(cta);
        words.end()
    });
}

/// A scan of a tile by doubled distances (Hillis and Steele).
#[ptx::kernel(threads = 256)]
pub fn scan_by_doubling(cta: Cta, #[shared] smem: Words, input: Global<u32>, output: GlobalElementsMut<u32>) {
    let rank = cta.thread_rank() as usize;
    let mut sum = input.get(cta.grid_thread_rank() as usize).unwrap_or(0);
    let mut elements = output.elements(&cta);
    cta.finish(smem.words, |cta, words| {
        let mut free = words.into_free_generic();
        for step in 0..8 {
            let words = free.element_stores();
            words.set(rank, sum);
            let words = words.publish().sync(cta);
            if rank >= 1 << step {
                sum += words.get(rank - (1 << step)).unwrap_or(0);
            }
            free = words.release().sync(cta);
        }
        if let Some((_, element)) = elements.next() {
            element.write(sum);
        }
        free.end()
    });
}

/// A histogram in shared memory.
#[ptx::kernel(threads = 256)]
pub fn histogram_in_shared_memory(
    cta: Cta,
    #[shared] smem: Words,
    input: Global<u32>,
    bins: GlobalAtomics<u32, scope::Gpu>,
) {
    let (first, step) = (cta.grid_thread_rank(), cta.grid_thread_count());
    cta.finish(smem.words, |cta, words| {
        let counts = words.write(cta, |_| 0).into_atomic(cta);
        input.for_each::<4>(first, step, |x| {
            if let Some(count) = counts.atomic((x & 255) as usize) {
                count.add(1, sem::Relaxed);
            }
        });
        cta.sync();
        let mine = cta.thread_rank() as usize;
        if let (Some(count), Some(bin)) = (counts.atomic(mine), bins.get(mine)) {
            let count = count.load(sem::Relaxed);
            if count > 0 {
                bin.add(count, sem::Relaxed);
            }
        }
        counts.end()
    });
}

/// A stencil of three words, from a tile with its neighbors.
#[ptx::kernel(threads = 256)]
pub fn stencil_of_three(
    cta: Cta,
    #[shared] smem: Words,
    input: Global<u32>,
    output: GlobalMut<u32, 252>,
    n: u32,
) {
    let (mut tiles, rest) = output.tiles(&cta);
    cta.finish(smem.words, |cta, words| {
        let mut free = words.into_free_generic();
        while let Some((index, to)) = tiles.next_tile() {
            let first = index * 252;
            let words =
                free.write(cta, |i| (first + i).checked_sub(1).and_then(|i| input.get(i)).unwrap_or(0));
            let words = words.publish().sync(cta);
            let at = |i| words.get(i).unwrap_or(0);
            to.write(cta, |i| at(i) + at(i + 1) + at(i + 2));
            free = words.release().sync(cta);
        }
        if n > 0 {
            rest.update(cta, |i, _| input.get(i).unwrap_or(0));
        }
        free.end()
    });
}

/// Jacobi steps on a tile that stays in shared memory.
#[ptx::kernel(threads = 256)]
pub fn steps_of_a_stencil(
    cta: Cta,
    #[shared] smem: Floats,
    input: Global<f32>,
    output: GlobalMut<f32, 1024>,
    steps: u32,
) {
    let (mut tiles, _) = output.tiles(&cta);
    cta.finish(smem.tile, |cta, tile| {
        let mut free = tile.into_free_generic();
        while let Some((index, to)) = tiles.next_tile() {
            let mut tile =
                free.write(cta, |i| input.get(index * 1024 + i).unwrap_or(0.0)).publish().sync(cta);
            for _ in 0..steps {
                let first = 4 * cta.thread_rank() as usize;
                let at = |i: usize| tile.get(i).unwrap_or(0.0);
                let next: [f32; 4] = core::array::from_fn(|k| {
                    let i = first + k;
                    if i == 0 || i == 1023 { at(i) } else { 0.5 * (at(i - 1) + at(i + 1)) }
                });
                let stores = tile.release().sync(cta).vector_stores();
                stores.set_vector(cta.thread_rank() as usize, next);
                tile = stores.publish().sync(cta);
            }
            to.write(cta, |i| tile.get(i).unwrap_or(0.0));
            free = tile.release().sync(cta);
        }
        free.end()
    });
}

/// A transpose of tiles of 32 by 32.
#[ptx::kernel(threads = 256)]
pub fn transpose_of_tiles(
    cta: Cta,
    #[shared] smem: Floats,
    input: GlobalMatrix<f32>,
    output: GlobalScatter<f32>,
    width: u32,
    height: u32,
) {
    let (x, y) = (cta.thread_rank() % 32, cta.thread_rank() / 32);
    let across = width.div_ceil(32);
    cta.finish(smem.tile, |cta, tile| {
        let mut free = tile.into_free_generic();
        let mut index = cta.grid_rank();
        while index < across * height.div_ceil(32) {
            let (left, top) = (index % across * 32, index / across * 32);
            let stores = free.element_stores();
            for row in (y..32).step_by(8) {
                let from = input.row((top + row) as usize).and_then(|row| row.get((left + x) as usize));
                stores.set((row * 32 + (x ^ row)) as usize, from.unwrap_or(0.0));
            }
            let tile = stores.publish().sync(cta);
            for row in (y..32).step_by(8) {
                if left + row < width && top + x < height {
                    let value = tile.get((x * 32 + (row ^ x)) as usize).unwrap_or(0.0);
                    output.write(((left + row) * height + top + x) as usize, value);
                }
            }
            free = tile.release().sync(cta);
            index += cta.grid_size();
        }
        free.end()
    });
}

/// Softmax of a row by a CTA.
#[ptx::kernel(threads = 256)]
pub fn softmax_of_ctas(
    cta: Cta,
    #[shared] smem: Floats,
    input: GlobalMatrix<f32>,
    output: GlobalRowsMut<f32>,
) {
    let (mut sums, rank) = (smem.sums, cta.thread_rank());
    for (_, row, to) in output.rows_with(&cta, input) {
        let mut greatest = f32::NEG_INFINITY;
        row.for_each::<4>(rank, 256, |x| greatest = greatest.max(x));
        let greatest = sums.reduce_max(&cta, greatest);
        let mut sum = 0.0;
        row.for_each::<4>(rank, 256, |x| sum += exp(x - greatest));
        let scale = rcp(sums.reduce_add(&cta, sum));
        for (i, to) in to.elements(&cta) {
            to.write(row.get(i).map_or(0.0, |x| exp(x - greatest) * scale));
        }
    }
}

/// Layer norm of a row by a CTA. A constant row is left as it is.
#[ptx::kernel(threads = 128)]
pub fn layer_norm(
    cta: Cta,
    #[shared] smem: Floats,
    input: GlobalMatrix<f32>,
    output: GlobalRowsMut<f32>,
    columns: u32,
) {
    let mut sums = smem.sums;
    for (y, to) in output.rows(&cta) {
        let Some(row) = input.row(y) else { continue };
        let mut sum = 0.0;
        row.for_each::<2>(cta.thread_rank(), 128, |x| sum += x);
        let mean = sums.reduce_add(&cta, sum) / columns as f32;
        let mut squares = 0.0;
        row.for_each::<2>(cta.thread_rank(), 128, |x| squares += (x - mean) * (x - mean));
        let variance = sums.reduce_add(&cta, squares) / columns as f32;
        if variance == 0.0 {
            to.elements(&cta).for_each(|(i, to)| to.write(row.get(i).unwrap_or(0.0)));
            continue;
        }
        to.elements(&cta).for_each(|(i, to)| to.write((row.get(i).unwrap_or(0.0) - mean) * rsqrt(variance)));
    }
}

/// Power iteration until the CTA's estimate stands still.
#[ptx::kernel(threads = 128)]
pub fn until_the_sum_stands_still(
    cta: Cta,
    #[shared] smem: Floats,
    input: Global<f32>,
    output: GlobalElementsMut<f32>,
) {
    let mut sums = smem.sums;
    let a = input.get(cta.thread_rank() as usize).unwrap_or(1.0);
    let (mut x, mut before) = (1.0_f32, 0.0_f32);
    let mut rounds = 0;
    while rounds < 100 {
        x *= a;
        let norm = sums.reduce_add(&cta, x * x);
        x *= rsqrt(norm);
        if (norm - before).abs() <= 1e-5 * norm {
            break;
        }
        before = norm;
        rounds += 1;
    }
    output.elements(&cta).for_each(|(_, to)| to.write(x));
}

/// A stable partition of each tile: first the even words.
#[ptx::kernel(threads = 256)]
pub fn partition_by_parity(
    cta: Cta,
    #[shared] smem: Numbers,
    input: Global<u32>,
    output: GlobalScatter<u32>,
) {
    let mut sums = smem.sums;
    let first = cta.grid_rank() as usize * 256;
    let x = input.get(first + cta.thread_rank() as usize);
    let is_even = x.is_some_and(|x| x % 2 == 0);
    let (before, evens) = sums.exclusive_sum(&cta, u32::from(is_even));
    if let Some(x) = x {
        let place = if is_even { before } else { evens + cta.thread_rank() - before };
        output.write(first + place as usize, x);
    }
}

/// A radix sort of a tile by its low four bits, a bit a round.
#[ptx::kernel(threads = 256)]
pub fn radix_sort_of_a_tile(
    cta: Cta,
    #[shared] smem: Both,
    input: Global<u32>,
    output: GlobalElementsMut<u32>,
) {
    let (mut sums, rank) = (smem.sums, cta.thread_rank());
    let mut x = input.get(cta.grid_thread_rank() as usize).unwrap_or(u32::MAX);
    let mut elements = output.elements(&cta);
    cta.finish(smem.words, |cta, words| {
        let mut free = words.into_free_generic();
        for bit in 0..4 {
            let is_zero = x >> bit & 1 == 0;
            let (before, zeros) = sums.exclusive_sum(cta, u32::from(is_zero));
            let place = if is_zero { before } else { zeros + rank - before };
            let stores = free.element_stores();
            stores.set(place as usize, x);
            let words = stores.publish().sync(cta);
            x = words.get(rank as usize).unwrap_or(0);
            free = words.release().sync(cta);
        }
        if let Some((_, element)) = elements.next() {
            element.write(x);
        }
        free.end()
    });
}

ptx::shared_memory! {
    struct Both { sums: ReduceMemory<u32>, words: SharedArray<u32, 256> }
}

/// Sums of segments of a CTA.
#[ptx::kernel(threads = 128)]
pub fn segments_of_ctas(
    cta: Cta,
    #[shared] smem: Numbers,
    keys: Global<u32>,
    output: GlobalElementsMut<u32>,
) {
    let mut memory = smem.segments;
    let i = cta.grid_thread_rank() as usize;
    let key = keys.get(i).unwrap_or(0);
    let is_head = cta.thread_rank() == 0 || i.checked_sub(1).and_then(|i| keys.get(i)) != Some(key);
    let (count, _) = memory.inclusive_scan(&cta, 1, is_head, |x, y| x + y);
    output.elements(&cta).for_each(|(_, to)| to.write(count));
}

/// CTAs take chunks of work from a counter until there is none left.
#[ptx::kernel(threads = 128)]
pub fn queue_of_chunks(
    cta: Cta,
    #[shared] smem: Numbers,
    counter: GlobalAtomics<u32, scope::Gpu>,
    input: Global<u32>,
    sums: GlobalScatter<u32>,
    n: u32,
) {
    let mut memory = smem.sums;
    loop {
        let ticket = match counter.get(0) {
            Some(counter) if cta.is_leader() => counter.fetch_add(1, sem::Relaxed),
            _ => 0,
        };
        let chunk = memory.broadcast(&cta, ticket);
        if chunk * 128 >= n {
            break;
        }
        let x = input.get((chunk * 128 + cta.thread_rank()) as usize).unwrap_or(0);
        let sum = memory.reduce_add(&cta, x);
        if cta.is_leader() {
            sums.write(chunk as usize, sum);
        }
    }
}

/// A breadth-first search of a graph in shared memory: rounds until no thread has news.
#[ptx::kernel(threads = 256)]
pub fn search_until_no_news(
    cta: Cta,
    #[shared] smem: Words,
    edges: Global<u32>,
    output: GlobalElementsMut<u32>,
) {
    let mut elements = output.elements(&cta);
    cta.finish(smem.words, |cta, words| {
        let rank = cta.thread_rank() as usize;
        let distances = words.write(cta, |i| if i == 0 { 0 } else { u32::MAX }).into_atomic(cta);
        let neighbor = edges.get(rank).unwrap_or(0) as usize % 256;
        let at = |i: usize| distances.atomic(i).map_or(u32::MAX, |x| x.load(sem::Relaxed));
        loop {
            let through = at(neighbor).saturating_add(1);
            let is_news = through < at(rank);
            cta.sync();
            if is_news && let Some(mine) = distances.atomic(rank) {
                mine.store(through, sem::Relaxed);
            }
            if !cta.sync_or(is_news) {
                break;
            }
        }
        if let Some((_, element)) = elements.next() {
            element.write(at(rank));
        }
        distances.end()
    });
}

ptx::shared_memory! {
    struct Loads { one: LoadBuffer<f32, 256>, other: LoadBuffer<f32, 256>, sums: ReduceMemory<f32> }
}

/// Dot products of tiles that bulk copies load.
#[ptx::kernel(threads = 128)]
pub fn dot_of_loaded_tiles(
    cta: Cta,
    #[shared] smem: Loads,
    x: Global<f32>,
    y: Global<f32>,
    sums: GlobalScatter<f32>,
) {
    let mut memory = smem.sums;
    let ((x, _), (y, _)) = (x.tiles::<256>(), y.tiles::<256>());
    cta.finish((smem.one, smem.other), |cta, (mut one, mut other)| {
        for (i, (x, y)) in x.of_cta(cta).zip(y.of_cta(cta)).enumerate() {
            let (x, y) = (one.load(cta, x).wait(cta), other.load(cta, y).wait(cta));
            let mut sum = 0.0;
            for k in 0..2 {
                let k = cta.thread_rank() as usize + 128 * k;
                sum += x.get(k).unwrap_or(0.0) * y.get(k).unwrap_or(0.0);
            }
            let sum = memory.reduce_add(cta, sum);
            if cta.is_leader() {
                sums.write(i * cta.grid_size() as usize + cta.grid_rank() as usize, sum);
            }
            (one, other) = (x.release().sync(cta), y.release().sync(cta));
        }
        (one.end(), other.end())
    });
}

ptx::shared_memory! {
    struct Stored { out: SharedArray<f32, 256> }
}

/// A tile is computed while the one before it is stored.
#[ptx::kernel(threads = 128)]
pub fn scale_by_bulk_stores(
    cta: Cta,
    #[shared] smem: Stored,
    input: Global<f32>,
    output: GlobalMut<f32, 256>,
    factor: f32,
) {
    let (mut tiles, rest) = output.tiles(&cta);
    let count = tiles.rounds();
    cta.finish(smem.out, |cta, out| {
        let mut stored = AfterSync::ready(out);
        while let Some((index, to)) = tiles.next_tile() {
            let out = stored.sync(cta).write(cta, |i| factor * input.get(index * 256 + i).unwrap_or(0.0));
            stored = bulk::store(cta, out.to_async().sync(cta), to).commit(cta).wait_read(cta);
        }
        if let Some(rest) = rest.tile(cta) {
            rest.elements(cta).for_each(|(i, x)| x.write(factor * input.get(count * 256 + i).unwrap_or(0.0)));
        }
        stored.end()
    });
}

ptx::shared_memory! {
    struct Phases { bar: Mbarrier<Uninit>, words: SharedArray<u32, 256> }
}

/// The leader prepares a round, and all threads wait for it.
#[ptx::kernel(threads = 256)]
pub fn rounds_of_an_mbarrier(cta: Cta, #[shared] smem: Phases, output: GlobalElementsMut<u32>, rounds: u32) {
    let mut sum = 0;
    let mut elements = output.elements(&cta);
    cta.finish((smem.bar, smem.words), |cta, (mut bar, words)| {
        let words = words.write(cta, |i| i as u32).publish().sync(cta);
        for round in 0..rounds {
            let arrived = bar.arrive(cta);
            sum += words.get(((cta.thread_rank() + round) % 256) as usize).unwrap_or(0);
            bar = arrived.wait(cta);
        }
        if let Some((_, element)) = elements.next() {
            element.write(sum);
        }
        ((), words.end())
    });
}

ptx::shared_memory! {
    struct Tickets { memory: ReduceMemory<u64> }
}

/// CTAs take tiles of the output in the order in which they start.
#[ptx::kernel(threads = 128)]
pub fn tiles_in_order_of_start(
    cta: Cta,
    #[shared] smem: Tickets,
    tickets: GlobalTickets,
    input: Global<u32>,
    output: GlobalMut<u32, 128>,
) {
    let mut memory = smem.memory;
    let (mut tiles, _) = output.tiles_by_ticket(&cta, tickets);
    while let Some((index, tile)) = tiles.next_tile(&cta, &mut memory) {
        tile.write(&cta, |i| input.get(index * 128 + i).unwrap_or(0) + 1);
    }
}

/// The leader's part decides, and a broadcast tells the others.
#[ptx::kernel(threads = 128)]
pub fn decision_of_the_leader(
    mut cta: Cta,
    #[shared] smem: Numbers,
    input: Global<u32>,
    output: GlobalElementsMut<u32>,
) {
    let mut memory = smem.sums;
    let mut rounds = 0;
    cta.invoke_one((), |_, ()| {
        while input.get(rounds as usize).is_some_and(|x| x > 3) {
            rounds += 1;
        }
    });
    let rounds = memory.broadcast(&cta, rounds);
    let mut sum = 0;
    for i in 0..rounds {
        sum = memory.reduce_add(&cta, sum + i);
    }
    output.elements(&cta).for_each(|(_, to)| to.write(sum));
}

/// The leader alone stores tiles, as long as a counter in memory says so.
#[ptx::kernel(threads = 64)]
pub fn tiles_that_the_leader_stores(
    cta: Cta,
    #[shared] smem: Words,
    drawn: GlobalAtomics<u32, scope::Gpu>,
    data: GlobalMut<u32, 256>,
) {
    let (mut tiles, _) = data.tiles(&cta);
    let goes_on = || drawn.get(0).is_some_and(|drawn| drawn.fetch_add(1, sem::Relaxed) < 9);
    cta.finish(smem.words, |cta, words| {
        cta.finish_one(words, |thread, words| {
            let mut stored = AfterSync::ready(words);
            while let (true, Some((tile, to))) = (goes_on(), tiles.next_tile()) {
                let words = stored.sync(thread).write(thread, |i| (tile + i) as u32).to_async().sync(thread);
                stored = bulk::store(thread, words, to).commit(thread).wait_read(thread);
            }
            stored.end()
        })
    });
}
