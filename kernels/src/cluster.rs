//! Clusters of 4 CTAs: a histogram whose bins lie spread over them, tiles that go round in a ring, and tiles that go on from
//! DSMEM buffer to DSMEM buffer, and from there to global memory.

use core::array;

use ptx::bulk::{self, GlobalReduce};
use ptx::cluster::{ByChannel, ByElement, ByTile, DsmemBuffer};
use ptx::global::{Global, GlobalMut, GlobalVectorsMut};
use ptx::launch::{Cta, LaunchShape, trap};
use ptx::qualifier::{op, sem};
use ptx::shared::SharedArray;

/// CTAs of a cluster, and digits that each of them counts.
const SIZE: u32 = 4;
const DIGITS: usize = 64;

/// Of all kernels here.
enum Shape {}

impl LaunchShape for Shape {
    const BLOCK: [u32; 3] = [THREADS as u32, 1, 1];
    const CLUSTER: Option<[u32; 3]> = Some([SIZE, 1, 1]);
}

ptx::shared_memory! {
    struct Histogram { bins: SharedArray<u32, DIGITS> }
}

/// Where each digit starts, as a radix sort of the low 8 bits wants it: output\[256 * c + d\] is how many of the words of
/// cluster c have a low byte less than d. CTA b has the words 128 * b + t + 1024 * j. A row of 8 CTAs of 128 threads, in
/// clusters of 4.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` and of 512 words of global memory, which do not
///   overlap.
/// - until the grid ends nobody writes the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cluster_histogram(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; collective calls depend on nothing but the launch; grids are
    // rows of clusters.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Histogram, Shape>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) =
        unsafe { (Global::from_raw(input, n as usize), GlobalMut::<_, DIGITS>::from_raw(output, 512)) };
    let Some((_, output)) = output.tiles(&cta).0.next_tile() else { return };
    let (first, step) =
        (cta.grid_rank() * cta.thread_count() + cta.thread_rank(), cta.grid_size() * cta.thread_count());

    cta.cluster_scope_last(smem.bins, |cluster, bins| {
        let cta = cluster.cta();
        if cluster.cta_count() != SIZE {
            trap();
        }
        // Each digit is counted in one CTA, by the threads of all. The next word is on its way while one is counted, the first one while the
        // cluster meets.
        let (mut i, mut next) = (first as usize, input.get(first as usize));
        let bins = cluster.open_atomic(bins.write(cta, |_| 0));
        while let Some(word) = next {
            i += step as usize;
            next = input.get(i);
            let digit = word % 256;
            let peer = bins.peer(digit / DIGITS as u32);
            if let Some(bin) = peer.and_then(|peer| peer.atomic((digit % DIGITS as u32) as usize)) {
                bin.add(1, sem::Relaxed);
            }
        }
        let bins = bins.publish(&cluster);

        let sum = |counts: Option<[u32; 4]>| counts.unwrap_or_default().into_iter().sum::<u32>();
        output.write(cta, |digit| {
            let digit = digit as u32;
            // What comes before this CTA's digits lies in the CTAs of lower rank. Two at a time: the loads from both are under way together.
            let total = |rank| {
                let Some(peer) = bins.peer(rank) else { return 0 };
                (0..DIGITS / 4).map(|i| sum(peer.get_vector(i))).sum::<u32>()
            };
            let (mut start, mut rank) = (0, 0);
            while rank + 1 < cluster.cta_rank() {
                start += total(rank) + total(rank + 1);
                rank += 2;
            }
            if rank < cluster.cta_rank() {
                start += total(rank);
            }
            (0..=digit / 4).fold(start, |start, v| {
                let before = |counts: [u32; 4]| {
                    array::from_fn(|i| if 4 * v + (i as u32) < digit { counts[i] } else { 0 })
                };
                start + sum(bins.get_vector(v as usize).map(before))
            })
        });
        (cluster, bins.end())
    });
}

/// Words of a tile, and threads of a CTA.
const N: usize = 512;
const THREADS: usize = 128;

ptx::shared_memory! {
    struct Exchange {
        own: DsmemBuffer<u32, N, ByTile>,
        second: SharedArray<u32, N>,
        third: SharedArray<u32, N>,
        ring: DsmemBuffer<u32, N, ByChannel>,
        from_the_one_before: DsmemBuffer<u32, N, ByTile>,
        of_all: DsmemBuffer<u32, N, ByTile>,
        sums: DsmemBuffer<u32, THREADS, ByElement>,
        of_the_partner: DsmemBuffer<u32, THREADS, ByElement>,
    }
}

