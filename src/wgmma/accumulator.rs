//! Accumulators of `wgmma`: the sums of a warpgroup, at rest or in flight.

use core::fmt;
use core::marker::PhantomData;

use super::multiplicand::{Multiplicand, RegisterMultiplicand};
use super::packed::Packed;
use crate::async_group::Token;
use crate::group::Brand;
use crate::mark::part_meets;
use crate::qualifier::Columns;
use crate::raw::{self, WgmmaMajor};
use crate::registers::unroll;
use crate::tensor::{MatrixBox, Operand};

/// The sums of a product that a warpgroup computes, `64 * M` rows of `N` columns of `f32`, at rest in the registers of its threads:
/// each thread has `M * N / 2` of them.
///
/// [`Wgmma::start`](super::Wgmma::start) takes the accumulator into a group of products, and a wait for that group gives it back.
/// Meanwhile nothing can read or write it. [`pack`](Accumulator::pack) rounds the sums, and [`Packed::store`](super::Packed::store)
/// puts the fragments of the threads together to rows.
#[must_use = "the sums are in no register but here"]
#[derive(Debug)]
#[doc(alias("fragment", "cute::partition_fragment_C"))]
pub struct Accumulator<N: Columns, const M: usize = 1> {
    pub(super) sums: [N::F32; M],
}

impl<N: Columns, const M: usize> Accumulator<N, M> {
    /// Replaces each sum `x` by `f(x)`.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`.
    ///
    /// ```
    /// # use ptx::{qualifier::n, wgmma::Accumulator};
    /// /// A product that is scaled, and of which negative elements become zero.
    /// fn relu(sums: Accumulator<n::N128>, scale: f32) -> Accumulator<n::N128> {
    ///     sums.map(|x| (x * scale).max(0.0))
    /// }
    /// ```
    #[inline(always)]
    pub fn map(self, mut f: impl FnMut(f32) -> f32) -> Self {
        self.map_registers(|_, _, sum| f(sum))
    }

    /// Replaces each sum `x` by `f(m, i, x)`, that of register `i` of the rows from `64 * m` on.
    #[inline(always)]
    pub(super) fn map_registers(mut self, mut f: impl FnMut(usize, usize, f32) -> f32) -> Self {
        unroll_rows::<M>(|m| {
            unroll::<128>(|i| {
                if let Some(sum) = self.sums[m].as_mut().get_mut(i) {
                    *sum = f(m, i, *sum);
                }
            });
        });
        self
    }
}

/// An [`Accumulator`] of zeros, which takes no registers: the first product writes the sums (`scale-d` is false).
#[derive(Debug)]
pub struct Zeros<N: Columns, const M: usize = 1>(PhantomData<N>);

impl<N: Columns, const M: usize> Zeros<N, M> {
    /// The zeros before the first product.
    ///
    /// PTX: none.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        Zeros(PhantomData)
    }
}

impl<N: Columns, const M: usize> Default for Zeros<N, M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<N: Columns, const M: usize> Accumulator<N, M> {
    /// An accumulator whose registers are zeros, which a loop can add to. [`Zeros`] take no registers.
    ///
    /// PTX: `mov` of zeros.
    #[inline(always)]
    pub fn zeros() -> Self {
        // SAFETY: arrays of numbers, of which zero bits are values.
        Accumulator { sums: unsafe { core::mem::zeroed() } }
    }
}

/// [`Zeros`] in the registers of an accumulator whose sums are not needed any more ([`Accumulator::overwrite`]).
#[derive(Debug)]
pub struct Overwrite<N: Columns, const M: usize = 1> {
    sums: [N::F32; M],
}

impl<N: Columns, const M: usize> Accumulator<N, M> {
    /// Gives the registers to other products, which overwrite the sums: `Zeros` that say which registers to take.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn overwrite(self) -> Overwrite<N, M> {
        Overwrite { sums: self.sums }
    }

    /// Has the sums in registers from here on. The registers of zeros that a loop adds to are otherwise written where the loop begins;
    /// with products in flight there, ptxas puts a wait for these before (C7517).
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{qualifier::n, wgmma::Accumulator};
    /// /// Zeros for a loop that begins with products in flight.
    /// fn start() -> Accumulator<n::N128> {
    ///     Accumulator::zeros().in_registers()
    /// }
    /// ```
    #[inline(always)]
    #[doc(alias = "warpgroup_fence_operand")]
    pub fn in_registers(self) -> Self {
        Accumulator { sums: tie::<N, M>(self.sums) }
    }
}
// SAFETY: nothing reads the sums.
unsafe impl<N: Columns, const M: usize> Addend<N, M> for Overwrite<N, M> {
    #[inline(always)]
    fn sums(self, _: Token) -> ([N::F32; M], bool) {
        (self.sums, false)
    }
}

