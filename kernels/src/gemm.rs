//! Matrix product on tensor cores (`wgmma`): bulk tensor copies fill stages, from which warpgroups multiply.

use half::{bf16, f16};
use ptx::global::Global;
use ptx::group::{Cta, Warpgroup};
use ptx::math::{convert, tanh};
use ptx::multimem::Fp8;
use ptx::pipeline::{
    Consumer, MaxRegisters, PipelineMemory, Pipelines as _, Sharing, StageOperands, StageSource,
    WarpgroupBarriers,
};
use ptx::qualifier::n::{N16, N32, N64, N128, N160, N192, N224, N256};
use ptx::qualifier::{Columns, swizzle_mode, ty};
use ptx::registers::{fold, unroll};
use ptx::shared::SharedArray;
use ptx::tensor::{
    self, Box2, Box3, MatrixBox, StoreRing, StoreShape, TensorBlocksMut, TensorMap, TensorMapMut,
    TensorRowMut,
};
use ptx::trap;
use ptx::wgmma::{Accumulator, Flight, Group, Half, Multiplicand, Packed, Tile, Wgmma, Zeros};

/// Eight-bit floats.
pub type E4m3 = Fp8<ty::E4m3>;
/// A box of `c`: what a warpgroup stores at a time.
type Part = Box2<64, 64, swizzle_mode::B128>;
/// `R` rows of `K` elements, which have 128 bytes, as a row of the swizzle.
type Rows<const K: usize, const R: usize> = Box2<K, R, swizzle_mode::B128>;
/// `R` rows of the matrix of an expert.
type RowsOfExpert<const R: usize> = Box3<64, R, 1, swizzle_mode::B128>;
/// A stage: rows of both factors, in boxes `A` and `B`.
type Stage<T, A, B> = (Tile<T, A>, Tile<T, B>);

ptx::shared_memory! {
    struct Smem<const WARPGROUPS: u32> { barriers: WarpgroupBarriers<WARPGROUPS> }
}

/// The products of a step.
#[inline(always)]
fn multiply<
    'a,
    T: Multiplicand,
    N: Columns,
    G: Sharing,
    A: MatrixBox,
    B: MatrixBox,
    const STAGES: usize,
    const WARPGROUPS: u32,
>(
    warpgroup: &Warpgroup<'_, WARPGROUPS>,
    sums: Flight<'a, N>,
    stage: &'a StageOperands<'_, Stage<T, A, B>, STAGES, G>,
) -> Flight<'a, N> {
    let (a, b) = stage.tiles();
    sums.mma(a.of(warpgroup), b)
}

/// The buffers through which a warpgroup stores.
const BUFFERS: usize = 2;
type Buffers<T> = SharedArray<T, { BUFFERS * Part::LEN }>;
/// The dynamic shared memory of [`products`]: the stages `S`, and the buffers of each warpgroup.
type Memory<O, S, const W: usize, const STAGES: usize> = (PipelineMemory<S, STAGES>, [Buffers<O>; W]);
/// A ring of `ALL` elements, `LEN` in each buffer.
type Ring<'s, 'p, T, const ALL: usize, const LEN: usize, const WARPGROUPS: u32> =
    StoreRing<'s, T, ALL, LEN, BUFFERS, Warpgroup<'p, WARPGROUPS>>;

/// The columns of a block of [`gemm_stack`], as boxes of `c` side by side.
pub trait Parts: Columns {
    /// A box.
    type Part;
}
impl Parts for N128 {
    type Part = Part;
}
impl Parts for N192 {
    type Part = Part;
}
impl Parts for N160 {
    type Part = Box2<32, 64, swizzle_mode::B64>;
}
impl Parts for N224 {
    type Part = Box2<32, 64, swizzle_mode::B64>;
}

/// Stores part `i` of a warpgroup's rows.
#[inline(always)]
fn store<
    'p,
    T: Half,
    N: Columns,
    S: MatrixBox + StoreShape<TensorCoords = [i32; 2]>,
    const ALL: usize,
    const LEN: usize,
    const WARPGROUPS: u32,