/// Every way between CTAs, over tiles of 512 words: CTA b, of rank r in cluster c, has tile b, and the cluster tile 8 + c.
///
/// - The tiles go round the ring of the cluster: ring\[i\] is the sum of (j + 1) times word i of the CTA of rank r - j.
/// - The CTA of rank r - 2 sends its own tile, and each CTA gets the cluster's.
/// - Each thread t has the sum of its ring\[4t .. 4t + 4\]; it is added up over the cluster, and sent to the partner of
///   rank r ^ 1, which is sent the number t besides.
///
/// output\[512 * b + i\] is ring\[i\] ^ cluster\[i\] + 3 * sent\[i\] + (the sum of thread i / 4 over the cluster) - 5 * (that
/// of the partner, and i / 4). A row of 8 CTAs of 128 threads, in clusters of 4.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` ≥ 5120 and of 4096 words of global memory, which do
///   not overlap.
/// - until the grid ends nobody writes the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cluster_exchange(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; collective calls depend on nothing but the launch; grids are
    // rows of clusters.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Exchange, Shape>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) =
        unsafe { (Global::from_raw(input, n as usize), GlobalVectorsMut::from_raw(output, 8 * N)) };
    let tiles = input.tiles::<N>().0;
    let of_the_cluster = tiles.get((8 + cta.grid_rank() / SIZE) as usize);
    let (Some(mine), Some(of_the_cluster)) = (tiles.get(cta.grid_rank() as usize), of_the_cluster) else {
        trap()
    };
    let (mut outputs, _) = output.vectors(&cta);
    let thread = cta.thread_rank() as usize;

    let of_tiles = (smem.own.init(&cta), smem.from_the_one_before.init(&cta), smem.of_all.init(&cta));
    let of_words = (smem.sums.init(&cta, |_| 0), smem.of_the_partner.init(&cta, |_| 0));
    let ring = (smem.ring.init(&cta), smem.second, smem.third);
    cta.cluster_scope_last(
        (of_tiles, of_words, ring),
        |cluster, (of_tiles, of_words, (ring, second, third))| {
            let ((own, before, of_all), (sums, partner)) = (of_tiles, of_words);
            let cta = cluster.cta();
            let (Some(all), Some(alone)) = (cluster.whole::<SIZE>(), cluster.column::<1>()) else { trap() };
            let (Some(to_next), Some(to_second), Some(to_partner)) =
                (cluster.rotation(1), cluster.rotation(2), cluster.exchange(1))
            else {
                trap()
            };
            let add = |sum: [u32; 4], words: Option<[u32; 4]>, times: u32| {
                let words = words.unwrap_or([0; 4]);
                [0, 1, 2, 3].map(|lane| sum[lane].wrapping_add(words[lane].wrapping_mul(times)))
            };

            // Under way from the start.
            let own = own.multicast(&cluster, alone, mine);
            let of_all = of_all.multicast(&cluster, all, of_the_cluster);

            // Round the ring: what came in, copied by the threads, goes out in the next round. One barrier a round.
            let own = own.receive(cta);
            let acc = add([0; 4], own.get_vector(thread), 1);
            let received = ring.along(to_next).send(&cluster, own).receive(cta);
            let (words, copy) = (received.get_vector(thread), second.vector_stores());
            copy.set_vector(thread, words.unwrap_or_default());
            let (released, second) = cta.sync_with((received.release_at_sync(), copy.to_async_at_sync()));
            let (channel, own) = released.acknowledge(cta).reclaim_at_sync(cta);
            let received = channel.send(&cluster, second);
            let acc = add(acc, words, 2);

            let received = received.receive(cta);
            let (words, copy) = (received.get_vector(thread), third.vector_stores());
            copy.set_vector(thread, words.unwrap_or_default());
            let (released, third, own) =
                cta.sync_with((received.release_at_sync(), copy.to_async_at_sync(), own));
            let (channel, second) = released.acknowledge(cta).reclaim_at_sync(cta);
            let received = channel.send(&cluster, third);
            // Each to the one after the next.
            let before = before.send(&cluster, to_second, own);
            let acc = add(acc, words, 3);

            let ring = received.receive(cta);
            let acc = add(acc, ring.get_vector(thread), 4);

            // A word a thread, to all others and to one.
            let mine_of_all = acc[0].wrapping_add(acc[1]).wrapping_add(acc[2]).wrapping_add(acc[3]);
            let sums = sums.reduce_to_others(&cluster, op::Add, |_| mine_of_all);
            // To the partner: added up where there was 0, then replaced by its number.
            let partner = partner.reduce(&cluster, op::Add, to_partner, |_| mine_of_all);
            let (sums, partner) = (sums.receive(cta), partner.receive(cta));
            let all = sums.get(thread).unwrap_or(0).wrapping_add(mine_of_all);
            let theirs = partner.get(thread).unwrap_or(0);
            let partner = partner.release(&cluster);
            let partner = partner.store(&cluster, to_partner, |i| i as u32).receive(cta);
            let theirs = theirs.wrapping_add(partner.get(thread).unwrap_or(0));

            let (before, of_all) = (before.receive(cta), of_all.receive(cta));
            if let Some((_, output)) = outputs.next() {
                let [sent, of_all] =
                    [before.get_vector(thread), of_all.get_vector(thread)].map(Option::unwrap_or_default);
                output.write([0, 1, 2, 3].map(|lane| {
                    (acc[lane] ^ of_all[lane])
                        .wrapping_add(sent[lane].wrapping_mul(3))
                        .wrapping_add(all)
                        .wrapping_sub(theirs.wrapping_mul(5))
                }));
            }
            let ((before, (own, ())), (of_all, ())) = (before.end(), of_all.end());
            let ((sums, ()), (partner, ()), (ring, third)) = (sums.end(), partner.end(), ring.end());
            (cluster, ((own, before, of_all), (sums, partner), (ring, second.end(), third)))
        },
    );
}

