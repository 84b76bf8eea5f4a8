//! Distributed shared memory (DSMEM) in clusters of 4 CTAs: a histogram whose bins are spread over the CTAs, tiles that travel
//! around a ring, and tiles that are forwarded from DSMEM buffer to DSMEM buffer and from there to global memory.

use core::array;

use ptx::bulk::{self, GlobalReduce};
use ptx::cluster::{ByChannel, ByElement, ByTile, DsmemBuffer};
use ptx::global::{Global, GlobalMut, GlobalVectorsMut};
use ptx::group::{Cta, Together};
use ptx::qualifier::{op, sem};
use ptx::shared::SharedArray;
use ptx::trap;

/// CTAs of a cluster, and digits that each CTA counts.
const SIZE: u32 = 4;
const DIGITS: usize = 64;

ptx::shared_memory! {
    struct Histogram { bins: SharedArray<u32, DIGITS> }
}

/// Computes the offsets of a radix sort's digits: `output[256 * c + d]` ← the number of words of cluster c whose low byte is
/// less than d. Thread t of CTA b has the words 128 * b + t + 1024 * j, for all j.
///
/// Launch: 1-D grid of 8 CTAs of 128 threads, in clusters of 4.
///
/// Technique: a histogram in DSMEM. Each CTA of the cluster holds 64 of the 256 bins, and all CTAs count in all bins by atomic
/// operations.
#[ptx::kernel(threads = 128, cluster = SIZE)]
pub fn cluster_histogram(
    cta: Cta,
    #[shared] smem: Histogram,
    #[len(n)] input: Global<u32>,
    #[len(512)] output: GlobalMut<u32, DIGITS>,
    n: u32,
) {
    let Some((_, output)) = output.tiles(&cta).0.next_tile() else { trap() };
    let (first, step) = (cta.grid_thread_rank(), cta.grid_thread_count());

    cta.finish_cluster(smem.bins, |cluster, bins| {
        let cta = cluster.cta();
        // One CTA holds the bin of a digit; the threads of all CTAs count in it. The next word is loaded while a word is counted,
        // and the first word while the cluster waits at the barrier of `open_atomic`.
        let (mut i, mut next) = (first as usize, input.get(first as usize));
        let bins = cluster.open_atomic(bins.write(cta, |_| 0)).sync(&cluster);
        while let Some(word) = next {
            i += step as usize;
            next = input.get(i);
            let digit = word % 256;
            let peer = bins.peer(digit / DIGITS as u32);
            if let Some(bin) = peer.and_then(|peer| peer.atomic((digit % DIGITS as u32) as usize)) {
                bin.add(1, sem::Relaxed);
            }
        }
        let bins = bins.publish().sync(&cluster);

        let sum = |counts: Option<[u32; 4]>| counts.unwrap_or_default().into_iter().sum::<u32>();
        output.write(cta, |digit| {
            let digit = digit as u32;
            // The CTAs of lower rank hold the counts of lower digits. Loads from two CTAs are in flight at a time.
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

/// Adds `words`, times a factor, to `sum`.
#[inline(always)]
fn add(sum: [u32; 4], words: Option<[u32; 4]>, times: u32) -> [u32; 4] {
    let words = words.unwrap_or_default();
    [0, 1, 2, 3].map(|lane| sum[lane].wrapping_add(words[lane].wrapping_mul(times)))
}

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

/// Transfers tiles of 512 words between CTAs in all ways. CTA b of rank r in cluster c has tile b; cluster c has tile 8 + c.
///
/// - The tiles travel around the ring of the cluster: `ring[i]` is the sum over j of (j + 1) times word i of the CTA of rank
///   `r - j`.
/// - The CTA of rank `r - 2` sends its tile: `sent[i]`. Each CTA receives the cluster's tile by multicast: `cluster[i]`.
/// - Thread t adds up `ring[4t .. 4t + 4]`. The CTAs add these sums up over the cluster. Each CTA also sends its sums, and then
///   the number t, to its partner of rank `r ^ 1`.
///
/// `output[512 * b + i]` ← `(ring[i] ^ cluster[i]) + 3 * sent[i] + all - 5 * (partner + i / 4)`, where `all` is the cluster's sum
/// of thread `i / 4`, and `partner` is the partner's sum.
///
/// Launch: 1-D grid of 8 CTAs of 128 threads, in clusters of 4.
///
/// Technique: DSMEM buffers of each kind. `ByTile` receives bulk async copies, `ByElement` receives `st.async` and `red.async`,
/// and `ByChannel` receives tile after tile from one sender, with an acknowledgement for each.
#[ptx::kernel(threads = 128, cluster = SIZE)]
pub fn cluster_exchange(
    cta: Cta,
    #[shared] smem: Exchange,
    #[len(n)] input: Global<u32>,
    #[len(8 * N)] output: GlobalVectorsMut<u32>,
    n: u32,
) {
    let tiles = input.tiles::<N>().0;
    let of_the_cluster = tiles.get((8 + cta.grid_rank() / SIZE) as usize);
    let (Some(mine), Some(of_the_cluster)) = (tiles.get(cta.grid_rank() as usize), of_the_cluster) else {
        trap()
    };
    let (mut outputs, _) = output.vectors(&cta);
    let thread = cta.thread_rank() as usize;

    let of_tiles = (smem.own, smem.from_the_one_before, smem.of_all);
    let of_words = (smem.sums.init_with(&cta, |_| 0), smem.of_the_partner.init_with(&cta, |_| 0));
    let ring = (smem.ring, smem.second, smem.third);
    cta.finish_cluster((of_tiles, of_words, ring), |cluster, (of_tiles, of_words, (ring, second, third))| {
        let ((own, before, of_all), (sums, partner)) = (of_tiles, of_words);
        let cta = cluster.cta();
        let (Some(all), Some(alone)) = (cluster.whole::<SIZE>(), cluster.column::<1>()) else { trap() };
        let (Some(to_next), Some(to_second), Some(to_partner)) =
            (cluster.rotation(1), cluster.rotation(2), cluster.exchange(1))
        else {
            trap()
        };
        // Both copies are in flight while the ring runs.
        let own = own.multicast(&cluster, alone, mine);
        let of_all = of_all.multicast(&cluster, all, of_the_cluster);

        // The threads copy the received tile, and the next round sends the copy. One barrier per round.
        let own = own.receive(cta);
        let acc = add([0; 4], own.get_vector(thread), 1);
        let received = ring.into_channel(to_next).send(&cluster, own).receive(cta);
        let (words, copy) = (received.get_vector(thread), second.vector_stores());
        copy.set_vector(thread, words.unwrap_or_default());
        let (released, second) = (received.release(), copy.to_async()).sync(cta);
        let (channel, own) = released.acknowledge(cta).reclaim(cta);
        let received = channel.send(&cluster, second);
        let acc = add(acc, words, 2);

        let received = received.receive(cta);
        let (words, copy) = (received.get_vector(thread), third.vector_stores());
        copy.set_vector(thread, words.unwrap_or_default());
        let (released, third, own) = (received.release(), copy.to_async(), own).sync(cta);
        let (channel, second) = released.acknowledge(cta).reclaim(cta);
        let received = channel.send(&cluster, third);
        // Each CTA sends its tile to the CTA of rank r + 2.
        let before = before.send(&cluster, to_second, own);
        let acc = add(acc, words, 3);

        let ring = received.receive(cta);
        let acc = add(acc, ring.get_vector(thread), 4);

        // Each thread sends one word to all other CTAs, and one to the partner.
        let mine_of_all = acc[0].wrapping_add(acc[1]).wrapping_add(acc[2]).wrapping_add(acc[3]);
        let sums = sums.reduce_to_others(&cluster, op::Add, |_| mine_of_all);
        // The partner's words start at 0. The sum is added to them, and the thread's number then replaces them.
        let partner = partner.reduce(&cluster, op::Add, to_partner, |_| mine_of_all);
        let (sums, partner) = (sums.receive(cta), partner.receive(cta));
        let all = sums.get(thread).unwrap_or(0).wrapping_add(mine_of_all);
        let theirs = partner.get(thread).unwrap_or(0);
        let partner = partner.release().sync(&cluster);
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
    });
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

/// Forwards tiles of 512 words without copies by threads: each received tile is the source of the next send. CTA b of rank r in
/// cluster c has tile b.
///
/// - The tiles travel around the ring of the cluster twice: once through two DSMEM buffers that take turns, then through four
///   DSMEM buffers that keep their tiles. `ring[i]` is the sum over j of (j + 1) times word i of the CTA of rank `r - j`, and
///   `kept[i]` is the same sum with factors (4 - j).
/// - After the first round trip, a CTA holds the tile of rank `r + 1`. It adds the tile to `sums` of the other CTAs, where
///   `sums[i]` starts at i.
/// - The partner of rank `r ^ 1` sends its `sums` into `mixed`, where `mixed[i]` starts at `7 * i` and becomes the exclusive or.
///
/// `output[512 * b + i]` ← `(ring[i] ^ kept[i]) + 3 * sums[i] - 5 * mixed[i]`.
///
/// Launch: 1-D grid of 8 CTAs of 128 threads, in clusters of 4 in x.
#[ptx::kernel(threads = 128, cluster = SIZE)]
pub fn cluster_forward(
    cta: Cta,
    #[shared] smem: Forward,
    #[len(n)] input: Global<u32>,
    #[len(8 * N)] output: GlobalVectorsMut<u32>,
    n: u32,
) {
    let Some(mine) = input.tiles::<N>().0.get(cta.grid_rank() as usize) else { trap() };
    let (mut outputs, _) = output.vectors(&cta);
    let thread = cta.thread_rank() as usize;

    let tiles = (smem.a, smem.b, smem.c, smem.d);
    let reduced = (smem.sums.init_with(&cta, |i| i as u32), smem.mixed.init_with(&cta, |i| 7 * i as u32));
    cta.finish_cluster((tiles, reduced), |cluster, ((a, b, c, d), (sums, mixed))| {
        let cta = cluster.cta();
        // A column of one CTA: the multicast goes to the CTA itself.
        let (Some(alone), Some(to_next), Some(to_partner)) =
            (cluster.column::<1>(), cluster.rotation(1), cluster.exchange(1))
        else {
            trap()
        };

        // The tile received last is sent on, into the DSMEM buffer that the previous tile has left.
        let (mut here, mine) = a.multicast(&cluster, alone, mine).receive(cta).reclaim().sync(&cluster);
        let (mut free, mut ring) = (b, add([0; 4], here.get_vector(thread), 1));
        let mut times = 2;
        while times <= SIZE {
            let forwarded = free.send(&cluster, to_next, here).receive(cta);
            (here, (free, ())) = forwarded.reclaim().sync(&cluster);
            ring = add(ring, here.get_vector(thread), times);
            times += 1;
        }
        let (sums, (a, ())) =
            sums.send_reduce_to_others(&cluster, op::Add, here).receive(cta).reclaim().sync(&cluster);

        // Each tile has its own DSMEM buffer, so a CTA waits only for the next tile.
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

/// Forwards received data from DSMEM buffers to global memory. CTA b of rank r loads tile b, sends it to the CTA of rank `3 - r`
/// of its cluster, and stores the tile that it receives. Each thread adds up four words of the received tile and sends the sum to
/// the other CTAs, which add it to the output.
///
/// `output[512 * b + i]` ← `input[512 * (b ^ 3) + i]`. Three times the sum of the words 4t to 4t + 3 of all tiles is added to
/// `output[4096 + t]`.
///
/// Launch: 1-D grid of 8 CTAs of 128 threads, in clusters of 4.
///
/// Technique: a DSMEM buffer is the source of a bulk store and of a bulk reduction (`cp.reduce.async.bulk`).
#[ptx::kernel(threads = 128, cluster = SIZE)]
pub fn cluster_mirror(
    cta: Cta,
    #[shared] smem: Mirror,
    #[len(n)] input: Global<u32>,
    #[len(8 * N)] tiles: GlobalMut<u32, N>,
    #[len(THREADS)] sums_of_all: GlobalReduce<u32, THREADS>,
    n: u32,
) {
    let (mine, to) = (input.tiles::<N>().0.get(cta.grid_rank() as usize), tiles.tiles(&cta).0.next_tile());
    let (Some(mine), Some((_, to)), Some(sums_of_all)) = (mine, to, sums_of_all.get(0)) else { trap() };
    let thread = cta.thread_rank() as usize;

    let lent = ((smem.own, smem.mirrored), smem.sums.init_with(&cta, |_| 0));
    cta.finish_cluster(lent, |cluster, ((own, mirrored), sums)| {
        let cta = cluster.cta();
        let (Some(alone), Some(to_mirror)) = (cluster.column::<1>(), cluster.exchange(3)) else { trap() };
        let own = own.multicast(&cluster, alone, mine).receive(cta);
        let mirrored = mirrored.send(&cluster, to_mirror, own).receive(cta);
        let [a, b, c, d] = mirrored.get_vector(thread).unwrap_or_default();
        let stored = bulk::store(cta, mirrored, to).commit(cta);

        let sum = a.wrapping_add(b).wrapping_add(c).wrapping_add(d);
        let sums = sums.reduce_to_others(&cluster, op::Add, |_| sum).receive(cta);
        let added = bulk::reduce(cta, op::Add, sums, sums_of_all).commit(cta);
        let ((sums, ()), (mirrored, (own, ()))) = (added.wait_read(cta).end(), stored.wait_read(cta).end());
        (cluster, ((own, mirrored), sums))
    });
}