>(
    warpgroup: &Warpgroup<'p, WARPGROUPS>,
    out: &mut Ring<'_, 'p, T, ALL, LEN, WARPGROUPS>,
    values: &Packed<T, N>,
    boxes: &mut TensorRowMut<T, S, Warpgroup<'p, WARPGROUPS>>,
    i: usize,
) {
    if let Some(to) = boxes.next_box() {
        out.store(warpgroup, to, |buffer| values.store::<S, _, _>(warpgroup, [0, i], buffer));
    }
}

/// What a warpgroup has in a loop over k: the stages to come, and the products of a step in flight.
type Step<'p, N, S, const STAGES: usize, G> =
    (Consumer<'p, S, STAGES, G>, Wgmma<'p, (Group<Accumulator<N>, StageOperands<'p, S, STAGES, G>>,)>);

/// Adds the products of the next stage, and releases the stage of the step before.
#[inline(always)]
fn add_step<
    'p,
    T: Multiplicand,
    N: Columns,
    G: Sharing,
    A: MatrixBox,
    B: MatrixBox,
    const STAGES: usize,
    const WARPGROUPS: u32,
>(
    warpgroup: &Warpgroup<'p, WARPGROUPS>,
    (consumer, sums): Step<'p, N, Stage<T, A, B>, STAGES, G>,
) -> Step<'p, N, Stage<T, A, B>, STAGES, G> {
    let (stage, consumer) = consumer.operands(warpgroup);
    let both = sums.add(warpgroup, stage, |sums, stage| multiply(warpgroup, sums, stage));
    let (sums, read) = both.wait_oldest(warpgroup);
    read.release(warpgroup);
    (consumer, sums)
}

/// Computes and stores the blocks of a CTA, of `PARTS` = `COLUMNS` parts, in a warpgroup. `epilogue` gets the warpgroup's sums of each block,
/// with the row and the column of `c` where they begin, and returns what is rounded.
#[inline(always)]
fn blocks_of_sums<
    'p,
    T: Multiplicand,
    O: Half,
    N: Columns,
    G: Sharing,
    A: MatrixBox,
    B: MatrixBox,
    S: MatrixBox + StoreShape<TensorCoords = [i32; 2]>,
    const ALL: usize,
    const LEN: usize,
    const STAGES: usize,
    const WARPGROUPS: u32,
    const PARTS: usize,
    const COLUMNS: u32,
>(
    warpgroup: &Warpgroup<'p, WARPGROUPS>,
    mut consumer: Consumer<'p, Stage<T, A, B>, STAGES, G>,
    mut wgmma: Wgmma<'p>,
    out: &mut Ring<'_, 'p, O, ALL, LEN, WARPGROUPS>,
    mut blocks: TensorBlocksMut<O, S, COLUMNS, WARPGROUPS>,
    steps: i32,
    epilogue: impl Fn(&Warpgroup<'p, WARPGROUPS>, [u32; 2], Accumulator<N>) -> Accumulator<N>,
) -> (Consumer<'p, Stage<T, A, B>, STAGES, G>, Wgmma<'p>) {
    // What the block before leaves: its values, and where they go.
    let (mut last, mut boxes) = (Packed::<O, N>::zeros(), TensorRowMut::empty());
    while let Some(([x, y], block)) = blocks.next_block() {
        let (stage, next) = consumer.operands(warpgroup);
        let first =
            wgmma.start(warpgroup, Zeros::<N>::new(), stage, |sums, stage| multiply(warpgroup, sums, stage));
        // The first steps, each with a part of the block before.
        let mut step = fold::<PARTS, _>((next, first), |step, i| {
            store(warpgroup, out, &last, &mut boxes, i);
            if i as i32 + 1 < steps { add_step(warpgroup, step) } else { step }
        });
        for _ in PARTS as i32 + 1..steps {
            step = add_step(warpgroup, step);
        }
        let (next, sums) = step;
        consumer = next;
        let (idle, (product, stage)) = sums.wait(warpgroup);
        stage.release(warpgroup);
        wgmma = idle;
        let [x, y] = [x, y].map(i32::cast_unsigned);
        let place = [64 * (WARPGROUPS * y + warpgroup.index()), S::INNER as u32 * COLUMNS * x];
        (last, boxes) = (epilogue(warpgroup, place, product).pack::<O>(), block.of(warpgroup));
    }
    unroll::<PARTS>(|i| store(warpgroup, out, &last, &mut boxes, i));
    (consumer, wgmma)
}

/// `c` ← `scale_a` · `scale_b` · `a` · `b`ᵀ: `a` is m × k, `b` is n × k, `c` is m × n, all row-major. A scale is one number, or empty for 1.
///
/// Launch: a 1-D grid of any size, best a CTA per multiprocessor; dynamic shared memory for the stages.
///
/// Technique: a thread loads tiles of `a` and `b` ahead, and each warpgroup multiplies 64 rows of a block of `c`. A block's sums leave
/// as halves while the products of the next block run. CTAs that work at the same time have blocks of `group` rows of blocks.
#[ptx::kernel(
    threads = 128 * (W as u32 + 1),
    instances(
        <bf16, bf16, N256, 2, 4>,
        <bf16, bf16, N192, 2, 4>,
        <bf16, bf16, N128, 2, 6>,
        <bf16, bf16, N128, 1, 8>,
        <f16, f16, N256, 2, 4>,
        <E4m3, bf16, N256, 2, 4>
    )
)]
pub fn gemm<T: Multiplicand, O: Half, N: Columns, const W: usize, const STAGES: usize>(
    cta: Cta,
    #[shared] smem: Smem<{ W as u32 }>,
    #[dynamic] memory: (
        PipelineMemory<
            Stage<
                T,
                Rows<{ 128 / size_of::<T>() }, { 64 * W }>,
                Rows<{ 128 / size_of::<T>() }, { N::COUNT }>,
            >,
            STAGES,
        >,
        [Buffers<O>; W],
    ),
    a: TensorMap<T, Rows<{ 128 / size_of::<T>() }, { 64 * W }>>,
    b: TensorMap<T, Rows<{ 128 / size_of::<T>() }, { N::COUNT }>>,
    c: TensorMapMut<O, Part>,
    scale_a: Global<f32>,
    scale_b: Global<f32>,
    k: u32,
    group: u32,
) {
    const DEPTH: u32 = 128 / size_of::<T>() as u32;
    const PARTS: usize = N::COUNT / 64;
    tensor::prefetch_tensormap(&cta, &a);
    tensor::prefetch_tensormap(&cta, &b);
    tensor::prefetch_tensormap(&cta, &c);
    let scale = scale_a.get(0).unwrap_or(1.0) * scale_b.get(0).unwrap_or(1.0);
    let steps = k.div_ceil(DEPTH).max(1) as i32;
    products::<T, O, N, _, _, _, _, W, STAGES, _, PARTS, { PARTS as u32 }>(
        cta,
        smem.barriers,
        memory,
        c,
        (steps, group),
        |[x, y]| move |step| (a.box_at([step, y]), b.box_at([step, x])),
        |_, _, sums| sums.map(|sum| sum * scale),
    );
}

