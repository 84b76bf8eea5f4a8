//! Accumulators in tensor memory: in flight in the thread that multiplies, then read by the warpgroup.

use core::marker::PhantomData;

use super::memory::Layout;
use super::multiplicand::Tcgen05Multiplicand;
use crate::group::{Brand, Thread, Warpgroup};
use crate::mbarrier::await_parity;
use crate::pipeline::layout::Cursor;
use crate::pipeline::parts::await_full_together;
use crate::qualifier::{
    Columns, Immediate, arrivals, cta_group, multicast, num, pack, scope, sem, space, suspend_time_hint,
    thread_sync, wait,
};
use crate::raw::{self, WgmmaMajor};
use crate::registers::{unroll, zeroed};
use crate::tensor::{MatrixBox, Operand};

/// The handle of the thread that multiplies: it starts products into the next accumulator of [`TensorMemory`](super::TensorMemory).
///
/// [`start`](Issuer::start) waits until the warpgroup has given the accumulator back.
#[must_use = "the closure of the run returns this handle"]
#[derive(Debug)]
pub struct Issuer<'p, N, const BUFFERS: usize> {
    /// The address of the memory of the run, and that of the columns.
    base: u32,
    taddr: u32,
    at: Cursor,
    _run: Brand<'p>,
    _columns: PhantomData<*mut N>,
}

/// An accumulator in flight: products write it, until [`commit`](Products::commit) lets its mbarrier track them.
#[must_use = "the warpgroup waits for the accumulator: call `.commit(thread)`"]
#[derive(Debug)]
pub struct Products<'p, N, const BUFFERS: usize> {
    issuer: Issuer<'p, N, BUFFERS>,
}

impl<'p, N: Columns, const BUFFERS: usize> Issuer<'p, N, BUFFERS> {
    /// # Safety
    ///
    /// 1. One thread gets one handle per run, and `'p` belongs to that run alone.
    /// 2. During the run, `base` is the address of the memory, whose mbarriers are valid, and `taddr` that of its columns.
    #[inline(always)]
    pub(super) unsafe fn new(base: u32, taddr: u32) -> Self {
        Issuer { base, taddr, at: Cursor::START, _run: PhantomData, _columns: PhantomData }
    }

    /// Waits until the next accumulator is free, and starts `D = A · B` of all of K: the product of the 128 rows of `a` with the `N` rows
    /// of `b`, which are columns of the product. What was in the accumulator is overwritten.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [empty], parity;`, then
    /// `tcgen05.fence::after_thread_sync;` and the products of [`Products::mma`], of which the first has a false `enable-input-d`
    #[inline(always)]
    pub fn start<
        T: Tcgen05Multiplicand,
        A: MatrixBox,
        B: MatrixBox,
        MajorA: WgmmaMajor,
        MajorB: WgmmaMajor,
        const PANELS_A: usize,
        const PANELS_B: usize,
    >(
        self,
        _thread: &Thread<'p>,
        a: Operand<'_, T, A, PANELS_A, MajorA>,
        b: Operand<'_, T, B, PANELS_B, MajorB>,
    ) -> Products<'p, N, BUFFERS> {
        let instruction =
            const { Products::<N, BUFFERS>::instruction::<T, A, B, MajorA, MajorB, PANELS_A, PANELS_B>() };
        let empty = Layout::<N, BUFFERS>::empty(self.base, self.at.stage);
        // SAFETY: `empty` is valid (`Issuer::new`). The warps' arrivals complete the phase of the previous round, of the other parity.
        // This phase is the current one or the one before, because the next arrivals need this product. In the first round it is the
        // phase before phase 0, which counts as complete: assumption A10 of docs/SOUNDNESS.md.
        unsafe { await_parity(sem::Acquire, scope::Cta, empty, self.at.parity ^ 1, suspend_time_hint::None) };
        raw::tcgen05_fence(thread_sync::After);
        let products = Products { issuer: self };
        products.multiply(a, b, instruction, false);
        products
    }
}