/// What a group of products adds to: an [`Accumulator`] or [`Zeros`].
///
/// # Safety
///
/// Implemented here only: sums to add to are those of an accumulator at rest.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Addend<N: Columns, const M: usize>: Sized {
    /// Returns the sums, and whether products add to them: otherwise the first product overwrites them.
    #[doc(hidden)]
    fn sums(self, token: Token) -> ([N::F32; M], bool);
}
// SAFETY: these are the sums.
unsafe impl<N: Columns, const M: usize> Addend<N, M> for Accumulator<N, M> {
    #[inline(always)]
    fn sums(self, _: Token) -> ([N::F32; M], bool) {
        (self.sums, true)
    }
}
// SAFETY: nothing reads the sums.
unsafe impl<N: Columns, const M: usize> Addend<N, M> for Zeros<N, M> {
    #[inline(always)]
    fn sums(self, _: Token) -> ([N::F32; M], bool) {
        // SAFETY: arrays of numbers, of which zero bits are values.
        (unsafe { core::mem::zeroed() }, false)
    }
}

/// Passes all sums through assembly without an instruction.
#[inline(always)]
pub(super) fn tie<N: Columns, const M: usize>(mut sums: [N::F32; M]) -> [N::F32; M] {
    unroll_rows::<M>(|m| sums[m] = raw::wgmma_tie(sums[m]));
    sums
}

/// Calls `f` with each number below `M`.
#[inline(always)]
pub(super) fn unroll_rows<const M: usize>(f: impl FnMut(usize)) {
    const { assert!(M > 0 && M <= 4, "an accumulator has 64, 128, 192 or 256 rows: choose `M` of 1 to 4") };
    unroll::<M>(f);
}

/// Sums in flight, in the closure that adds products to them ([`Wgmma::start`](super::Wgmma::start)).
#[must_use = "the closure returns the sums in flight"]
pub struct Flight<'a, N: Columns, const M: usize = 1> {
    pub(super) sums: [N::F32; M],
    /// Whether the next product adds to the sums: false before the first product of [`Zeros`].
    adds: bool,
    _group: Brand<'a>,
}

impl<N: Columns, const M: usize> fmt::Debug for Flight<'_, N, M> {
    /// Shows no sums: products in flight still write their registers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flight").finish_non_exhaustive()
    }
}

impl<'a, N: Columns, const M: usize> Flight<'a, N, M> {
    /// # Safety
    ///
    /// `'a` belongs to this group alone, and the sums are at rest or in flight in a chain of products of the same shape. If `adds` is
    /// false, they have no value.
    #[inline(always)]
    pub(super) unsafe fn new(sums: [N::F32; M], adds: bool) -> Self {
        Flight { sums, adds, _group: PhantomData }
    }

    /// Starts `D = A · B + D` of all of K: the product of `64 * M` rows of `a` with `N` rows of `b`, which are columns of the product.
    /// Both operands have the same K.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX, of `bf16`, for each 16 along K and each 64 rows:
    /// `wgmma.mma_async.sync.aligned.m64n{N}k16.f32.bf16.bf16 d, a-desc, b-desc, scale-d, 1, 1, imm-trans-a, imm-trans-b;`
    /// (9.7.15.5.2, sm_90a); of `f32`, for each 8 along K, `…k8.f32.tf32.tf32` without the transpositions
    #[inline(always)]
    #[doc(alias("cute::gemm", "warpgroup_gemm"))]
    pub fn mma<
        T: Multiplicand,
        A: MatrixBox,
        B: MatrixBox,
        MajorA: WgmmaMajor,
        MajorB: WgmmaMajor,
        const PANELS_A: usize,
        const PANELS_B: usize,
        const PARTS_A: u32,
        const PARTS_B: u32,
    >(
        mut self,
        a: Operand<'a, T, A, PANELS_A, MajorA, PARTS_A>,
        b: Operand<'a, T, B, PANELS_B, MajorB, PARTS_B>,
    ) -> Self {
        part_meets();
        let steps = const {
            assert!(
                Operand::<T, A, PANELS_A, MajorA, PARTS_A>::MN == 64 * M,
                "the rows of A are not those of the accumulator, `64 * M`: take the warpgroup's part by `a.of(warpgroup)`, or choose another `M`"
            );
            assert!(
                Operand::<T, B, PANELS_B, MajorB, PARTS_B>::MN == N::COUNT,
                "the rows of the tile of B, which are columns of the product, are not the columns of the accumulator: choose the tag of `n` that fits"
            );
            let k = Operand::<T, A, PANELS_A, MajorA, PARTS_A>::K;
            assert!(
                k == Operand::<T, B, PANELS_B, MajorB, PARTS_B>::K,
                "A and B differ in their extent along K: choose boxes of the same K"
            );
            assert!(
                k.is_multiple_of(T::STEP) && k / T::STEP <= 128,
                "one instruction multiplies 32 bytes along K: choose a K of a multiple"
            );
            k / T::STEP
        };
        let mut step = 0;
        while step < steps {
            unroll_rows::<M>(|m| {
                let (a, b) = (a.descriptor(64 * m, step * T::STEP), b.descriptor(0, step * T::STEP));
                // SAFETY: the group's threads are those of a warpgroup, which make this call together. The operands are in shared
                // memory, where the async proxy has written them, and the group holds them until a wait. The sums are in flight:
                // a fence stands at the start of the group, and nothing reads or writes them until a wait.
                self.sums[m] = unsafe { T::wgmma::<N, MajorA, MajorB>(self.sums[m], a, b, self.adds) };
            });
            self.adds = true;
            step += 1;
        }
        self
    }

