//! Sums by pipelines with warp specialization: one thread of each CTA loads tiles (TMA), the warps after the first compute. In a
//! cluster, each CTA loads a part of a tile and multicasts it to the CTAs that share the tile.

use ptx::bulk;
use ptx::cluster::{Cluster, Peers};
use ptx::global::{EveryTile, Global, GlobalElementsMut, GlobalMut};
use ptx::group::{AfterSync, Cta, Together, Warps};
use ptx::pipeline::{
    ConsumersBarrier, FinishedRun, FullStage, Pipeline, PipelineMemory, Sharing, StageTiles,
};
use ptx::shared::SharedArray;
use ptx::trap;

const N: usize = 512;

ptx::shared_memory! {
    struct Smem<S: StageTiles, const STAGES: usize> { memory: PipelineMemory<S, STAGES> }
}

/// Adds up the words of a tile that belong to this thread.
#[inline(always)]
fn add<const STAGES: usize, G: Sharing>(
    warps: &Warps,
    tile: &FullStage<[u32; N], STAGES, G>,
    sum: u32,
    factor: u32,
) -> u32 {
    let (mut sum, mut i) = (sum, warps.thread_rank());
    while i < N as u32 {
        sum = sum.wrapping_add(tile.get(i as usize).unwrap_or(0).wrapping_mul(factor));
        i += warps.thread_count();
    }
    sum
}

/// Adds up columns of tiles: CTA b takes the tiles b, b + CTAs, … of 512 words. Its consumer of rank j adds up the words j, j +
/// consumers, … of these tiles, and `output[128 * b + 32 + j]` is the sum.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA.
#[ptx::kernel(threads = 128)]
pub fn pipeline_sum(
    cta: Cta,
    #[shared] smem: Smem<[u32; N], 12>,
    #[len(n)] input: Global<u32>,
    output: GlobalElementsMut<u32, u32>,
    n: u32,
) {
    let outputs = output.elements(&cta);
    let (tiles, _) = input.tiles::<N>();
    let mut sum = 0_u32;
    cta.finish(smem.memory, |cta, pipeline| {
        let mine = tiles.of_cta(cta);
        pipeline.run_tiles(cta, mine, |warps, tile| sum = add(warps, tile, sum, 1)).end()
    });
    outputs.for_each(|(_, output)| output.write(sum));
}

ptx::shared_memory! {
    struct Scan {
        stages: PipelineMemory<[u32; N], 8>,
        out: SharedArray<u32, N>,
        totals: SharedArray<u32, 4>,
        consumers: ConsumersBarrier<1>,
    }
}

/// Computes inclusive sums within each tile of 512 words: `output[i]` ← the sum of the words of its tile up to `input[i]`.
///
/// Launch: a 1-D grid of any size, 160 threads per CTA. `n` is a multiple of 512.
///
/// Technique: one thread loads; four warps scan, and store from an array of shared memory that they hold together. The four
/// warps synchronize at a named barrier of their own.
#[ptx::kernel(threads = 160)]
pub fn pipeline_scan(cta: Cta, #[shared] smem: Scan, input: Global<u32>, output: GlobalMut<u32, N>) {
    let ((from, _), (mut to, _)) = (input.tiles::<N>(), output.tiles(&cta));
    let from = from.of_cta(&cta);
    let Scan { stages, out, totals, consumers } = smem;

    cta.finish((stages, (out, totals)), |cta, (pipeline, held)| {
        let run = pipeline.run_tiles_with(cta, consumers, held, from, |warps, rounds, (out, totals)| {
            let rank = warps.thread_rank();
            let held = (AfterSync::ready(out), totals.into_free_generic());
            let (consumer, (stored, totals)) = rounds.run(warps, held, |tile, (stored, totals)| {
                let Some((_, destination)) = to.next_tile() else { trap() };
                // Each of the thread's four words plus the thread's words before it, and all words before these in the warp.
                let [a, b, c, d] = tile.get_vector(rank as usize).unwrap_or_default();
                let consumer = tile.release(warps);
                let (ab, abc) = (a.wrapping_add(b), a.wrapping_add(b).wrapping_add(c));
                let all = abc.wrapping_add(d);
                let before = warps.warp().inclusive_sum(all).wrapping_sub(all);
                let sums = [a, ab, abc, all].map(|sum| before.wrapping_add(sum));

                let of_warps = totals.element_stores();
                if rank % 32 == 31 {
                    of_warps.set(rank as usize / 32, sums[3]);
                }
                // After this one barrier, the totals are published, and the store has read the previous tile.
                let (of_warps, out) = (of_warps.publish(), stored).sync(warps);
                let [first, second, third, _] = of_warps.get_vector(0).unwrap_or_default();
                let of_warp = |warp: u32, total: u32| if warp < rank / 32 { total } else { 0 };
                let before =
                    of_warp(0, first).wrapping_add(of_warp(1, second)).wrapping_add(of_warp(2, third));
                let out = out.vector_stores();
                out.set_vector(rank as usize, sums.map(|sum| sum.wrapping_add(before)));
                let (totals, full) = (of_warps.release(), out.to_async()).sync(warps);
                let stored = bulk::store(warps, full, destination).commit(warps).wait_read(warps);
                (consumer, (stored, totals))
            });
            (consumer, (stored.end(), totals.end()))
        });
        run.end()
    });
}

