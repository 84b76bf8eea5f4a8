//! Sums by pipelines with warp specialization: one thread of each CTA loads tiles (TMA), the warps after the first compute. In a
//! cluster, each CTA loads a part of a tile and multicasts it to the CTAs that share the tile.

use ptx::barrier::NamedBarrier;
use ptx::bulk::{self, BulkGroup, Committed};
use ptx::cluster::{Cluster, Peers};
use ptx::global::{Global, GlobalElementsMut, GlobalMut, GlobalTile, GlobalTileMut, Tiles};
use ptx::group::{AfterSync, Cta, Thread, Together, Warps};
use ptx::pipeline::{Consumer, FinishedRun, Pipeline, PipelineMemory, Producer, Sharing, StageSource};
use ptx::shared::{ElementStores, Fenced, Free, FreeGeneric, Overwritable, Published, Shared, SharedArray};
use ptx::trap;

const N: usize = 512;

ptx::shared_memory! {
    struct Sum { memory: PipelineMemory<[u32; N], 12> }
}
ptx::shared_memory! {
    struct Smem { memory: PipelineMemory<[u32; N], 4> }
}
ptx::shared_memory! {
    struct Products { memory: PipelineMemory<([u32; N], [u32; N]), 3> }
}

/// Loads tile `first` and every `step`-th tile after it.
#[inline(always)]
fn load<'p, const STAGES: usize, G: Sharing>(
    thread: &Thread<'p>,
    mut producer: Producer<'p, [u32; N], STAGES, G>,
    tiles: Tiles<u32, N>,
    (first, step): (u32, u32),
) -> Producer<'p, [u32; N], STAGES, G>
where
    GlobalTile<u32, N>: StageSource<[u32; N], G>,
{
    let mut index = first;
    while let Some(tile) = tiles.get(index as usize) {
        producer = producer.load(thread, tile);
        index += step;
    }
    producer
}

/// Adds up columns of tiles: CTA b takes the tiles b, b + CTAs, … of 512 words. Its consumer of rank j adds up the words j, j +
/// consumers, … of these tiles, and `output[128 * b + 32 + j]` is the sum.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA.
#[ptx::kernel(unsafe(uniform), threads = 128)]
pub fn pipeline_sum(
    cta: Cta,
    #[shared] smem: Sum,
    #[len(n)] input: Global<u32>,
    output: GlobalElementsMut<u32, u32>,
    n: u32,
) {
    let outputs = output.elements(&cta);
    let (tiles, _) = input.tiles::<N>();
    let mut sum = 0_u32;
    let (first, step) = (cta.grid_rank(), cta.grid_size());

    cta.finish(smem.memory, |cta, pipeline| {
        let run = pipeline.run(
            cta,
            |thread, producer| load(thread, producer, tiles, (first, step)),
            |warps, mut consumer| {
                let mut index = first;
                while index < tiles.count() as u32 {
                    let tile = consumer.wait(warps);
                    let mut i = warps.thread_rank();
                    while i < N as u32 {
                        sum = sum.wrapping_add(tile.get(i as usize).unwrap_or(0));
                        i += warps.thread_count();
                    }
                    consumer = tile.release(warps);
                    index += step;
                }
                consumer
            },
        );
        run.end()
    });
    outputs.for_each(|(_, output)| output.write(sum));
}

ptx::shared_memory! {
    struct Scan {
        stages: PipelineMemory<[u32; N], 8>,
        out: SharedArray<u32, N>,
        totals: SharedArray<u32, 4>,
        consumers: NamedBarrier<1, 128>,
    }
}

/// The four warps that add up, and the handles that they hold.
type Adders<'p> = Warps<'p, NamedBarrier<1, 128>>;
type Out<'s, 'p, S> = Shared<'s, u32, N, S, Adders<'p>>;
type Totals<'s, 'p, S> = Shared<'s, u32, 4, S, Adders<'p>>;
type Storing<'s, 'p> = BulkGroup<(Out<'s, 'p, Fenced>, GlobalTileMut<u32, N>), Committed, Adders<'p>>;

/// A thread's four words of a tile, each word plus all words before it in the warp.
struct Sums([u32; 4]);