/// Computes the blocks of `c` that a CTA owns, of `PARTS` = `COLUMNS` parts. Each is a sum of `steps` products, at least one: `load` gives for the position of a
/// block, and then for a step, the boxes of both factors. `epilogue` gets a warpgroup's sums of a block, with the row and the column of `c` where
/// they begin, and returns what is rounded and stored.
#[inline(always)]
pub fn products<
    T: Multiplicand,
    O: Half,
    N: Columns,
    A: MatrixBox,
    B: MatrixBox,
    Boxes: StageSource<Stage<T, A, B>, ()>,
    Steps: Fn(i32) -> Boxes,
    const W: usize,
    const STAGES: usize,
    const WARPGROUPS: u32,
    const PARTS: usize,
    const COLUMNS: u32,
>(
    cta: Cta,
    barriers: WarpgroupBarriers<WARPGROUPS>,
    memory: Memory<O, Stage<T, A, B>, W, STAGES>,
    c: TensorMapMut<O, Part>,
    (steps, group): (i32, u32),
    load: impl Fn([i32; 2]) -> Steps,
    epilogue: impl for<'p> Fn(&Warpgroup<'p, WARPGROUPS>, [u32; 2], Accumulator<N>) -> Accumulator<N>,
) {
    let blocks = c.blocks::<COLUMNS, WARPGROUPS>(&cta, group);
    let positions = blocks.positions();
    cta.finish(memory, |cta, (pipeline, out)| {
        let run = pipeline.run_warpgroups(
            cta,
            barriers,
            MaxRegisters::<40, 232>,
            out,
            |thread, mut producer| {
                for position in positions {
                    let boxes = load(position);
                    for step in 0..steps {
                        producer = producer.load(thread, boxes(step));
                    }
                }
                producer
            },
            |warpgroup, consumer, wgmma, out| {
                let mut out = out.into_store_ring::<{ Part::LEN }, BUFFERS>();
                let (consumer, wgmma) = blocks_of_sums::<T, O, N, _, _, _, _, _, _, _, _, PARTS, _>(
                    warpgroup, consumer, wgmma, &mut out, blocks, steps, epilogue,
                );
                (consumer, wgmma, out.end(warpgroup))
            },
        );
        run.end()
    });
}