ptx::shared_memory! {
    struct Forward {
        a: DsmemBuffer<u32, N, ByTile>,
        b: DsmemBuffer<u32, N, ByTile>,
        c: DsmemBuffer<u32, N, ByTile>,
        d: DsmemBuffer<u32, N, ByTile>,
        sums: DsmemBuffer<u32, N, ByTile>,
        mixed: DsmemBuffer<u32, N, ByTile>,
    }
}

/// Tiles of 512 words that no thread copies: CTA b, of rank r in cluster c, has tile b.
///
/// - The tiles go round the ring of the cluster twice, through two DSMEM buffers that are free by turns, and through four that keep
///   what they get: ring\[i\] is the sum of (j + 1) times word i of the CTA of rank r - j, kept\[i\] that of (4 - j) times it.
/// - At the end of the first round a CTA holds the tile of rank r + 1, which it adds to i in the other CTAs: sums\[i\].
/// - The partner of rank r ^ 1 sends its sums into 7 * i: mixed\[i\] is the exclusive or.
///
/// output\[512 * b + i\] is ring\[i\] ^ kept\[i\] + 3 * sums\[i\] - 5 * mixed\[i\]. A row of 8 CTAs of 128 threads, in clusters of
/// 4 in a row.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` ≥ 4096 and of 4096 words of global memory, which do
///   not overlap.
/// - until the grid ends nobody writes the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cluster_forward(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; collective calls depend on nothing but the launch; grids are
    // rows of clusters.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Forward, Shape>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) =
        unsafe { (Global::from_raw(input, n as usize), GlobalVectorsMut::from_raw(output, 8 * N)) };
    let Some(mine) = input.tiles::<N>().0.get(cta.grid_rank() as usize) else { trap() };
    let (mut outputs, _) = output.vectors(&cta);
    let thread = cta.thread_rank() as usize;

    let tiles = (smem.a.init(&cta), smem.b.init(&cta), smem.c.init(&cta), smem.d.init(&cta));
    let reduced = (smem.sums.init_with(&cta, |i| i as u32), smem.mixed.init_with(&cta, |i| 7 * i as u32));
    cta.cluster_scope_last((tiles, reduced), |cluster, ((a, b, c, d), (sums, mixed))| {
        let cta = cluster.cta();
        if cluster.cta_count() != SIZE {
            trap();
        }
        // Each CTA is the only one of its column.
        let (Some(alone), Some(to_next), Some(to_partner)) =
            (cluster.column::<1>(), cluster.rotation(1), cluster.exchange(1))
        else {
            trap()
        };
        let add = |sum: [u32; 4], words: Option<[u32; 4]>, times: u32| {
            let words = words.unwrap_or([0; 4]);
            [0, 1, 2, 3].map(|lane| sum[lane].wrapping_add(words[lane].wrapping_mul(times)))
        };

        // The tile that came last goes on into the DSMEM buffer that the one before it has left.
        let (mut here, mine) = a.multicast(&cluster, alone, mine).receive(cta).reclaim(&cluster);
        let (mut free, mut ring) = (b, add([0; 4], here.get_vector(thread), 1));
        let mut times = 2;
        while times <= SIZE {
            let forwarded = free.send(&cluster, to_next, here).receive(cta);
            (here, (free, ())) = forwarded.reclaim(&cluster);
            ring = add(ring, here.get_vector(thread), times);
            times += 1;
        }
        let (sums, (a, ())) =
            sums.send_reduce_to_others(&cluster, op::Add, here).receive(cta).reclaim(&cluster);

        // A DSMEM buffer for each tile: nothing is waited for but the next tile.
        let own = a.multicast(&cluster, alone, mine).receive(cta);
        let first = free.send(&cluster, to_next, own).receive(cta);
        let second = c.send(&cluster, to_next, first);
        let kept = add([0; 4], second.source().source().get_vector(thread), 4);
        let kept = add(kept, second.source().get_vector(thread), 3);
        let second = second.receive(cta);
        let third = d.send(&cluster, to_next, second).receive(cta);
        let kept = add(kept, third.source().get_vector(thread), 2);
        let kept = add(kept, third.get_vector(thread), 1);

        let mixed = mixed.send_reduce(&cluster, op::Xor, to_partner, sums).receive(cta);
        if let Some((_, output)) = outputs.next() {
            let sums = mixed.source().get_vector(thread).unwrap_or_default();
            let mixed = mixed.get_vector(thread).unwrap_or_default();
            output.write([0, 1, 2, 3].map(|lane| {
                (ring[lane] ^ kept[lane])
                    .wrapping_add(sums[lane].wrapping_mul(3))
                    .wrapping_sub(mixed[lane].wrapping_mul(5))
            }));
        }
        let ((d, (c, (b, (a, ())))), (mixed, (sums, ()))) = (third.end(), mixed.end());
        (cluster, ((a, b, c, d), (sums, mixed)))
    });
}

