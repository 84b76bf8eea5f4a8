//! Sums as they leave the registers: pairs of halves, stored to shared memory by `stmatrix`.

use core::marker::PhantomData;

use super::accumulator::{Accumulator, unroll_rows};
use crate::group::Warpgroup;
use crate::math::convert;
use crate::qualifier::{Columns, space, trans};
use crate::raw;
use crate::registers::unroll;
use crate::shared::{Element, Shared, VectorStores, bits};
use crate::tensor::MatrixBox;

/// The values of an [`Accumulator`] as `T`, two in each register: `64 * M` rows of `N` columns.
///
/// They leave by [`store`](Packed::store), or are an operand of further products
/// ([`mma_registers`](super::Flight::mma_registers)): the fragment of A has the layout of the sums.
#[must_use = "the values are in no register but here"]
#[derive(Debug)]
pub struct Packed<T, N: Columns, const M: usize = 1> {
    pub(super) words: [N::F16; M],
    _of: PhantomData<T>,
}

/// Half precision to which sums are rounded: `bf16` or `f16`.
#[diagnostic::on_unimplemented(message = "sums are not packed as `{Self}`", label = "not `bf16` or `f16`")]
#[cfg_attr(doc, doc(hidden))]
pub trait Half: Element {
    #[doc(hidden)]
    fn pack(pair: [f32; 2]) -> u32;
}
macro_rules! halves {
    ($( $T:ty )*) => { $(
        impl Half for $T {
            #[inline(always)]
            fn pack(pair: [f32; 2]) -> u32 {
                // SAFETY: two halves are plain data of 32 bits.
                unsafe { bits(convert::<[$T; 2]>(pair)) }
            }
        }
    )* };
}
halves! { half::bf16 half::f16 }

impl<N: Columns, const M: usize> Accumulator<N, M> {
    /// Rounds the sums to `T`, `bf16` or `f16`, to the nearest.
    ///
    /// PTX, for two sums: `cvt.rn.bf16x2.f32`
    #[inline(always)]
    pub fn pack<T: Half>(&self) -> Packed<T, N, M> {
        // SAFETY: arrays of words, of which zero bits are values.
        let mut words: [N::F16; M] = unsafe { core::mem::zeroed() };
        unroll_rows::<M>(|m| {
            unroll::<64>(|i| {
                if i < N::COUNT / 4 {
                    let sums = self.sums[m].as_ref();
                    words[m].as_mut()[i] = T::pack([sums[2 * i], sums[2 * i + 1]]);
                }
            });
        });
        Packed { words, _of: PhantomData }
    }
}

impl<T: Half, N: Columns, const M: usize> Packed<T, N, M> {
    /// Zeros, for a loop whose first round has no values to store.
    ///
    /// PTX: `mov` of zeros.
    #[inline(always)]
    pub fn zeros() -> Self {
        // SAFETY: arrays of words, of which zero bits are values.
        Packed { words: unsafe { core::mem::zeroed() }, _of: PhantomData }
    }

