//! Pipelines whose consumers are warpgroups, which multiply what the producer loads (warp specialization with `setmaxnreg`).

use core::marker::PhantomData;

use super::layout::Layout;
use super::operands::OperandTiles;
use super::parts::{Consumer, Producer, StageSignals};
use super::run::{Pipeline, RunEnded, RunsPipeline};
use super::stage::{Sharing, StageTiles};
use crate::async_group::Token;
use crate::group::{Brand, Cta, End, HandOver};
use crate::mark::{Group, hold};
#[cfg(wgmma)]
use crate::{
    barrier::bit,
    group::{Thread, WARPGROUP, Warpgroup, Warps},
    mark::Split,
    qualifier::mode,
    raw,
    shared::Place,
    trap::trap_because,
    wgmma::{Read, Wgmma},
};

/// The named barriers of the `COUNT` warpgroups that consume in a pipeline ([`Pipelines::run_warpgroups`]), one for each: the last ones
/// of the CTA, `16 - COUNT` to 15. So a kernel has one such handle.
///
/// ```
/// use ptx::pipeline::WarpgroupBarriers;
/// ptx::shared_memory! { struct Smem { barriers: WarpgroupBarriers<2> } } // barriers 14 and 15
/// ```
#[cfg(wgmma)]
#[derive(Debug)]
#[doc(alias = "cutlass::arch::NamedBarrier")]
pub struct WarpgroupBarriers<const COUNT: u32> {
    /// Bound to its CTA.
    _thread: PhantomData<*mut ()>,
}

#[cfg(wgmma)]
impl<const COUNT: u32> WarpgroupBarriers<COUNT> {
    const FIRST: u32 = 16 - COUNT;
}

// SAFETY: the handle takes no bytes and uses these barriers alone.
#[cfg(wgmma)]
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

/// The registers of a thread in each part of [`Pipelines::run_warpgroups`] (`setmaxnreg`): the warpgroup that produces gives registers
/// up, and the warpgroups that consume take them.
///
/// Both numbers are multiples of 8 from 24 to 256. Together the threads of all warpgroups have at most the registers with which the
/// CTA was launched: `PRODUCER + COUNT * CONSUMER` is at most `COUNT + 1` times the registers of a thread, which are 65,536 by the
/// threads of the CTA, rounded down to a multiple of 8, if a multiprocessor has one CTA. `min_ctas` and `max_registers` of the kernel
/// lower that number, and `ptx-link` refuses a kernel that starts with too few.
///
/// With 384 threads, a launch gives each 168. Two warpgroups that consume have 232 with `MaxRegisters<40, 232>`, of which 128 are the sums
/// of 64 rows and 256 columns.
#[cfg(wgmma)]
#[derive(Debug, Clone, Copy)]
#[doc(alias("cutlass::arch::warpgroup_reg_alloc", "cutlass::arch::warpgroup_reg_dealloc"))]
pub struct MaxRegisters<const PRODUCER: u32, const CONSUMER: u32>;

/// Pipelines whose warpgroups have consumed ([`Pipelines::run_warpgroups`]). The threads of each part have the registers of that part
/// from now on, so no other run follows: [`end`](FinishedWarpgroups::end) it at the end of the kernel.
#[must_use = "the scope needs the pipeline and the handles: call `.end()`"]
#[derive(Debug)]
pub struct FinishedWarpgroups<P, H> {
    pipelines: P,
    handles: H,
}

impl<P, H> FinishedWarpgroups<P, H> {
    /// What a run leaves whose closures have returned their handles.
    #[cfg(tcgen05)]
    pub(crate) fn new(pipelines: P, handles: H) -> Self {
        FinishedWarpgroups { pipelines, handles }
    }
}

impl<P: EndsRun, H: HandOver<Cta> + End> FinishedWarpgroups<P, H> {
    /// Gives the pipelines and the warpgroups' handles up at the end of the kernel, as
    /// [`FinishedRun::end`](super::FinishedRun::end) does.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> (P::Ended, H::Ended) {
        (self.pipelines.end(Token::NEW), self.handles.end())
    }
}

/// Pipelines after a run, which end: a [`Pipeline`] or a pair.
///
/// # Safety
///
/// Implemented here only.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait EndsRun {
    /// The pipelines at the end of the kernel.
    type Ended;
    /// Ends the pipelines. The token proves that they have run.
    #[doc(hidden)]
    fn end(self, token: Token) -> Self::Ended;
}
// SAFETY: the pipeline itself ends.
unsafe impl<'s, S: StageTiles, const STAGES: usize, G: Sharing> EndsRun for Pipeline<'s, S, STAGES, G> {
    type Ended = RunEnded<'s, S, STAGES, G>;
    #[inline(always)]
    fn end(self, _: Token) -> Self::Ended {
        self.finished().end()
    }
}
// SAFETY: both end.
unsafe impl<X: EndsRun, Y: EndsRun> EndsRun for (X, Y) {
    type Ended = (X::Ended, Y::Ended);
    #[inline(always)]
    fn end(self, token: Token) -> Self::Ended {
        (self.0.end(token), self.1.end(token))
    }
}