/// Returns a pair as numbers: zeros if there is none.
#[inline(always)]
fn numbers(pair: Option<[bf16; 2]>) -> [f32; 2] {
    convert(pair.unwrap_or([bf16::ZERO; 2]))
}

/// The activation function GELU, by the hyperbolic tangent.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + tanh(0.797_884_6 * (x + 0.044_715 * x * x * x)))
}

/// `c` ← gelu(`a` · `b`ᵀ + `bias`), of matrices as [`gemm`] takes them. `bias` has a number for each column of `c`, in pairs.
///
/// Launch: as [`gemm`].
///
/// Technique: that of [`gemm`]. A thread has sums of two rows and two neighboring columns, which share a pair of numbers.
#[ptx::kernel(threads = 128 * (W as u32 + 1), instances(<N256, 2, 4>))]
pub fn gemm_bias_gelu<N: Columns, const W: usize, const STAGES: usize>(
    cta: Cta,
    #[shared] smem: Smem<{ W as u32 }>,
    #[dynamic] memory: (
        PipelineMemory<Stage<bf16, Rows<64, { 64 * W }>, Rows<64, { N::COUNT }>>, STAGES>,
        [Buffers<bf16>; W],
    ),
    a: TensorMap<bf16, Rows<64, { 64 * W }>>,
    b: TensorMap<bf16, Rows<64, { N::COUNT }>>,
    c: TensorMapMut<bf16, Part>,
    bias: Global<[bf16; 2]>,
    k: u32,
    group: u32,
) {
    const PARTS: usize = N::COUNT / 64;
    tensor::prefetch_tensormap(&cta, &a);
    tensor::prefetch_tensormap(&cta, &b);
    tensor::prefetch_tensormap(&cta, &c);
    products::<bf16, bf16, N, _, _, _, _, W, STAGES, _, PARTS, { PARTS as u32 }>(
        cta,
        smem.barriers,
        memory,
        c,
        (k.div_ceil(64).max(1) as i32, group),
        |[x, y]| move |step| (a.box_at([step, y]), b.box_at([step, x])),
        |warpgroup, [_, left], sums| {
            sums.map_each_four(warpgroup, |[_, column], [x0, x1, y0, y1]| {
                let [b0, b1] = numbers(bias.get((left + column) as usize / 2));
                [x0 + b0, x1 + b1, y0 + b0, y1 + b1].map(gelu)
            })
        },
    );
}