impl<'p, N: Columns, const BUFFERS: usize> Products<'p, N, BUFFERS> {
    /// Starts `D = A · B + D` of all of K: the product of the 128 rows of `a` with the `N` rows of `b`, which are columns of the product.
    /// Both operands have the same K.
    ///
    /// The call does not wait: [`StageOperands::commit`](crate::pipeline::StageOperands::commit) gives the stage of the operands back
    /// when the products have read it.
    ///
    /// Collective in the group.
    ///
    /// PTX, of `bf16`, for each 16 along K:
    /// `tcgen05.mma.cta_group::1.kind::f16.collector::a::discard [d-tmem], a-desc, b-desc, idesc, enable-input-d;` (9.7.16.10.9.1,
    /// sm_100f, sm_110f)
    #[inline(always)]
    #[must_use = "the warpgroup waits for the accumulator: call `.commit(thread)`"]
    #[doc(alias("cute::gemm", "SM100_MMA_F16BF16_SS"))]
    pub fn mma<
        T: Tcgen05Multiplicand,
        A: MatrixBox,
        B: MatrixBox,
        MajorA: WgmmaMajor,
        MajorB: WgmmaMajor,
        const PANELS_A: usize,
        const PANELS_B: usize,
    >(
        self,
        _thread: &Thread<'p>,
        a: Operand<'_, T, A, PANELS_A, MajorA>,
        b: Operand<'_, T, B, PANELS_B, MajorB>,
    ) -> Self {
        let instruction = const { Self::instruction::<T, A, B, MajorA, MajorB, PANELS_A, PANELS_B>() };
        self.multiply(a, b, instruction, true);
        self
    }

    /// The instructions along K of a product, and their descriptor (PTX ISA 9.7.16.4.2). Fails to compile if the operands do not fit.
    const fn instruction<
        T: Tcgen05Multiplicand,
        A: MatrixBox,
        B: MatrixBox,
        MajorA: WgmmaMajor,
        MajorB: WgmmaMajor,
        const PANELS_A: usize,
        const PANELS_B: usize,
    >() -> (usize, u32) {
        assert!(
            Operand::<T, A, PANELS_A, MajorA>::MN == M,
            "an accumulator has 128 rows: choose a tile of A of 128 rows"
        );
        assert!(
            Operand::<T, B, PANELS_B, MajorB>::MN == N::COUNT,
            "the rows of the tile of B, which are columns of the product, are not the columns of the accumulator: choose the tag of `n` that fits"
        );
        let k = Operand::<T, A, PANELS_A, MajorA>::K;
        assert!(
            k == Operand::<T, B, PANELS_B, MajorB>::K,
            "A and B differ in their extent along K: choose boxes of the same K"
        );
        assert!(
            k.is_multiple_of(T::STEP),
            "one instruction multiplies 32 bytes along K: choose a K of a multiple"
        );
        let [ta, tb] = [<MajorA as Immediate>::NUMBER as u32, <MajorB as Immediate>::NUMBER as u32];
        // D of `.f32`, the types of A and B, which of them are transposed, N and M.
        let idesc = 1 << 4 | T::FORMAT << 7 | T::FORMAT << 10 | ta << 15 | tb << 16;
        (k / T::STEP, idesc | (N::COUNT as u32 >> 3) << 17 | (M as u32 >> 4) << 24)
    }

    #[inline(always)]
    fn multiply<
        T: Tcgen05Multiplicand,
        A: MatrixBox,
        B: MatrixBox,
        MajorA: WgmmaMajor,
        MajorB: WgmmaMajor,
        const PANELS_A: usize,
        const PANELS_B: usize,
    >(
        &self,
        a: Operand<'_, T, A, PANELS_A, MajorA>,
        b: Operand<'_, T, B, PANELS_B, MajorB>,
        (steps, idesc): (usize, u32),
        adds: bool,
    ) {
        let d = self.issuer.taddr + self.issuer.at.stage * N::COUNT as u32;
        let mut step = 0;
        while step < steps {
            let k = step * T::STEP;
            let [a, b] = [a.descriptor(0, k) | DESCRIPTOR, b.descriptor(0, k) | DESCRIPTOR];
            // SAFETY: the columns are allocated during the run, and D has 128 lanes and `N` columns from there on. The operands are in
            // shared memory, where the async proxy has written them, and nothing writes them before the commit that gives their stage
            // back, which follows. No thread reads or writes the accumulator: `start` has waited until the warps have given it back, and
            // they wait for the commit of this handle. Products of one shape are in order (9.7.16.6.2).
            unsafe { T::mma(d, a, b, idesc, adds || step > 0) };
            step += 1;
        }
    }