/// A full stage whose tiles are operands of [`wgmma`](crate::wgmma), while the consumer goes on to the next stage: between
/// [`Consumer::operands`] and [`release`](StageOperands::release), a group of products holds it.
#[must_use = "the producer waits for the stage: call `.release(warpgroup)`"]
#[derive(Debug)]
pub struct StageOperands<'p, S, const STAGES: usize, G = ()> {
    pub(super) base: u32,
    pub(super) stage: u32,
    pub(super) signals: G,
    _run: Brand<'p>,
    _tiles: PhantomData<*mut S>,
}

#[cfg(wgmma)]
// SAFETY: the handle alone has the stage.
unsafe impl<S, const STAGES: usize, G> Read for StageOperands<'_, S, STAGES, G> {
    // Descriptors are computed for each group: ptxas would carry them to the next one in registers that are not uniform.
    #[inline(always)]
    fn when_read(mut self, _: Token) -> Self {
        self.stage = raw::tie_word(self.stage);
        self
    }
}

#[cfg(wgmma)]
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

    /// Returns the tiles as operands of the products of a group: an [`Operand`](crate::wgmma::Operand); of a tile `[T; N]`, a
    /// [`StageTile`](super::StageTile) that threads read; or a pair.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn tiles(&self) -> S::Operands<'_> {
        // Of one large stage, an address that a loop does not carry, so that ptxas can keep it in a uniform register. The few
        // descriptors of a smaller one are computed once.
        let stage = if STAGES == 1 && const { S::BYTES > 1 << 15 } {
            crate::raw::tie_word(self.base)
        } else {
            Layout::<S, STAGES, G>::stage(self.base, self.stage)
        };
        // SAFETY: copies have filled the stage, and nothing fills it again before `release`.
        unsafe { S::operands(stage) }
    }
}

#[cfg(wgmma)]
impl<'p, S: OperandTiles, const STAGES: usize, G: Sharing> StageOperands<'p, S, STAGES, G> {
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
        // mbarriers are valid during the run. A group of products that reads the stage owns the handle, and threads read it only
        // if it is `LOADED` (clause 4).
        unsafe {
            if S::LOADED {
                self.signals.release::<true>(warpgroup.thread_rank(), empty);
            } else {
                self.signals.release::<false>(warpgroup.thread_rank(), empty);
            }
        }
    }
}

/// Pipelines that warpgroups consume together: a [`Pipeline`], or a pair of them, which can be pairs too.
///
/// # Safety
///
/// Implemented here only: the handles are those of the pipelines.
#[diagnostic::on_unimplemented(
    message = "`{By}` cannot run `{Self}` with warpgroups",
    label = "neither a `Pipeline` nor a pair of pipelines of this group",
    note = "call `pipeline.run_warpgroups(cta, …)`, or of a pair `(queries, values).run_warpgroups(cta, …)`"
)]
#[doc(alias = "warp specialization")]
pub unsafe trait Pipelines<'s, By: Group>: EndsRun + Sized {
    /// The producer's handles: a [`Producer`], or a pair.
    type Producers<'p>;
    /// The handles of a warpgroup: a [`Consumer`], or a pair.
    type Consumers<'p>;

    #[doc(hidden)]
    fn cta(by: &By) -> &Cta;
    #[doc(hidden)]
    #[track_caller]
    fn sync(by: &By);
    #[doc(hidden)]
    fn hold(&self);
    /// Initializes the mbarriers.
    ///
    /// # Safety
    ///
    /// One thread calls this. The memory is idle, and holds no valid mbarrier. `warps` warps release each stage.
    #[doc(hidden)]
    unsafe fn init(&self, warps: u32);
    /// # Safety
    ///
    /// The contract of `Producer::new`.
    #[doc(hidden)]
    unsafe fn producers<'p>(&self) -> Self::Producers<'p>;
    #[doc(hidden)]
    fn drain(producers: Self::Producers<'_>, token: Token);
    /// # Safety
    ///
    /// The contract of `Consumer::new`.
    #[doc(hidden)]
    unsafe fn consumers<'p>(&self) -> Self::Consumers<'p>;

    /// Runs the pipeline with warpgroups as consumers: the first thread of the CTA produces, and each of the `COUNT` warpgroups after
    /// the first one consumes every stage. The CTA has `128 * (COUNT + 1)` threads. Of a pair of pipelines, both closures get a pair of
    /// handles: stages of one kind stay full while those of the other kind come and go.
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
    /// use ptx::pipeline::{MaxRegisters, PipelineMemory, Pipelines as _, WarpgroupBarriers};
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
    #[cfg(wgmma)]
    #[inline(always)]
    #[track_caller]
    fn run_warpgroups<
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
        produce: impl for<'p> FnOnce(&Thread<'p>, Self::Producers<'p>) -> Self::Producers<'p>,
        consume: impl for<'p> FnOnce(
            &Warpgroup<'p, COUNT>,
            Self::Consumers<'p>,
            Wgmma<'p>,
            H::HeldBy<Warpgroup<'p, COUNT>>,
        )
            -> (Self::Consumers<'p>, Wgmma<'p>, H::EndedBy<Warpgroup<'p, COUNT>>),
    ) -> FinishedWarpgroups<Self, [H; HANDLES]> {
        meet!(by, Self::cta(by));
        self.hold();
        const {
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
        let (rank, threads) = (Self::cta(by).thread_rank(), Self::cta(by).thread_count());
        if threads != WARPGROUP * (COUNT + 1) {
            trap_because!(
                "`run_warpgroups` needs 128 threads for each warpgroup, and one warpgroup more that produces"
            )
        }
        if rank == 0 {
            // SAFETY: the pipelines own the memory, which is idle and holds no valid mbarrier. Each of four warps of each
            // warpgroup releases a stage.
            unsafe { self.init(4 * COUNT) };
        }
        Self::sync(by);
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
                    let producers = self.producers();
                    one.part::<Thread<'_>, _>(|| {
                        Self::drain(produce(&Thread::of_part(), producers), Token::NEW);
                    });
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
                let consumers = self.consumers();
                let mut held = handles[0].hand_over();
                let mut i = 1;
                while i < HANDLES {
                    if index == i as u32 + 1 {
                        held = handles[i].hand_over();
                    }
                    i += 1;
                }
                let _done = consume(&warpgroup, consumers, Wgmma::none(), held);
                split.end();
            }
        }
        FinishedWarpgroups { pipelines: self, handles }
    }
}

