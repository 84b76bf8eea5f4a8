//! An exclusive scan in one pass by look-back (CUB's `DeviceScan::ExclusiveSum`): a CTA publishes the sum of each of its tiles, and
//! adds up what the others have published of the tiles between its last one and this one.
//!
//! A CTA publishes the sum of a tile two rounds before it needs those of the tiles below, and loads them a round ahead: no round
//! waits for another CTA. Tiles pass through five stages of shared memory: one is stored, one is scanned, two have published their
//! sum or do so, and one is loaded.

use core::mem::replace;

use ptx::atomic::GlobalAtomics;
use ptx::bulk::{self, BulkGroup, Committed, LoadBuffer, LoadTile, Loading};
use ptx::global::{Global, GlobalMut, GlobalSlice, GlobalTickets, GlobalTileMut, TicketTilesMut};
use ptx::group::{AfterSync, Cta, Together};
use ptx::qualifier::{scope, sem};
use ptx::reduce::ReduceMemory;
use ptx::registers::{from_fn, unroll};
use ptx::shared::{Fenced, Free};
use ptx::trap;

const THREADS: usize = 512;
/// Adjacent vectors of four words that a thread has of a tile: an odd number uses all banks of shared memory.
const VECTORS: usize = 5;
const TILE: usize = 4 * VECTORS * THREADS;

/// What the CTAs publish of each tile: a tag in the upper half and the tile's sum in the lower one, which one store brings together.
type Sums = GlobalAtomics<u64, scope::Gpu>;
const PUBLISHED: u64 = 1 << 32;

type Buffer = LoadBuffer<u32, TILE>;
type Stage<'s, State> = LoadTile<'s, u32, TILE, State>;
/// A tile's index and place in the output.
type Place = Option<(usize, GlobalTileMut<u32, TILE>)>;

/// A tile that is loaded; without a `place`, there was no tile left.
struct Next<'s> {
    load: Loading<'s, u32, TILE, GlobalSlice<u32, TILE>>,
    place: Place,
}

impl<'s> Next<'s> {
    /// Takes the next tile, and loads it into a free stage.
    #[inline(always)]
    fn take(
        cta: &Cta,
        stage: Stage<'s, Free>,
        input: Global<u32>,
        tiles: &mut TicketTilesMut<u32, TILE>,
        tickets: &mut ReduceMemory<u64>,
    ) -> Self {
        let place = tiles.next_tile(cta, tickets);
        // A load of a single vector keeps the stage in step.
        let (first, len) = place.as_ref().map_or((0, 4), |(tile, _)| (tile * TILE, TILE));
        let Some(source) = input.slice(first, len) else { trap() };
        Next { load: stage.load(cta, source), place }
    }
}

/// A tile whose words are in registers.
struct Read {
    place: Place,
    /// This thread's words, and their sum.
    words: [[u32; 4]; VECTORS],
    own: u32,
}

impl Read {
    /// Waits for a tile. Also returns the stage, which is free after a barrier.
    #[inline(always)]
    fn wait<'s>(cta: &Cta, next: Next<'s>) -> (Self, AfterSync<Stage<'s, Free>>) {
        let (stage, place) = (next.load.wait(cta), next.place);
        let thread = cta.thread_rank() as usize;
        let (mut words, mut own) = ([[0; 4]; VECTORS], 0_u32);
        if place.is_some() {
            words = from_fn(|v| stage.get_vector(VECTORS * thread + v).unwrap_or_default());
            unroll::<VECTORS>(|v| own = words[v].into_iter().fold(own, u32::wrapping_add));
        }
        (Read { place, words, own }, stage.release())
    }

    /// Publishes the sum of the tile.
    #[inline(always)]
    fn publish(self, cta: &Cta, sums: Sums, partials: &mut ReduceMemory<u32>) -> Summed {
        let Read { place, words, own } = self;
        let (before, of_tile) = partials.exclusive_sum(cta, own);
        if let Some((tile, _)) = place
            && cta.thread_rank() == 0
            && let Some(sum) = sums.get(tile)
        {
            sum.store(PUBLISHED | u64::from(of_tile), sem::Relaxed);
        }
        Summed { place, words, before, of_tile }
    }
}

/// A tile whose sum is published.
struct Summed {
    place: Place,
    words: [[u32; 4]; VECTORS],
    /// The sum of the words of the threads before this one.
    before: u32,
    of_tile: u32,
}

impl Summed {
    /// The tile's index; 0 if there is none.
    #[inline(always)]
    fn tile(&self) -> usize {
        self.place.as_ref().map_or(0, |(tile, _)| *tile)
    }
}