/// The tiles of a CTA and its peers. Each word counts `factor` times.
struct Share {
    tiles: EveryTile<u32, N>,
    factor: u32,
}

impl Share {
    /// Adds up, in each peer, the tiles that the peers load.
    #[inline(always)]
    fn add<'c, const CTAS: u32>(
        self,
        cluster: &mut Cluster<'c>,
        pipeline: Pipeline<'c, [u32; N], 4>,
        peers: Peers<'c, CTAS>,
        sum: &mut u32,
    ) -> FinishedRun<'c, [u32; N], 4, Peers<'c, CTAS>> {
        let Share { tiles, factor } = self;
        pipeline
            .multicast(peers)
            .run_tiles(cluster, tiles, |warps, tile| *sum = add(warps, tile, *sum, factor))
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
#[ptx::kernel(threads = 128, cluster = (2, 2), any_grid)]
pub fn pipeline_multicast(
    cta: Cta,
    #[shared] smem: Smem<[u32; N], 4>,
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
        let of_row = Share { tiles: tiles.every(2 * id + y, 4), factor: 1 };
        let of_column = Share { tiles: tiles.every(2 * id + x, 4), factor: 3 };
        let of_all = Share { tiles: tiles.every(id, 2), factor: 5 };
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
#[ptx::kernel(threads = 128, cluster = (2, 2), any_grid)]
pub fn pipeline_products(
    cta: Cta,
    #[shared] smem: Smem<([u32; N], [u32; N]), 3>,
    input: Global<u32>,
    output: GlobalElementsMut<u32, u32>,
) {
    let rank = cta.grid_rank();
    let outputs = output.elements(&cta);
    let (tiles, _) = input.tiles::<N>();
    let (of_row, of_column) = (tiles.every(rank / 4, 8), tiles.every(4 + rank % 4, 8));
    let mut sum = 0_u32;

    cta.finish_cluster(smem.memory, |mut cluster, pipeline| {
        let (Some(row), Some(column)) = (cluster.row::<2>(), cluster.column::<2>()) else { trap() };
        let pairs = of_row.zip(of_column);
        let run = pipeline.multicast((row, column)).run_tiles(&mut cluster, pairs, |warps, stage| {
            let (a, b) = stage.tiles();
            let mut i = warps.thread_rank();
            while i < N as u32 {
                let (a, b) = (a.get(i as usize).unwrap_or(0), b.get(i as usize).unwrap_or(0));
                sum = sum.wrapping_add(a.wrapping_mul(b));
                i += warps.thread_count();
            }
        });
        (cluster, run.end())
    });
    outputs.for_each(|(_, output)| output.write(sum));
}
