//! Pipelines whose consumers are warpgroups, which multiply what the producer loads (warp specialization with `setmaxnreg`).

use core::marker::PhantomData;

use super::layout::Layout;
use super::operands::OperandTiles;
use super::parts::{Consumer, Producer, StageSignals};
use super::run::{FinishedRun, Pipeline, RunEnded, RunsPipeline};
use super::stage::{Sharing, StageTiles};
use crate::barrier::bit;
use crate::group::{Brand, Cta, End, HandOver, Thread, WARPGROUP, Warpgroup, Warps};
use crate::mark::Split;
use crate::qualifier::mode;
use crate::raw;
use crate::shared::Place;
use crate::trap::trap_because;
use crate::wgmma::{Read, Wgmma};

/// The named barriers of the `COUNT` warpgroups that consume in a pipeline ([`Pipeline::run_warpgroups`]), one for each: the last ones
/// of the CTA, `16 - COUNT` to 15. So a kernel has one such handle.
///
/// ```
/// use ptx::pipeline::WarpgroupBarriers;
/// ptx::shared_memory! { struct Smem { barriers: WarpgroupBarriers<2> } } // barriers 14 and 15
/// ```
#[derive(Debug)]
#[doc(alias = "cutlass::arch::NamedBarrier")]
pub struct WarpgroupBarriers<const COUNT: u32> {
    /// Bound to its CTA.
    _thread: PhantomData<*mut ()>,
}

impl<const COUNT: u32> WarpgroupBarriers<COUNT> {
    const FIRST: u32 = 16 - COUNT;
}

// SAFETY: the handle takes no bytes and uses these barriers alone.
unsafe impl<const COUNT: u32> Place for WarpgroupBarriers<COUNT> {
    const SIZE: u32 = 0;
    const ALIGN: u32 = 1;
    const BARRIERS: u16 = {
        assert!(
            COUNT >= 1 && COUNT <= 7,
            "a CTA has eight warpgroups, of which one produces: choose 1 to 7 that consume"
        );
        let (mut bits, mut i) = (0, 0);
        while i < COUNT {
            bits |= bit(Self::FIRST + i, WARPGROUP);
            i += 1;
        }
        bits
    };

    #[inline(always)]
    unsafe fn at(_addr: u32) -> Self {
        WarpgroupBarriers { _thread: PhantomData }
    }
}

/// The registers of a thread in each part of [`Pipeline::run_warpgroups`] (`setmaxnreg`): the warpgroup that produces gives registers
/// up, and the warpgroups that consume take them.
///
/// Both numbers are multiples of 8 from 24 to 256. Together the threads of all warpgroups have at most the registers with which the
/// CTA was launched: `PRODUCER + COUNT * CONSUMER` is at most `COUNT + 1` times the registers of a thread, which are 65,536 by the
/// threads of the CTA, rounded down to a multiple of 8, if a multiprocessor has one CTA. `min_ctas` and `max_registers` of the kernel
/// lower that number, and `ptx-link` refuses a kernel that starts with too few.
///
/// With 384 threads, a launch gives each 168. Two warpgroups that consume have 232 with `MaxRegisters<40, 232>`, of which 128 are the sums
/// of 64 rows and 256 columns.
#[derive(Debug, Clone, Copy)]
#[doc(alias("cutlass::arch::warpgroup_reg_alloc", "cutlass::arch::warpgroup_reg_dealloc"))]
pub struct MaxRegisters<const PRODUCER: u32, const CONSUMER: u32>;

/// A pipeline whose warpgroups have consumed ([`Pipeline::run_warpgroups`]). The threads of each part have the registers of that part
/// from now on, so no other run follows: [`end`](FinishedWarpgroups::end) it at the end of the kernel.
#[must_use = "the scope needs the pipeline and the handles: call `.end()`"]
#[derive(Debug)]
pub struct FinishedWarpgroups<'s, S, const STAGES: usize, G, H> {
    run: FinishedRun<'s, S, STAGES, G>,
    handles: H,
}

impl<'s, S: StageTiles, const STAGES: usize, G: Sharing, H: HandOver<Cta> + End>
    FinishedWarpgroups<'s, S, STAGES, G, H>
{
    /// Gives the pipeline and the warpgroups' handles up at the end of the kernel, as
    /// [`FinishedRun::end`](super::FinishedRun::end) does.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> (RunEnded<'s, S, STAGES, G>, H::Ended) {
        (self.run.end(), self.handles.end())
    }
}