    /// Lets the mbarrier of the accumulator track all products: the warpgroup reads the sums when they are complete. Gives back the
    /// handle, which can start the next accumulator meanwhile.
    ///
    /// Collective in the group.
    ///
    /// PTX: `tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [full];` (9.7.16.12.1, sm_100f, sm_110f)
    #[inline(always)]
    #[doc(alias("umma_arrive", "cutlass::arch::umma_arrive"))]
    pub fn commit(self, _thread: &Thread<'p>) -> Issuer<'p, N, BUFFERS> {
        let mut issuer = self.issuer;
        let full = Layout::<N, BUFFERS>::full(issuer.base, issuer.at.stage);
        // SAFETY: the mbarrier is valid during the run, and this is its one arrival in the phase.
        unsafe { raw::tcgen05_commit(cta_group::One, space::SharedCluster, full, multicast::None) };
        issuer.at.advance::<BUFFERS>();
        issuer
    }
}

/// The rows of an accumulator.
const M: usize = 128;
/// The bits that a matrix descriptor of `tcgen05` has, and one of `wgmma` lacks (PTX ISA 9.7.16.4.1). Both have the swizzle at the same
/// place.
const DESCRIPTOR: u64 = 1 << 46;

/// The handle of the warpgroup that reads the accumulators of [`TensorMemory`](super::TensorMemory), one after another.
#[must_use = "the closure of the run returns this handle"]
#[derive(Debug)]
pub struct Accumulators<'p, N, const BUFFERS: usize> {
    base: u32,
    /// The address of the columns, in the lanes of the warp.
    taddr: u32,
    at: Cursor,
    _run: Brand<'p>,
    _columns: PhantomData<*mut N>,
}

/// The sums of products that are complete, 128 rows of `N` columns of `f32` in tensor memory: a thread of the warpgroup reads the row of
/// its rank. [`release`](FullAccumulator::release) gives the accumulator back to the thread that multiplies.
#[must_use = "the thread that multiplies waits for the accumulator: call `.release(warpgroup)`"]
#[derive(Debug)]
pub struct FullAccumulator<'p, N, const BUFFERS: usize> {
    accumulators: Accumulators<'p, N, BUFFERS>,
}

impl<'p, N: Columns, const BUFFERS: usize> Accumulators<'p, N, BUFFERS> {
    /// # Safety
    ///
    /// 1. Each thread of the warpgroup gets one handle per run, and `'p` belongs to that run alone.
    /// 2. During the run, `base` is the address of the memory, whose mbarriers are valid, and `taddr` that of its columns, in the lanes
    ///    of the warp.
    #[inline(always)]
    pub(super) unsafe fn new(base: u32, taddr: u32) -> Self {
        Accumulators { base, taddr, at: Cursor::START, _run: PhantomData, _columns: PhantomData }
    }