impl Sums {
    /// Waits for the next tile, returns its sums, and releases the tile.
    #[inline(always)]
    fn next<'p>(
        warps: &Adders<'p>,
        consumer: Consumer<'p, [u32; N], 8>,
    ) -> (Consumer<'p, [u32; N], 8>, Sums) {
        let tile = consumer.wait(warps);
        let [a, b, c, d] = tile.get_vector(warps.thread_rank() as usize).unwrap_or_default();
        let consumer = tile.release(warps);
        let (ab, abc) = (a.wrapping_add(b), a.wrapping_add(b).wrapping_add(c));
        let all = abc.wrapping_add(d);
        let before = warps.warp().inclusive_sum(all).wrapping_sub(all);
        (consumer, Sums([a, ab, abc, all].map(|sum| before.wrapping_add(sum))))
    }

    /// Stores the total of each warp, by the warp's last lane.
    #[inline(always)]
    fn tell<'s, 'p>(
        &self,
        warps: &Adders<'p>,
        totals: Totals<'s, 'p, impl Overwritable>,
    ) -> Totals<'s, 'p, ElementStores> {
        let totals = totals.element_stores();
        let rank = warps.thread_rank();
        if rank % 32 == 31 {
            totals.set(rank as usize / 32, self.0[3]);
        }
        totals
    }

    /// Adds the totals of the warps before this one, and starts to store the tile.
    #[inline(always)]
    fn store<'s, 'p>(
        self,
        warps: &Adders<'p>,
        out: Out<'s, 'p, Free>,
        totals: Totals<'s, 'p, Published>,
        to: GlobalTileMut<u32, N>,
    ) -> (Storing<'s, 'p>, Totals<'s, 'p, FreeGeneric>) {
        let rank = warps.thread_rank();
        let [first, second, third, _] = totals.get_vector(0).unwrap_or_default();
        let of_warp = |warp: u32, total: u32| if warp < rank / 32 { total } else { 0 };
        let before = of_warp(0, first).wrapping_add(of_warp(1, second)).wrapping_add(of_warp(2, third));
        let out = out.vector_stores();
        out.set_vector(rank as usize, self.0.map(|sum| sum.wrapping_add(before)));
        let (totals, out) = (totals.release(), out.to_async()).sync(warps);
        (bulk::store(warps, out, to).commit(warps), totals)
    }
}

/// Computes inclusive sums within each tile of 512 words: `output[i]` ← the sum of the words of its tile up to `input[i]`.
///
/// Launch: a 1-D grid of any size, 160 threads per CTA. `n` is a multiple of 512.
///
/// Technique: one thread loads; four warps scan, and store from an array of shared memory that they hold together. The four
/// warps synchronize at a named barrier of their own.
#[ptx::kernel(unsafe(uniform), threads = 160)]
pub fn pipeline_scan(cta: Cta, #[shared] smem: Scan, input: Global<u32>, output: GlobalMut<u32, N>) {
    let ((from, _), (mut to, _)) = (input.tiles::<N>(), output.tiles(&cta));
    let (first, step) = (cta.grid_rank(), cta.grid_size());
    let Scan { stages, out, totals, consumers } = smem;

    cta.finish((stages, (out, totals)), |cta, (pipeline, held)| {
        let run = pipeline.run_with(
            cta,
            consumers,
            held,
            |thread, producer| load(thread, producer, from, (first, step)),
            |warps, mut consumer, (out, totals)| {
                let (mut stored, mut totals) = (AfterSync::ready(out), totals.into_free_generic());
                while let Some((_, tile)) = to.next_tile() {
                    let sums;
                    (consumer, sums) = Sums::next(warps, consumer);
                    let told = sums.tell(warps, totals).publish();
                    // After this one barrier, the totals are published, and the store has read the previous tile.
                    let (told, out) = (told, stored).sync(warps);
                    let storing;
                    (storing, totals) = sums.store(warps, out, told, tile);
                    stored = storing.wait_read(warps);
                }
                (consumer, (stored.end(), totals.end()))
            },
        );
        run.end()
    });
}

/// The tiles of a CTA and its peers: tile `first` and every `step`-th tile after it. Each word counts `factor` times.
struct Share {
    tiles: Tiles<u32, N>,
    first: u32,
    step: u32,
    factor: u32,
}

type Stages<'c> = Pipeline<'c, [u32; N], 4>;
type Adds<'p, 'c, const CTAS: u32> = Consumer<'p, [u32; N], 4, Peers<'c, CTAS>>;

impl Share {
    /// Adds up, in each peer, the tiles that the peers load.
    #[inline(always)]
    fn add<'c, const CTAS: u32>(
        self,
        cluster: &mut Cluster<'c>,
        pipeline: Stages<'c>,
        peers: Peers<'c, CTAS>,
        sum: &mut u32,
    ) -> FinishedRun<'c, [u32; N], 4, Peers<'c, CTAS>> {
        pipeline.multicast(peers).run(
            cluster,
            |thread, loads| load(thread, loads, self.tiles, (self.first, self.step)),
            |warps, adds| self.sum(warps, adds, sum),
        )
    }

    #[inline(always)]
    fn sum<'p, 'c, const CTAS: u32>(
        &self,
        warps: &Warps<'p>,
        mut adds: Adds<'p, 'c, CTAS>,
        sum: &mut u32,
    ) -> Adds<'p, 'c, CTAS> {
        let mut index = self.first;
        while index < self.tiles.count() as u32 {
            let tile = adds.wait(warps);
            let mut i = warps.thread_rank();
            while i < N as u32 {
                *sum = sum.wrapping_add(tile.get(i as usize).unwrap_or(0).wrapping_mul(self.factor));
                i += warps.thread_count();
            }
            adds = tile.release(warps);
            index += self.step;
        }
        adds
    }
}