    /// Starts `D = A · B + D`, where A are values in registers: the product of the rows of `a` with the `N` rows of `b`. The columns
    /// of `a` are K, as many as `b` has along K.
    ///
    /// The group holds `a` ([`Wgmma::start`](super::Wgmma::start)). Pack it while no product is in flight: otherwise ptxas serializes
    /// the products, which `ptx-link` reports as an error.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX, of `bf16`, for each 16 along K and each 64 rows:
    /// `wgmma.mma_async.sync.aligned.m64n{N}k16.f32.bf16.bf16 d, a, b-desc, scale-d, 1, 1, imm-trans-b;` (9.7.15.5.2, sm_90a)
    ///
    /// ```
    /// # use ptx::{bf16, group::Warpgroup, pipeline::StageOperands, qualifier::{n, swizzle_mode}, tensor::Box2};
    /// # use ptx::wgmma::{Accumulator, Packed, Tile, Wgmma};
    /// # type Stage<'p> = StageOperands<'p, Tile<bf16, Box2<64, 128, swizzle_mode::B128>, 2>, 4>;
    /// /// Adds to `sums` the product of 64 rows of weights with 128 rows of 128 values.
    /// fn weighted<'p>(
    ///     warpgroup: &Warpgroup<'p, 2>,
    ///     wgmma: Wgmma<'p>,
    ///     sums: Accumulator<n::N128>,
    ///     weights: Packed<bf16, n::N128>,
    ///     values: Stage<'p>,
    /// ) -> (Wgmma<'p>, Accumulator<n::N128>) {
    ///     let products = wgmma.start(warpgroup, sums, (weights, values), |sums, (weights, values)| {
    ///         sums.mma_registers(weights, values.tiles().transposed())
    ///     });
    ///     let (wgmma, (sums, (_, values))) = products.wait(warpgroup);
    ///     values.release(warpgroup);
    ///     (wgmma, sums)
    /// }
    /// ```
    #[inline(always)]
    #[doc(alias("SM90_64x128x16_F32BF16BF16_RS", "warpgroup_gemm_rs"))]
    pub fn mma_registers<
        T: RegisterMultiplicand,
        K: Columns,
        B: MatrixBox,
        MajorB: WgmmaMajor,
        const PANELS_B: usize,
        const PARTS_B: u32,
    >(
        mut self,
        a: &'a Packed<T, K, M>,
        b: Operand<'a, T, B, PANELS_B, MajorB, PARTS_B>,
    ) -> Self {
        part_meets();
        const {
            assert!(
                Operand::<T, B, PANELS_B, MajorB, PARTS_B>::MN == N::COUNT,
                "the rows of the tile of B, which are columns of the product, are not the columns of the accumulator: choose the tag of `n` that fits"
            );
            assert!(
                Operand::<T, B, PANELS_B, MajorB, PARTS_B>::K == K::COUNT,
                "the values in registers have other columns than B has along K: pack sums of as many columns"
            );
            assert!(
                K::COUNT.is_multiple_of(T::STEP),
                "one instruction multiplies 32 bytes along K: choose a K of a multiple"
            );
        }
        unroll::<16>(|step| {
            if step < K::COUNT / T::STEP {
                unroll_rows::<M>(|m| {
                    let b = b.descriptor(0, step * T::STEP);
                    if let Some(&[a0, a1, a2, a3]) = a.words[m].as_ref().get(4 * step..4 * step + 4) {
                        // SAFETY: as in `mma`. The group holds the values of A, and nothing writes their registers until a wait.
                        self.sums[m] = unsafe {
                            T::wgmma_registers::<N, MajorB>(self.sums[m], [a0, a1, a2, a3], b, self.adds)
                        };
                    }
                });
                self.adds = true;
            }
        });
        self
    }
}