/// `c` ← `a` · `b`ᵀ + `residual`, of matrices as [`gemm`] takes them. `residual` has the rows of `c`, each of `pairs` pairs of numbers.
///
/// Launch: as [`gemm`].
///
/// Technique: that of [`gemm`]. Each thread loads the numbers that belong to its sums.
#[ptx::kernel(threads = 128 * (W as u32 + 1), instances(<N256, 2, 4>))]
pub fn gemm_residual<N: Columns, const W: usize, const STAGES: usize>(
    cta: Cta,
    #[shared] smem: Smem<{ W as u32 }>,
    #[dynamic] memory: (
        PipelineMemory<Stage<bf16, Rows<64, { 64 * W }>, Rows<64, { N::COUNT }>>, STAGES>,
        [Buffers<bf16>; W],
    ),
    a: TensorMap<bf16, Rows<64, { 64 * W }>>,
    b: TensorMap<bf16, Rows<64, { N::COUNT }>>,
    c: TensorMapMut<bf16, Part>,
    residual: Global<[bf16; 2]>,
    pairs: u32,
    k: u32,
    group: u32,
) {
    const PARTS: usize = N::COUNT / 64;
    tensor::prefetch_tensormap(&cta, &a);
    tensor::prefetch_tensormap(&cta, &b);
    tensor::prefetch_tensormap(&cta, &c);
    products::<bf16, bf16, N, _, _, _, _, W, STAGES, _, PARTS, { PARTS as u32 }>(
        cta,
        smem.barriers,
        memory,
        c,
        (k.div_ceil(64).max(1) as i32, group),
        |[x, y]| move |step| (a.box_at([step, y]), b.box_at([step, x])),
        |warpgroup, [top, left], sums| {
            sums.map_each_four(warpgroup, |[row, column], [x0, x1, y0, y1]| {
                let first = (top + row) as usize * pairs as usize + (left + column) as usize / 2;
                let [a0, a1] = numbers(residual.get(first));
                let [b0, b1] = numbers(residual.get(first + 8 * pairs as usize));
                [x0 + a0, x1 + a1, y0 + b0, y1 + b1]
            })
        },
    );
}

/// Products of experts: of each expert's rows, `c` ← `a` · `b`ᵀ with its own `b`, n × k. The rows of an expert lie one below the other in `a` and
/// `c`, and begin at a multiple of the rows of a block, 64 · `W`. `experts` has the number of the expert for each row of blocks
/// ([`experts_of_blocks`](crate::gemm_plan::experts_of_blocks)).
///
/// Launch: as [`gemm`].
///
/// Technique: that of [`gemm`]. A row of blocks is of one expert, so the blocks of all experts are those of one product, and the expert is a
/// coordinate of the boxes of `b`.
#[ptx::kernel(threads = 128 * (W as u32 + 1), instances(<N256, 2, 4>))]
pub fn gemm_grouped<N: Columns, const W: usize, const STAGES: usize>(
    cta: Cta,
    #[shared] smem: Smem<{ W as u32 }>,
    #[dynamic] memory: (
        PipelineMemory<Stage<bf16, Rows<64, { 64 * W }>, RowsOfExpert<{ N::COUNT }>>, STAGES>,
        [Buffers<bf16>; W],
    ),
    a: TensorMap<bf16, Rows<64, { 64 * W }>>,
    b: TensorMap<bf16, RowsOfExpert<{ N::COUNT }>>,
    c: TensorMapMut<bf16, Part>,
    experts: Global<u32>,
    k: u32,
    group: u32,
) {
    const PARTS: usize = N::COUNT / 64;
    tensor::prefetch_tensormap(&cta, &a);
    tensor::prefetch_tensormap(&cta, &b);
    tensor::prefetch_tensormap(&cta, &c);
    products::<bf16, bf16, N, _, _, _, _, W, STAGES, _, PARTS, { PARTS as u32 }>(
        cta,
        smem.barriers,
        memory,
        c,
        (k.div_ceil(64).max(1) as i32, group),
        |[x, y]| {
            // Of a number that is missing or too large, the boxes are zeros.
            let expert = experts.get(y as usize).unwrap_or(u32::MAX >> 1) as i32;
            move |step| (a.box_at([step, y]), b.box_at([step, x, expert]))
        },
        |_, _, sums| sums,
    );
}

/// `c` ← `scale_a` · `scale_b` · `a` · `b`ᵀ, as [`gemm`] computes it, in clusters of `CTAS` CTAs.
///
/// Launch: a 1-D grid of any multiple of `CTAS`, best a CTA per multiprocessor; dynamic shared memory for the stages.
///
/// Technique: that of [`gemm`]. The CTAs of a cluster have blocks one above the other, so they multiply by the same tiles of `b`: each loads
/// a part of a tile into all.
#[ptx::kernel(
    threads = 128 * (W as u32 + 1),
    cluster = CTAS as u32,
    instances(
        <bf16, bf16, N192, 2, 4, 2>,
        <bf16, bf16, N128, 2, 6, 2>,
        <bf16, bf16, N192, 2, 4, 4>,
        <bf16, bf16, N160, 2, 5, 4>,
        <bf16, bf16, N224, 2, 4, 2>
    )
)]
pub fn gemm_stack<
    T: Multiplicand,
    O: Half,
    N: Parts,
    const W: usize,
    const STAGES: usize,
    const CTAS: usize,