/// A full stage whose tiles are operands of [`wgmma`](crate::wgmma), while the consumer goes on to the next stage: between
/// [`Consumer::operands`] and [`release`](StageOperands::release), a group of products holds it.
#[must_use = "the producer waits for the stage: call `.release(warpgroup)`"]
#[derive(Debug)]
pub struct StageOperands<'p, S, const STAGES: usize, G = ()> {
    base: u32,
    stage: u32,
    signals: G,
    _run: Brand<'p>,
    _tiles: PhantomData<*mut S>,
}

// SAFETY: the handle alone has the stage.
unsafe impl<S, const STAGES: usize, G> Read for StageOperands<'_, S, STAGES, G> {}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing> Consumer<'p, S, STAGES, G> {
    /// Waits as [`wait`](Consumer::wait) does until the next stage is full, whose tiles are then operands of products
    /// ([`Wgmma::start`]), and gives back the consumer, which can wait for the stage after it meanwhile.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: as [`wait`](Consumer::wait).
    #[inline(always)]
    #[track_caller]
    pub fn operands<const COUNT: u32>(
        self,
        warpgroup: &Warpgroup<'p, COUNT>,
    ) -> (StageOperands<'p, S, STAGES, G>, Self)
    where
        S: OperandTiles,
    {
        meet!(warpgroup);
        self.into_operands()
    }
}

impl<'p, S: OperandTiles, const STAGES: usize, G: Sharing> StageOperands<'p, S, STAGES, G> {
    #[inline(always)]
    pub(super) fn new(base: u32, stage: u32, signals: G) -> Self {
        StageOperands { base, stage, signals, _run: PhantomData, _tiles: PhantomData }
    }

    /// Returns the tiles as operands of the products of a group: an [`Operand`](crate::wgmma::Operand), or a pair of them.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn tiles(&self) -> S::Operands<'_> {
        // SAFETY: copies have filled the stage, and nothing fills it again before `release`.
        unsafe { S::operands(Layout::<S, STAGES, G>::stage(self.base, self.stage)) }
    }

    /// Releases the stage, which no product reads any more: a wait for their group gave it back.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: as [`AsyncStage::release`](super::AsyncStage::release)
    #[inline(always)]
    #[track_caller]
    pub fn release<const COUNT: u32>(self, warpgroup: &Warpgroup<'p, COUNT>) {
        meet!(warpgroup);
        let empty = Layout::<S, STAGES, G>::empty(self.base, self.stage);
        // SAFETY: clauses 1 to 3 of `StageSignals::release`: the wait of `operands` gave this handle, this call consumes it, and the
        // mbarriers are valid during the run. A group of products that reads the stage owns the handle, and no thread reads it
        // otherwise (clause 4).
        unsafe { self.signals.release::<false>(warpgroup.thread_rank(), empty) };
    }
}