/// Adds up tiles of 512 words, by multicast to the rows, to the columns and to all CTAs of a cluster. Cluster k takes the tiles
/// k, k + 2, …. Its rows have the numbers 2k and 2k + 1, and so have its columns. Row r takes the tiles r, r + 4, …, and so
/// does column r.
///
/// Consumer j adds up the words j, j + consumers, … of the tiles of its row, three times those of its column, and five times
/// those of its cluster. In CTA b, `output[128 * b + 32 + j]` is the sum.
///
/// Launch: a grid of 4 × 2 CTAs of 128 threads, in clusters of 2 × 2.
#[ptx::kernel(unsafe(uniform), threads = 128, cluster = (2, 2), any_grid)]
pub fn pipeline_multicast(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(n)] input: Global<u32>,
    output: GlobalElementsMut<u32, u32>,
    n: u32,
) {
    let rank = cta.grid_rank();
    let outputs = output.elements(&cta);
    let (tiles, _) = input.tiles::<N>();
    let mut sum = 0_u32;

    cta.finish_cluster(smem.memory, |mut cluster, pipeline| {
        let (Some(row), Some(column), Some(whole)) =
            (cluster.row::<2>(), cluster.column::<2>(), cluster.whole::<4>())
        else {
            trap()
        };
        let (x, y, id) = (row.cta_rank(), column.cta_rank(), rank % 4 / 2);
        let of_row = Share { tiles, first: 2 * id + y, step: 4, factor: 1 };
        let of_column = Share { tiles, first: 2 * id + x, step: 4, factor: 3 };
        let of_all = Share { tiles, first: id, step: 2, factor: 5 };
        let pipeline = of_row.add(&mut cluster, pipeline, row, &mut sum).join(&cluster);
        let pipeline = of_column.add(&mut cluster, pipeline, column, &mut sum).join(&cluster);
        let run = of_all.add(&mut cluster, pipeline, whole, &mut sum);
        (cluster, run.end())
    });
    outputs.for_each(|(_, output)| output.write(sum));
}

/// Multiplies rows and columns, with the sharing of tiles of a matrix product. Row r of the grid has the tiles r, r + 8, … of
/// 512 words, column c the tiles 4 + c, 4 + c + 8, …. CTA (c, r) multiplies the i-th tile of its row by the i-th tile of its
/// column, word by word. Consumer j adds up the products of the words j, j + consumers, …, and in CTA b,
/// `output[128 * b + 32 + j]` is the sum.
///
/// Launch: a grid of 4 × 4 CTAs of 128 threads, in clusters of 2 × 2. `n` is a multiple of 4096.
///
/// Technique: a stage of two tiles with two multicasts. The CTAs of a row of a cluster load its tiles together, and so do
/// the CTAs of a column.
#[ptx::kernel(unsafe(uniform), threads = 128, cluster = (2, 2), any_grid)]
pub fn pipeline_products(
    cta: Cta,
    #[shared] smem: Products,
    input: Global<u32>,
    output: GlobalElementsMut<u32, u32>,
) {
    let rank = cta.grid_rank();
    let outputs = output.elements(&cta);
    let (tiles, _) = input.tiles::<N>();
    let (first, rounds) = ((rank / 4, 4 + rank % 4), tiles.count() as u32 / 8);
    let mut sum = 0_u32;

    cta.finish_cluster(smem.memory, |mut cluster, pipeline| {
        let (Some(row), Some(column)) = (cluster.row::<2>(), cluster.column::<2>()) else { trap() };
        let run = pipeline.multicast((row, column)).run(
            &mut cluster,
            |thread, mut producer| {
                let (mut a, mut b) = first;
                while let (Some(of_row), Some(of_column)) = (tiles.get(a as usize), tiles.get(b as usize)) {
                    producer = producer.load(thread, (of_row, of_column));
                    (a, b) = (a + 8, b + 8);
                }
                producer
            },
            |warps, mut consumer| {
                let mut round = 0;
                while round < rounds {
                    let stage = consumer.wait(warps);
                    let (a, b) = stage.tiles();
                    let mut i = warps.thread_rank();
                    while i < N as u32 {
                        let (a, b) = (a.get(i as usize).unwrap_or(0), b.get(i as usize).unwrap_or(0));
                        sum = sum.wrapping_add(a.wrapping_mul(b));
                        i += warps.thread_count();
                    }
                    consumer = stage.release(warps);
                    round += 1;
                }
                consumer
            },
        );
        (cluster, run.end())
    });
    outputs.for_each(|(_, output)| output.write(sum));
}
