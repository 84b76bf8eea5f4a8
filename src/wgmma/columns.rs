//! Columns of accumulators, and what a thread has of them.
//!
//! Of each 8 columns of an accumulator a thread has two neighboring ones, in two rows: four neighboring lanes share a row (PTX ISA
//! 9.7.15.5.1.1.3).

use super::accumulator::{Accumulator, unroll_rows};
use crate::group::Warpgroup;
use crate::qualifier::Columns;
use crate::registers::unroll;

/// The place of a column's value among the values of all columns, in the order that [`Accumulator::map_columns`] takes: what a thread
/// needs of 16 columns is four neighboring values.
///
/// PTX: none.
///
/// ```
/// # use ptx::wgmma::column_place;
/// // Lane 1 has columns 2, 3, 10 and 11 of the first 16.
/// assert_eq!([2, 3, 10, 11].map(column_place), [4, 5, 6, 7]);
/// ```
#[inline(always)]
#[must_use]
pub const fn column_place(column: usize) -> usize {
    column / 16 * 16 + column % 8 / 2 * 4 + column % 16 / 8 * 2 + column % 2
}

impl<N: Columns, const M: usize> Accumulator<N, M> {
    /// Replaces each sum `x` by `f(x, value)`, with the value of its column. `vector(i)` gives vector `i` of the values, of which each
    /// column's lies at its [`column_place`]. `N` is a multiple of 16.
    ///
    /// Not collective.
    ///
    /// PTX: that of `vector`, `N / 16` times, and of `f`.
    ///
    /// ```
    /// # use ptx::{group::Warpgroup, pipeline::StageOperands, qualifier::n, wgmma::Accumulator};
    /// /// Multiplies each column by a factor from a stage.
    /// fn scaled<'p>(
    ///     warpgroup: &Warpgroup<'p, 2>,
    ///     sums: Accumulator<n::N64>,
    ///     factors: &StageOperands<'p, [f32; 64], 2>,
    /// ) -> Accumulator<n::N64> {
    ///     let factors = factors.tiles();
    ///     sums.map_columns(warpgroup, |i| factors.get_vector(i).unwrap_or_default(), |x, factor| x * factor)
    /// }
    /// ```
    #[inline(always)]
    pub fn map_columns<V: Copy, const COUNT: u32>(
        mut self,
        warpgroup: &Warpgroup<'_, COUNT>,
        mut vector: impl FnMut(usize) -> [V; 4],
        mut f: impl FnMut(f32, V) -> f32,
    ) -> Self {
        const {
            assert!(
                N::COUNT.is_multiple_of(16),
                "a vector has the values of four of 16 columns: choose a number of columns that is a multiple of 16"
            );
        }
        let lane = warpgroup.thread_rank() as usize % 4;
        unroll::<16>(|k| {
            if k < N::COUNT / 16 {
                let values = vector(4 * k + lane);
                unroll_rows::<M>(|m| {
                    unroll::<8>(|i| {
                        if let Some(sum) = self.sums[m].as_mut().get_mut(8 * k + i) {
                            *sum = f(*sum, values[i / 4 * 2 + i % 2]);
                        }
                    });
                });
            }
        });
        self
    }

    /// Replaces each sum `x` by `f(x, y)`, where `y` is the other accumulator's sum at the same place.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`.
    ///
    /// ```
    /// # use ptx::{qualifier::n, wgmma::Accumulator};
    /// /// Products of the elements.
    /// fn hadamard(x: Accumulator<n::N64>, y: &Accumulator<n::N64>) -> Accumulator<n::N64> {
    ///     x.zip(y, |x, y| x * y)
    /// }
    /// ```
    #[inline(always)]
    pub fn zip(self, other: &Self, mut f: impl FnMut(f32, f32) -> f32) -> Self {
        // Each register is there: both have the same type.
        self.map_registers(|m, i, x| f(x, other.sums[m].as_ref().get(i).copied().unwrap_or(x)))
    }
}