/// The stage of the tile before.
enum Last<'s> {
    Free(Stage<'s, Free>),
    Stored(BulkGroup<(Stage<'s, Fenced>, GlobalTileMut<u32, TILE>), Committed>),
}

impl<'s> Last<'s> {
    /// Waits until the stage is stored.
    #[inline(always)]
    fn wait_read(self, cta: &Cta) -> AfterSync<Stage<'s, Free>> {
        match self {
            Last::Free(stage) => AfterSync::ready(stage),
            Last::Stored(group) => group.wait_read(cta),
        }
    }
}

/// The tiles from `at` on, a thread each: their sums and the first of them, which is loaded ahead.
struct LookBack {
    sums: Sums,
    at: usize,
    end: usize,
    first: u64,
}

impl LookBack {
    #[inline(always)]
    fn new(cta: &Cta, sums: Sums, from: usize, end: usize) -> Self {
        let mut tiles = LookBack { sums, at: from + cta.thread_rank() as usize, end, first: 0 };
        tiles.load();
        tiles
    }

    #[inline(always)]
    fn load(&mut self) {
        let sum = self.sums.get(self.at).filter(|_| self.at < self.end);
        self.first = sum.map_or(PUBLISHED, |sum| sum.load(sem::Relaxed));
    }

    /// Returns the sum of the thread's tiles.
    #[inline(always)]
    fn sum(mut self) -> u32 {
        let mut sum = 0_u32;
        while self.at < self.end {
            if self.first >= PUBLISHED {
                sum = sum.wrapping_add(self.first as u32);
                self.at += THREADS;
            }
            self.load();
        }
        sum
    }
}

ptx::shared_memory! {
    struct Smem { partials: ReduceMemory<u32>, tickets: ReduceMemory<u64> }
}

/// `output[i]` ← the sum of `input[0]` to `input[i - 1]`, wrapping. `sums` has an element for each whole tile of 10240 words; they and
/// `tickets` are 0 before the launch.
///
/// Launch: a 1-D grid of any size, best a CTA per multiprocessor; 512 threads per CTA; dynamic shared memory for the stages.
#[ptx::kernel(threads = THREADS as u32)]
pub fn look_back_scan(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] stages: (Buffer, Buffer, Buffer, Buffer, Buffer),
    #[len(n)] input: Global<u32>,
    sums: GlobalAtomics<u64, scope::Gpu>,
    tickets: GlobalTickets,
    #[len(n)] output: GlobalMut<u32, TILE>,
    n: usize,
) {
    let (mut partials, mut drawn) = (smem.partials, smem.tickets);
    let (thread, whole) = (cta.thread_rank() as usize, n / TILE);
    // By tickets, the CTAs of all tiles below run or have ended: a CTA that looks back waits for none that has yet to start.
    let (mut tiles, tail) = output.tiles_by_ticket(&cta, tickets);
    // The sum of all tiles below tile `from`.
    let (mut from, mut below) = (0, 0_u32);
    cta.finish(stages, |cta, (a, b, c, d, e)| {
        let ended = if whole > 0 {
            let mut take = |stage| Next::take(cta, stage, input, &mut tiles, &mut drawn);
            let (first, second, mut third, mut fourth) = (take(a), take(b), take(c), take(d));
            let (first, a) = Read::wait(cta, first);
            let mut first = first.publish(cta, sums, &mut partials);
            let (second, b) = Read::wait(cta, second);
            let mut second = second.publish(cta, sums, &mut partials);
            let (mut to_first, mut to_second) = (a, b).sync(cta);
            let mut last = Last::Free(e);
            let mut look_back = LookBack::new(cta, sums, from, first.tile());
            while let Some((tile, to)) = first.place {
                tiles.draw(cta);
                let others = look_back.sum();
                let (read, to_third) = Read::wait(cta, third);
                // Two reductions, and no scan of pairs: after a part of a warp's lanes has looked back, each shuffle of a scan would
                // wait for all of them. `redux` does so once.
                below = below.wrapping_add(partials.reduce_add(cta, others));
                let third_summed = read.publish(cta, sums, &mut partials);
                let (mut words, mut at) = (first.words, below.wrapping_add(first.before));
                unroll::<VECTORS>(|v| {
                    unroll::<4>(|i| at = at.wrapping_add(replace(&mut words[v][i], at)));
                });
                below = below.wrapping_add(first.of_tile);
                from = tile + 1;
                let written = to_first.write_chunks::<VECTORS>(cta, |_| words).to_async();
                let (full, free, to_third) = (written, last.wait_read(cta), to_third).sync(cta);
                last = Last::Stored(bulk::store(cta, full, to).commit(cta));
                // After the fence, which would wait for the load.
                look_back = LookBack::new(cta, sums, from, second.tile());
                (first, second, third) = (second, third_summed, fourth);
                (to_first, to_second) = (to_second, to_third);
                fourth = Next::take(cta, free, input, &mut tiles, &mut drawn);
            }
            let (third, fourth) = (third.load.wait(cta), fourth.load.wait(cta));
            (to_first.end(), to_second.end(), third.end(), fourth.end(), last.wait_read(cta).end())
        } else {
            (a.end(), b.end(), c.end(), d.end(), e.end())
        };
        // One CTA has the words after the last whole tile.
        if let Some(tile) = tail.tile(cta) {
            let others = LookBack::new(cta, sums, from, whole).sum();
            below = below.wrapping_add(partials.reduce_add(cta, others));
            let rounds = tile.len().div_ceil(THREADS);
            let mut places = tile.elements(cta);
            let load = |round: usize| input.get(whole * TILE + round * THREADS + thread).unwrap_or(0);
            let mut next = load(0);
            for round in 0..rounds {
                let word = replace(&mut next, load(round + 1));
                let (before, sum) = partials.exclusive_sum(cta, word);
                if let Some((_, place)) = places.next() {
                    place.write(below.wrapping_add(before));
                }
                below = below.wrapping_add(sum);
            }
        }
        ended
    });
}