ptx::shared_memory! {
    struct Mirror {
        own: DsmemBuffer<u32, N, ByTile>,
        mirrored: DsmemBuffer<u32, N, ByTile>,
        sums: DsmemBuffer<u32, THREADS, ByElement>,
    }
}

/// What has come into a DSMEM buffer goes to global memory from there. CTA b loads tile b, sends it to the CTA of rank 3 - r of its cluster, and stores
/// the tile that it gets; its threads add up four words of that each, for the other CTAs, which add the sums to the output.
///
/// output\[512 * b + i\] is input\[512 * (b ^ 3) + i\]; to output\[4096 + t\] is added three times the sum of words 4t to 4t + 3 of all tiles. A
/// row of 8 CTAs of 128 threads, in clusters of 4.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` ≥ 4096 and of 4224 words of global memory, which do not overlap.
/// - until the grid ends nobody writes the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cluster_mirror(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; collective calls depend on nothing but the launch; grids are
    // rows of clusters.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Mirror, Shape>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, tiles, sums_of_all) = unsafe {
        (
            Global::from_raw(input, n as usize),
            GlobalMut::<_, N>::from_raw(output, 8 * N),
            GlobalReduce::<_, THREADS>::from_raw(output.add(8 * N), THREADS),
        )
    };
    let (mine, to) = (input.tiles::<N>().0.get(cta.grid_rank() as usize), tiles.tiles(&cta).0.next_tile());
    let (Some(mine), Some((_, to)), Some(sums_of_all)) = (mine, to, sums_of_all.get(0)) else { trap() };
    let thread = cta.thread_rank() as usize;

    let lent = ((smem.own.init(&cta), smem.mirrored.init(&cta)), smem.sums.init(&cta, |_| 0));
    cta.cluster_scope_last(lent, |cluster, ((own, mirrored), sums)| {
        let cta = cluster.cta();
        let (Some(alone), Some(to_mirror)) = (cluster.column::<1>(), cluster.exchange(3)) else { trap() };
        let own = own.multicast(&cluster, alone, mine).receive(cta);
        let mirrored = mirrored.send(&cluster, to_mirror, own).receive(cta);
        let [a, b, c, d] = mirrored.get_vector(thread).unwrap_or_default();
        let stored = bulk::store(cta, mirrored, to).commit(cta);

        let sum = a.wrapping_add(b).wrapping_add(c).wrapping_add(d);
        let sums = sums.reduce_to_others(&cluster, op::Add, |_| sum).receive(cta);
        let added = bulk::reduce(cta, op::Add, sums, sums_of_all).commit(cta);
        let ((sums, ()), (mirrored, (own, ()))) = (added.end(cta), stored.end(cta));
        (cluster, ((own, mirrored), sums))
    });
}