    /// Stores `64` rows and as many columns as a row of the box `S` has: those of rows `64 * row` and of columns from
    /// `column * INNER` on. The box `S` has 64 rows, and the swizzle of `S` puts each 16 bytes where the store of a tensor expects them.
    /// Nothing is stored if there is no such column.
    ///
    /// `row` and `column` are constants, or the sums go to local memory.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX, for 16 columns: `stmatrix.sync.aligned.m8n8.x4.shared::cta.b16` (9.7.14.5.16)
    ///
    /// ```
    /// # use ptx::{bf16, group::Warpgroup, qualifier::{n, swizzle_mode}, tensor::{Box2, StoreRing, TensorRowMut}};
    /// # use ptx::wgmma::Packed;
    /// type Part = Box2<64, 64, swizzle_mode::B128>;
    ///
    /// /// Stores 64 rows of 128 columns as two boxes.
    /// fn store_rows<'p>(
    ///     warpgroup: &Warpgroup<'p, 2>,
    ///     values: &Packed<bf16, n::N128>,
    ///     boxes: &mut TensorRowMut<bf16, Part, Warpgroup<'p, 2>>,
    ///     out: &mut StoreRing<'_, bf16, 8192, { Part::LEN }, 2, Warpgroup<'p, 2>>,
    /// ) {
    ///     ptx::registers::unroll::<2>(|i| {
    ///         if let Some(to) = boxes.next_box() {
    ///             out.store(warpgroup, to, |buffer| values.store::<Part, _, _>(warpgroup, [0, i], buffer));
    ///         }
    ///     });
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias("SM90_U32x4_STSM_N"))]
    pub fn store<'p, S: MatrixBox, const COUNT: u32, const LEN: usize>(
        &self,
        warpgroup: &Warpgroup<'p, COUNT>,
        [row, column]: [usize; 2],
        to: &Shared<'_, T, LEN, VectorStores, Warpgroup<'p, COUNT>>,
    ) {
        meet!(warpgroup);
        const {
            assert!(size_of::<T>() == 2, "the values are halves");
            assert!(
                S::OUTER == 64
                    && S::LEN == LEN
                    && S::INNER.is_multiple_of(16)
                    && S::INNER <= 64
                    && S::ROW_BYTES == 2 * S::INNER,
                "a warpgroup stores boxes of 64 rows of 16, 32 or 64 columns, with a swizzle as wide as a row, to an array of that length"
            );
        }
        // The addresses are computed for each store: registers that hold them meanwhile would be missing to the sums.
        let rank = raw::tie_word(warpgroup.thread_rank());
        let (lane, warp) = (rank % 32, rank / 32);
        // Lanes 0 to 15 give the rows of the first 8 columns, lanes 16 to 31 those of the next 8.
        let first = to.addr() + (16 * warp + lane % 16) * S::ROW_BYTES as u32;
        let swizzle = (first >> 3) & (S::ROW_BYTES as u32 - 16);
        let first = first + ((16 * (lane / 16)) ^ swizzle);
        let Some(words) = self.words.get(row) else { return };
        unroll::<4>(|i| {
            if i < S::INNER / 16 {
                let at = column * (S::INNER / 4) + 4 * i;
                if let Some(&[a, b, c, d]) = words.as_ref().get(at..at + 4) {
                    // SAFETY: the warp's lanes make this call together, and give 16 bytes each of the array, aligned: an array
                    // starts at a multiple of 128. By the state no thread reads; each warp has its own rows.
                    unsafe {
                        raw::stmatrix_m8n8_x4(
                            trans::None,
                            space::SharedCta,
                            first ^ (32 * i as u32),
                            [a, b, c, d],
                        );
                    }
                }
            }
        });
    }

    /// Stores the transposed values: `N` rows of 64 columns, as a box `S` of so many rows, whose swizzle puts each 16 bytes where an
    /// operand of further products expects them. So what was computed with rows along M becomes an operand with K along these rows.
    ///
    /// `row` is a constant: the values are those of rows `64 * row` to `64 * row + 63`.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX, for 16 rows of the box: `stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16` (9.7.14.5.16)
    ///
    /// ```
    /// # use ptx::{bf16, group::Warpgroup, pipeline::{ExchangePart, ExchangedTile}, qualifier::{n, swizzle_mode}, tensor::Box2};
    /// # use ptx::wgmma::{Packed, Tile};
    /// type Rows = Box2<64, 128, swizzle_mode::B128>;
    ///
    /// /// Puts the values of two warpgroups together to 128 rows of 128 columns, transposed.
    /// fn share<'p>(
    ///     warpgroup: &Warpgroup<'p, 2>,
    ///     part: ExchangePart<'p, Tile<bf16, Rows, 2>>,
    ///     values: &Packed<bf16, n::N128>,
    /// ) -> ExchangedTile<'p, Tile<bf16, Rows, 2>> {
    ///     part.fill::<_, { Rows::LEN }>(warpgroup, |to| values.store_transposed::<Rows, _, _>(warpgroup, 0, to))
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias("SM90_U16x8_STSM_T"))]
    pub fn store_transposed<'p, S: MatrixBox, const COUNT: u32, const LEN: usize>(
        &self,
        warpgroup: &Warpgroup<'p, COUNT>,
        row: usize,
        to: &Shared<'_, T, LEN, VectorStores, Warpgroup<'p, COUNT>>,
    ) {
        meet!(warpgroup);
        const {
            assert!(size_of::<T>() == 2, "the values are halves");
            assert!(
                S::INNER == 64
                    && S::ROW_BYTES == 128
                    && S::OUTER == N::COUNT
                    && S::OUTER.is_multiple_of(16)
                    && S::LEN == LEN,
                "64 rows of values are the columns of a box: choose a box of 64 elements with `swizzle_mode::B128` and a row for each column of the values, a multiple of 16, and an array of that length"
            );
        }
        let rank = warpgroup.thread_rank();
        let (lane, warp) = (rank % 32, rank / 32);
        // Of each 16 rows of the box, lanes 0 to 7 and 8 to 15 give the first 8, with the first and the second 16 bytes of the warp's
        // columns, and the other lanes the other 8.
        let first = to.addr() + (lane % 8 + 8 * (lane / 16)) * 128;
        let swizzle = (first >> 3) & 112;
        let first = first + ((32 * warp + 16 * (lane / 8 % 2)) ^ swizzle);
        let Some(words) = self.words.get(row) else { return };
        unroll::<16>(|i| {
            if let Some(&[a, b, c, d]) = words.as_ref().get(4 * i..4 * i + 4) {
                // SAFETY: the warp's lanes make this call together, and give 16 bytes each of the array, aligned: an array starts at a
                // multiple of 128. By the state no thread reads; each warp has its own columns.
                unsafe {
                    raw::stmatrix_m8n8_x4(
                        trans::Trans,
                        space::SharedCta,
                        first + 2048 * i as u32,
                        [a, b, c, d],
                    );
                }
            }
        });
    }
}