>(
    cta: Cta,
    #[shared] smem: Smem<{ W as u32 }>,
    #[dynamic] memory: (
        PipelineMemory<
            Stage<
                T,
                Rows<{ 128 / size_of::<T>() }, { 64 * W }>,
                Rows<{ 128 / size_of::<T>() }, { N::COUNT }>,
            >,
            STAGES,
        >,
        [SharedArray<O, { BUFFERS * <<N as Parts>::Part>::LEN }>; W],
    ),
    a: TensorMap<T, Rows<{ 128 / size_of::<T>() }, { 64 * W }>>,
    b: TensorMap<T, Rows<{ 128 / size_of::<T>() }, { N::COUNT / CTAS }>>,
    c: TensorMapMut<O, <N as Parts>::Part>,
    scale_a: Global<f32>,
    scale_b: Global<f32>,
    k: u32,
    group: u32,
) {
    const DEPTH: u32 = 128 / size_of::<T>() as u32;
    const PARTS: usize = 64 * N::COUNT / <<N as Parts>::Part>::LEN;
    tensor::prefetch_tensormap(&cta, &a);
    tensor::prefetch_tensormap(&cta, &b);
    tensor::prefetch_tensormap(&cta, &c);
    let scale = scale_a.get(0).unwrap_or(1.0) * scale_b.get(0).unwrap_or(1.0);
    let steps = k.div_ceil(DEPTH).max(1) as i32;
    cta.finish_cluster(memory, |mut cluster, (pipeline, out)| {
        let Some(stack) = cluster.whole::<{ CTAS as u32 }>() else { trap() };
        let blocks = c.cluster_blocks::<{ PARTS as u32 }, { W as u32 }>(&cluster, group);
        let positions = blocks.positions();
        let run = pipeline.multicast(((), stack)).run_warpgroups(
            &mut cluster,
            smem.barriers,
            MaxRegisters::<40, 232>,
            out,
            |thread, mut producer| {
                for [x, y] in positions {
                    for step in 0..steps {
                        let part = CTAS as i32 * x + stack.cta_rank() as i32;
                        producer = producer.load(thread, (a.box_at([step, y]), b.box_at([step, part])));
                    }
                }
                producer
            },
            |warpgroup, consumer, wgmma, out| {
                let mut out = out.into_store_ring::<{ <<N as Parts>::Part>::LEN }, BUFFERS>();
                let (consumer, wgmma) = blocks_of_sums::<T, O, N, _, _, _, _, _, _, _, _, PARTS, _>(
                    warpgroup,
                    consumer,
                    wgmma,
                    &mut out,
                    blocks,
                    steps,
                    |_, _, sums| sums.map(|sum| sum * scale),
                );
                (consumer, wgmma, out.end(warpgroup))
            },
        );
        (cluster, run.end())
    });
}

/// A part of a block of [`gemm_split`]: 64 columns of the rows of a CTA.
type Slice<const ROWS: usize> = Box2<64, ROWS, swizzle_mode::B128>;

/// `c` ← `scale_a` · `scale_b` · `a` · `b`ᵀ, as [`gemm`] computes it, for products of few blocks and a long k: each CTA of a cluster adds up
/// a part of k.
///
/// Launch: a 1-D grid of a cluster for each block of `N` rows and 64 · `W` columns; dynamic shared memory for the stages.
///
/// Technique: a warpgroup multiplies 64 rows of `b` by `N` rows of `a`, so a product of 16 rows has tiles of 16 rows, and the sums are columns
/// of `c`. They go to the CTA that owns their row of `c`, by distributed shared memory. After a barrier of the cluster, each CTA
/// adds up what it has got, in the order of the ranks, so that the product is the same in each launch.
#[ptx::kernel(
    threads = 128 * (W as u32 + 1),
    cluster = SPLIT as u32,
    instances(
        <bf16, bf16, N16, 1, 1, 12>,
        <bf16, bf16, N32, 1, 1, 12>,
        <bf16, bf16, N64, 1, 2, 12>,
        <bf16, bf16, N64, 2, 8, 7>
    )
)]
pub fn gemm_split<
    T: Multiplicand,
    O: Half,
    N: Columns,
    const W: usize,
    const SPLIT: usize,
    const STAGES: usize,