    /// Waits until the products of the next accumulator are complete.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [full], parity;`
    /// `vote.sync.all.pred`; then `tcgen05.fence::after_thread_sync;`
    #[inline(always)]
    #[track_caller]
    pub fn wait(self, warpgroup: &Warpgroup<'p, 1>) -> FullAccumulator<'p, N, BUFFERS> {
        meet!(warpgroup);
        let full = Layout::<N, BUFFERS>::full(self.base, self.at.stage);
        // SAFETY: `full` is valid (`Accumulators::new`). `parity` is of the current phase or of the one before: the accumulator is not
        // multiplied again before this warp gives it back. The lanes of the warp make the call together (`meet!`).
        unsafe { await_full_together::<()>(full, self.at.parity) };
        raw::tcgen05_fence(thread_sync::After);
        FullAccumulator { accumulators: self }
    }
}

impl<'p, N: Columns, const BUFFERS: usize> FullAccumulator<'p, N, BUFFERS> {
    /// Loads the sums of the thread's row in part `i` of the columns, `COLUMNS` from column `COLUMNS * i` on, and waits for them. `None`
    /// if the accumulator has no such columns.
    ///
    /// `COLUMNS` is a power of two from 1 to 128, the registers that the sums take. `i` is equal in all threads of the warpgroup.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: `tcgen05.ld.sync.aligned.32x32b.x{COLUMNS}.b32 r, [taddr];` `tcgen05.wait::ld.sync.aligned;` (9.7.16.8, sm_100f, sm_110f)
    #[inline(always)]
    #[track_caller]
    #[must_use]
    #[doc(alias("SM100_TMEM_LOAD_32dp32b64x", "tmem_load_wait"))]
    pub fn load<const COLUMNS: usize>(
        &self,
        warpgroup: &Warpgroup<'p, 1>,
        i: usize,
    ) -> Option<[f32; COLUMNS]> {
        meet!(warpgroup);
        const {
            assert!(
                COLUMNS.is_power_of_two() && COLUMNS <= 128,
                "a load has 1, 2, 4, 8, 16, 32, 64 or 128 columns"
            );
        }
        if i >= N::COUNT / COLUMNS {
            return None;
        }
        let from = &self.accumulators;
        let taddr = from.taddr + from.at.stage * N::COUNT as u32 + (i * COLUMNS) as u32;
        macro_rules! load {
            ($( $columns:literal $Num:ident )*) => {
                match COLUMNS {
                    $( $columns => {
                        // SAFETY: all lanes of the warp make the call together (`meet!`). The columns are allocated, the lanes are those
                        // of the warp (`Accumulators::new`). The products have completed, and the next ones wait for `release`.
                        let words = unsafe { raw::tcgen05_ld_32x32b(num::$Num, pack::None, taddr) };
                        words_of(&words)
                    } )*
                    _ => return None,
                }
            };
        }
        let words: [u32; COLUMNS] = load! { 1 X1 2 X2 4 X4 8 X8 16 X16 32 X32 64 X64 128 X128 };
        // SAFETY: all lanes of the warp make the call together.
        unsafe { raw::tcgen05_wait(wait::Ld) };
        // The registers have their values behind the wait.
        let mut sums: [f32; COLUMNS] = zeroed();
        unroll::<COLUMNS>(|i| sums[i] = f32::from_bits(raw::tie_word(words[i])));
        Some(sums)
    }

    /// Gives the accumulator back, whose sums the threads have loaded: the thread that multiplies overwrites it.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: `tcgen05.fence::before_thread_sync;` `bar.warp.sync 0xffffffff;`, then by lane 0
    /// `mbarrier.arrive.release.cta.shared::cta.b64 state, [empty];`
    #[inline(always)]
    #[track_caller]
    pub fn release(self, warpgroup: &Warpgroup<'p, 1>) -> Accumulators<'p, N, BUFFERS> {
        meet!(warpgroup);
        let mut accumulators = self.accumulators;
        let empty = Layout::<N, BUFFERS>::empty(accumulators.base, accumulators.at.stage);
        raw::tcgen05_fence(thread_sync::Before);
        // SAFETY: the executing thread is in the mask. `empty` is valid (`Accumulators::new`), and this is the warp's one arrival in the
        // phase: the next one follows the next products, whose start waits for this phase. All loads have completed (`load`).
        unsafe {
            raw::bar_warp_sync(u32::MAX);
            if warpgroup.thread_rank().is_multiple_of(32) {
                raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, empty, arrivals::One);
            }
        }
        accumulators.at.advance::<BUFFERS>();
        accumulators
    }
}

/// Returns the words of a load, of which there are `COLUMNS`.
#[inline(always)]
fn words_of<const COLUMNS: usize>(words: &[u32]) -> [u32; COLUMNS] {
    // A copy of an array of a constant length, of which LLVM makes registers.
    match words.first_chunk() {
        Some(words) => *words,
        None => crate::trap::trap(),
    }
}

handles! { Issuer<'static, (), 2>, Products<'static, (), 2>, Accumulators<'static, (), 2>, FullAccumulator<'static, (), 2> }