impl<'s, S: StageTiles, const STAGES: usize, G: Sharing> Pipeline<'s, S, STAGES, G> {
    /// Runs the pipeline with warpgroups as consumers: the first thread of the CTA produces, and each of the `COUNT` warpgroups after
    /// the first one consumes every stage. The CTA has `128 * (COUNT + 1)` threads.
    ///
    /// `registers` says how many registers a thread of each part has: the compiler gives the consumers as many. Each warpgroup has a
    /// barrier of its own, and gets its element of `handles`, of shared memory for example, which it returns ended. It gets its
    /// [`Wgmma`] without products in flight, and returns it so.
    ///
    /// A kernel makes one such run, its last work. The consumers' closure has no panic and no trap, not even one that never comes: ptxas
    /// can serialize the products because of them.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run`](Pipeline::run); with two warpgroups or more that consume, by the warps of the first warpgroup
    /// `setmaxnreg.dec.sync.aligned.u32 PRODUCER;`, by those of the others `setmaxnreg.inc.sync.aligned.u32 CONSUMER;` Of one, each thread
    /// has all registers that a thread can have.
    ///
    /// ```
    /// use ptx::bf16;
    /// use ptx::group::Cta;
    /// use ptx::pipeline::{MaxRegisters, PipelineMemory, WarpgroupBarriers};
    /// use ptx::qualifier::{n, swizzle_mode};
    /// use ptx::shared::SharedArray;
    /// use ptx::tensor::{Box2, TensorMap, TensorMapMut};
    /// use ptx::wgmma::{Tile, Zeros};
    ///
    /// type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
    /// type Stage = (Tile<bf16, Rows<128>>, Tile<bf16, Rows<64>>);
    /// ptx::shared_memory! { struct Smem { barriers: WarpgroupBarriers<2> } }
    ///
    /// /// The product of 128 rows of `a` and 64 rows of `b`: each of two warpgroups computes 64 rows, and stores them as halves.
    /// #[ptx::kernel(threads = 384)]
    /// fn product(
    ///     cta: Cta,
    ///     #[shared] smem: Smem,
    ///     #[dynamic] memory: (PipelineMemory<Stage, 4>, [SharedArray<bf16, 8192>; 2]),
    ///     a: TensorMap<bf16, Rows<128>>,
    ///     b: TensorMap<bf16, Rows<64>>,
    ///     c: TensorMapMut<bf16, Rows<64>>,
    ///     steps: i32,
    /// ) {
    ///     let mut blocks = c.blocks::<1, 2>(&cta, 1);
    ///     cta.finish(memory, |cta, (pipeline, out)| {
    ///         let run = pipeline.run_warpgroups(
    ///             cta,
    ///             smem.barriers,
    ///             MaxRegisters::<40, 232>,
    ///             out,
    ///             |thread, mut producer| {
    ///                 for step in 0..steps {
    ///                     producer = producer.load(thread, (a.box_at([step, 0]), b.box_at([step, 0])));
    ///                 }
    ///                 producer
    ///             },
    ///             |warpgroup, consumer, wgmma, out| {
    ///                 let (stage, mut consumer) = consumer.operands(warpgroup);
    ///                 let mut sums = wgmma.start(warpgroup, Zeros::<n::N64>::new(), stage, |sums, stage| {
    ///                     let (a, b) = stage.tiles();
    ///                     sums.mma(a.of(warpgroup), b)
    ///                 });
    ///                 for _ in 1..steps {
    ///                     let (stage, next) = consumer.operands(warpgroup);
    ///                     let both = sums.add(warpgroup, stage, |sums, stage| {
    ///                         let (a, b) = stage.tiles();
    ///                         sums.mma(a.of(warpgroup), b)
    ///                     });
    ///                     let read;
    ///                     (sums, read) = both.wait_oldest(warpgroup); // the step before is done
    ///                     read.release(warpgroup);
    ///                     consumer = next;
    ///                 }
    ///                 let (wgmma, (sums, stage)) = sums.wait(warpgroup);
    ///                 stage.release(warpgroup);
    ///                 let (values, mut out) = (sums.pack::<bf16>(), out.into_store_ring::<4096, 2>());
    ///                 if let Some((_, block)) = blocks.next_block()
    ///                     && let Some(to) = block.of(warpgroup).next_box()
    ///                 {
    ///                     out.store(warpgroup, to, |buffer| values.store::<Rows<64>, _, _>(warpgroup, [0, 0], buffer));
    ///                 }
    ///                 (consumer, wgmma, out.end(warpgroup))
    ///             },
    ///         );
    ///         run.end()
    ///     });
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn run_warpgroups<
        By: RunsPipeline<'s, G>,
        H: HandOver<Cta>,
        const COUNT: u32,
        const PRODUCER: u32,
        const CONSUMER: u32,
        const HANDLES: usize,
    >(
        self,
        by: &mut By,
        _barriers: WarpgroupBarriers<COUNT>,
        _registers: MaxRegisters<PRODUCER, CONSUMER>,
        handles: [H; HANDLES],
        produce: impl for<'p> FnOnce(&Thread<'p>, Producer<'p, S, STAGES, G>) -> Producer<'p, S, STAGES, G>,
        consume: impl for<'p> FnOnce(
            &Warpgroup<'p, COUNT>,
            Consumer<'p, S, STAGES, G>,
            Wgmma<'p>,
            H::HeldBy<Warpgroup<'p, COUNT>>,
        )
            -> (Consumer<'p, S, STAGES, G>, Wgmma<'p>, H::EndedBy<Warpgroup<'p, COUNT>>),
    ) -> FinishedWarpgroups<'s, S, STAGES, G, [H; HANDLES]> {
        meet!(by, by.cta(); self.addr);
        const {
            Layout::<S, STAGES, G>::check();
            assert!(
                HANDLES == COUNT as usize,
                "each warpgroup gets one element of `handles`: pass as many as there are barriers"
            );
            let registers = 65536 / (WARPGROUP * (COUNT + 1)) / 8 * 8;
            // Threads of two warpgroups have all registers that a thread can have, and change nothing.
            assert!(
                PRODUCER <= registers && (registers <= CONSUMER || COUNT == 1),
                "the warpgroup that produces gives registers up, and the others take them: `PRODUCER` is at most, and `CONSUMER` at least, 65,536 by the threads of the CTA, rounded down to a multiple of 8"
            );
            assert!(
                PRODUCER + COUNT * CONSUMER <= (COUNT + 1) * registers,
                "the parts have more registers than the CTA: `PRODUCER + COUNT * CONSUMER` is at most `COUNT + 1` times 65,536 by the threads of the CTA, rounded down to a multiple of 8"
            );
        }
        if COUNT > 1 {
            state_registers::<PRODUCER, COUNT, CONSUMER>();
        }
        let (rank, threads) = (by.cta().thread_rank(), by.cta().thread_count());
        if threads != WARPGROUP * (COUNT + 1) {
            trap_because!(
                "`run_warpgroups` needs 128 threads for each warpgroup, and one warpgroup more that produces"
            )
        }
        if rank == 0 {
            // SAFETY: this pipeline owns the memory, which is idle and holds no valid mbarrier. Each of four warps of each
            // warpgroup releases a stage.
            unsafe { Layout::<S, STAGES, G>::init(self.addr, G::RELEASES * 4 * COUNT) };
        }
        by.sync();
        // SAFETY: each thread makes its group and its handle once, and `'p` belongs to the call of its closure alone. The parts are
        // whole warpgroups, and only this run uses the barriers. The mbarriers are valid until the kernel ends. The closures return the
        // handles that they got, without products in flight. Each warpgroup uses its own element of `handles`, and the CTA ends its
        // own.
        unsafe {
            let split = Split::new();
            // Lane 0's number is that of the whole warp. So ptxas computes with it in uniform registers.
            let index = split.role_index(raw::shfl_sync(mode::Idx, rank / WARPGROUP, 0, 0x1f, u32::MAX));
            if index == 0 {
                split.begin::<Warps<'_>>();
                if COUNT > 1 {
                    raw::setmaxnreg_dec::<PRODUCER>();
                }
                split.end();
                let one = Split::new();
                if one.role(rank == 0) {
                    let producer = Producer::new(self.addr, self.signals);
                    one.part::<Thread<'_>, _>(|| produce(&Thread::of_part(), producer).drain());
                }
            } else {
                let warpgroup = Warpgroup::of_part(
                    rank % WARPGROUP,
                    index - 1,
                    WarpgroupBarriers::<COUNT>::FIRST + index - 1,
                );
                // No closure of this function: LLVM would not inline one of that size.
                split.begin::<Warpgroup<'_, COUNT>>();
                if COUNT > 1 {
                    raw::setmaxnreg_inc::<CONSUMER>();
                }
                let consumer = Consumer::new(self.addr, self.signals);
                let mut held = handles[0].hand_over();
                let mut i = 1;
                while i < HANDLES {
                    if index == i as u32 + 1 {
                        held = handles[i].hand_over();
                    }
                    i += 1;
                }
                let _done = consume(&warpgroup, consumer, Wgmma::none(), held);
                split.end();
            }
        }
        FinishedWarpgroups { run: self.finished(), handles }
    }
}

/// States the registers of the parts as a PTX comment. `ptx-link` compares them with the launch bounds, and removes it.
#[inline(always)]
fn state_registers<const PRODUCER: u32, const COUNT: u32, const CONSUMER: u32>() {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a PTX comment emits no instruction.
    unsafe {
        core::arch::asm!(
            "// registers: {} + {} * {}",
            const PRODUCER,
            const COUNT,
            const CONSUMER,
            options(nomem, nostack, preserves_flags)
        )
    }
}

handles! { WarpgroupBarriers<1>, StageOperands<(), 2>, FinishedWarpgroups<(), 2, (), ()> }