>(
    cta: Cta,
    #[shared] smem: Smem<{ W as u32 }>,
    #[dynamic] memory: (
        PipelineMemory<
            Stage<
                T,
                Rows<{ 128 / size_of::<T>() }, { 64 * W }>,
                Rows<{ 128 / size_of::<T>() }, { N::COUNT }>,
            >,
            STAGES,
        >,
        SharedArray<f32, { 64 * W * N::COUNT }>,
        SharedArray<O, { BUFFERS * 64 * (N::COUNT / SPLIT) }>,
    ),
    a: TensorMap<T, Rows<{ 128 / size_of::<T>() }, { N::COUNT }>>,
    b: TensorMap<T, Rows<{ 128 / size_of::<T>() }, { 64 * W }>>,
    c: TensorMapMut<O, Slice<{ N::COUNT / SPLIT }>>,
    scale_a: Global<f32>,
    scale_b: Global<f32>,
    k: u32,
    group: u32,
) {
    const DEPTH: u32 = 128 / size_of::<T>() as u32;
    /// The rows that a CTA owns, in eights, and the warps that multiply.
    const EIGHTS: usize = N::COUNT / SPLIT / 8;
    const WARPS: usize = 4 * W;
    tensor::prefetch_tensormap(&cta, &a);
    tensor::prefetch_tensormap(&cta, &b);
    tensor::prefetch_tensormap(&cta, &c);
    let scale = scale_a.get(0).unwrap_or(1.0) * scale_b.get(0).unwrap_or(1.0);
    // All CTAs run as many steps: those behind k multiply zeros.
    let steps = k.div_ceil(DEPTH).div_ceil(SPLIT as u32).max(1) as i32;
    cta.finish_cluster(memory, |mut cluster, (pipeline, sums, out)| {
        let rank = cluster.cta_rank() as usize;
        let mut blocks = c.cluster_blocks::<{ W as u32 }, 1>(&cluster, group);
        let Some(([x, y], block)) = blocks.next_block() else {
            trap() // there are more clusters than blocks
        };
        let (y, first) = (y / SPLIT as i32, rank as i32 * steps);
        let shares = cluster.open_write_only(sums).sync(&cluster);
        let run = pipeline.run_warpgroups(
            cluster.cta_mut(),
            smem.barriers,
            MaxRegisters::<168, 168>,
            [(); W],
            |thread, mut producer| {
                for step in first..first + steps {
                    producer = producer.load(thread, (b.box_at([step, x]), a.box_at([step, y])));
                }
                producer
            },
            |warpgroup, consumer, wgmma, ()| {
                let (stage, next) = consumer.operands(warpgroup);
                let first = wgmma.start(warpgroup, Zeros::<N>::new(), stage, |sums, stage| {
                    multiply(warpgroup, sums, stage)
                });
                let mut step = (next, first);
                for _ in 1..steps {
                    step = add_step(warpgroup, step);
                }
                let (consumer, sums) = step;
                let (wgmma, (product, stage)) = sums.wait(warpgroup);
                stage.release(warpgroup);
                let thread = warpgroup.thread_rank() as usize;
                let (warp, lane) = (4 * warpgroup.index() as usize + thread / 32, thread % 32);
                product.for_each_four(warpgroup, |[_, row], four| {
                    let eight = row as usize / 8;
                    let of = eight / EIGHTS;
                    if let Some(owner) = shares.peer(of as u32) {
                        let to = (rank * EIGHTS + eight - of * EIGHTS) * WARPS + warp;
                        owner.set_vector(32 * to + lane, four);
                    }
                });
                (consumer, wgmma, ())
            },
        );
        let shares = shares.publish().sync(&cluster);
        let cta = cluster.cta();
        let mut out = out.into_store_ring::<{ 64 * (N::COUNT / SPLIT) }, BUFFERS>();
        let mut boxes = block.of_cta(cta);
        let mut part = 0;
        while let Some(to) = boxes.next_box() {
            out.store(cta, to, |buffer| {
                let buffer = buffer.as_2d::<64>().swizzled(swizzle_mode::B128);
                // Of each item, 16 columns of two rows of `c`, which lanes `pair`, `pair + 4`, … of a warp have added up.
                let mut item = cta.thread_rank() as usize;
                while item < 16 * EIGHTS {
                    let (pair, warp, eight) = (item % 4, item / 4 % 4, item / 16);
                    let at = 32 * (eight * WARPS + 4 * part + warp) + pair;
                    let mut rows = [[[0.0; 8]; 2]; 2];
                    for share in 0..SPLIT {
                        unroll::<8>(|column| {
                            let four = shares.get_vector(32 * share * EIGHTS * WARPS + at + 4 * column);
                            let four = four.unwrap_or([0.0; 4]);
                            unroll::<4>(|i| rows[i % 2][i / 2][column] += four[i]);
                        });
                    }
                    unroll::<4>(|i| {
                        let sums = rows[i % 2][i / 2].map(|sum| sum * scale);
                        let row = 8 * eight + 2 * pair + i % 2;
                        buffer.set_vector([2 * warp + i / 2, row], convert(sums));
                    });
                    item += cta.thread_count() as usize;
                }
            });
            part += 1;
        }
        let out = out.end(cta);
        (cluster, (run.end().0, shares.end(), out))
    });
}