/// States the registers of the parts as a PTX comment. `ptx-link` compares them with the launch bounds, and removes it.
#[cfg(wgmma)]
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

// SAFETY: the handles are those of the pipeline.
#[diagnostic::do_not_recommend]
unsafe impl<'s, S: StageTiles, const STAGES: usize, G: Sharing, By: RunsPipeline<'s, G>> Pipelines<'s, By>
    for Pipeline<'s, S, STAGES, G>
{
    type Producers<'p> = Producer<'p, S, STAGES, G>;
    type Consumers<'p> = Consumer<'p, S, STAGES, G>;

    #[inline(always)]
    fn cta(by: &By) -> &Cta {
        by.cta()
    }
    #[inline(always)]
    #[track_caller]
    fn sync(by: &By) {
        by.sync();
    }
    #[inline(always)]
    fn hold(&self) {
        hold::<By>(self.addr);
    }
    #[inline(always)]
    unsafe fn init(&self, warps: u32) {
        const { Layout::<S, STAGES, G>::check() };
        // SAFETY: the caller keeps the contract (`# Safety`).
        unsafe { Layout::<S, STAGES, G>::init(self.addr, G::RELEASES * warps) };
    }
    #[inline(always)]
    unsafe fn producers<'p>(&self) -> Self::Producers<'p> {
        // SAFETY: the caller keeps the contract (`# Safety`).
        unsafe { Producer::new(self.addr, self.signals) }
    }
    #[inline(always)]
    fn drain(producer: Self::Producers<'_>, _: Token) {
        producer.drain();
    }
    #[inline(always)]
    unsafe fn consumers<'p>(&self) -> Self::Consumers<'p> {
        // SAFETY: the caller keeps the contract (`# Safety`).
        unsafe { Consumer::new(self.addr, self.signals) }
    }
}
// SAFETY: the handles are those of both pipelines.
unsafe impl<'s, By: Group, X: Pipelines<'s, By>, Y: Pipelines<'s, By>> Pipelines<'s, By> for (X, Y) {
    type Producers<'p> = (X::Producers<'p>, Y::Producers<'p>);
    type Consumers<'p> = (X::Consumers<'p>, Y::Consumers<'p>);

    #[inline(always)]
    fn cta(by: &By) -> &Cta {
        X::cta(by)
    }
    #[inline(always)]
    #[track_caller]
    fn sync(by: &By) {
        X::sync(by);
    }
    #[inline(always)]
    fn hold(&self) {
        self.0.hold();
        self.1.hold();
    }
    #[inline(always)]
    unsafe fn init(&self, warps: u32) {
        // SAFETY: the caller keeps the contract of both (`# Safety`).
        unsafe {
            self.0.init(warps);
            self.1.init(warps);
        }
    }
    #[inline(always)]
    unsafe fn producers<'p>(&self) -> Self::Producers<'p> {
        // SAFETY: the caller keeps the contract of both (`# Safety`).
        unsafe { (self.0.producers(), self.1.producers()) }
    }
    #[inline(always)]
    fn drain(producers: Self::Producers<'_>, token: Token) {
        X::drain(producers.0, token);
        Y::drain(producers.1, token);
    }
    #[inline(always)]
    unsafe fn consumers<'p>(&self) -> Self::Consumers<'p> {
        // SAFETY: the caller keeps the contract of both (`# Safety`).
        unsafe { (self.0.consumers(), self.1.consumers()) }
    }
}

handles! { StageOperands<(), 2>, FinishedWarpgroups<Pipeline<(), 2>, ()> }
#[cfg(wgmma)]
handles! { WarpgroupBarriers<1> }