/// Columns of a block of [`gemm_tn`], in panels of 64.
const PANELS: usize = 2;

/// `c` ← `a`ᵀ · `b`: `a` is k × m, `b` is k × n, `c` is m × n, all row-major.
///
/// Launch: a 1-D grid of any size, best a CTA per multiprocessor; dynamic shared memory for the stages.
///
/// Technique: that of [`gemm`], with operands whose rows lie along k.
#[ptx::kernel(threads = 256)]
pub fn gemm_tn(
    cta: Cta,
    #[shared] smem: Smem<1>,
    #[dynamic] memory: (
        PipelineMemory<(Tile<bf16, Rows<64, 64>>, Tile<bf16, Rows<64, 64>, PANELS>), 6>,
        [Buffers<bf16>; 1],
    ),
    a: TensorMap<bf16, Rows<64, 64>>,
    b: TensorMap<bf16, Rows<64, 64>>,
    c: TensorMapMut<bf16, Part>,
    k: u32,
) {
    let steps = k.div_ceil(64).max(1) as i32;
    let mut blocks = c.blocks::<{ PANELS as u32 }, 1>(&cta, 8);
    let positions = blocks.positions();
    cta.finish(memory, |cta, (pipeline, out)| {
        let run = pipeline.run_warpgroups(
            cta,
            smem.barriers,
            MaxRegisters::<40, 232>,
            out,
            |thread, mut producer| {
                for [x, y] in positions {
                    for step in 0..steps {
                        let source = (a.box_at([y, step]), b.box_at([PANELS as i32 * x, step]));
                        producer = producer.load(thread, source);
                    }
                }
                producer
            },
            |warpgroup, mut consumer, mut wgmma, out| {
                let mut out = out.into_store_ring::<{ Part::LEN }, BUFFERS>();
                while let Some((_, block)) = blocks.next_block() {
                    let (stage, next) = consumer.operands(warpgroup);
                    consumer = next;
                    let mut sums = wgmma.start(warpgroup, Zeros::<N128>::new(), stage, |sums, stage| {
                        let (a, b) = stage.tiles();
                        sums.mma(a.transposed().of(warpgroup), b.transposed())
                    });
                    for _ in 1..steps {
                        let (stage, next) = consumer.operands(warpgroup);
                        consumer = next;
                        let both = sums.add(warpgroup, stage, |sums, stage| {
                            let (a, b) = stage.tiles();
                            sums.mma(a.transposed().of(warpgroup), b.transposed())
                        });
                        let read;
                        (sums, read) = both.wait_oldest(warpgroup);
                        read.release(warpgroup);
                    }
                    let (idle, (product, stage)) = sums.wait(warpgroup);
                    stage.release(warpgroup);
                    wgmma = idle;
                    let (values, mut boxes) = (product.pack::<bf16>(), block.of(warpgroup));
                    unroll::<PANELS>(|i| store(warpgroup, &mut out, &values, &mut boxes, i));
                }
                (consumer, wgmma, out.end(warpgroup))
            },
        );
        run.end()
    });
}
