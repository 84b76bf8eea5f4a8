//! Rows of accumulators: a value for each row, reductions along rows, and places of elements.
//!
//! A thread of a warpgroup has parts of two of the 64 rows of an accumulator (PTX ISA 9.7.15.5.1.1.3): four neighboring lanes share
//! a row. Register `i` is of the first row if bit 1 of `i` is 0, else of the second one, eight rows below.

use super::accumulator::{Accumulator, unroll_rows};
use crate::group::Warpgroup;
use crate::qualifier::{Columns, mode};
use crate::raw;
use crate::registers::unroll;

/// A value for each of the `2 * M` rows of an [`Accumulator`] of which the thread has sums, in registers. The four lanes that share a
/// row each have a value: the same after [`reduce`](PerRow::reduce).
///
/// ```
/// # use ptx::{group::Warpgroup, qualifier::n, wgmma::{Accumulator, PerRow}};
/// /// Divides each row by its sum.
/// fn normalized<'p>(warpgroup: &Warpgroup<'p, 2>, sums: Accumulator<n::N128>) -> Accumulator<n::N128> {
///     let whole: PerRow<f32> = sums.fold_rows(|x, y| x + y).reduce(warpgroup, |x, y| x + y);
///     sums.map_rows(whole.map(|sum| 1.0 / sum), |x, inverse| x * inverse)
/// }
/// ```
#[derive(Debug, Clone, Copy)]
#[doc(alias("row_max", "row_sum"))]
pub struct PerRow<T, const M: usize = 1> {
    values: [[T; 2]; M],
}

impl<T: Copy, const M: usize> PerRow<T, M> {
    /// The same value for each row.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn new(value: T) -> Self {
        PerRow { values: [[value; 2]; M] }
    }

    /// Replaces each value `x` by `f(x)`.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`.
    #[inline(always)]
    pub fn map<U: Copy>(self, mut f: impl FnMut(T) -> U) -> PerRow<U, M> {
        PerRow { values: self.values.map(|[x, y]| [f(x), f(y)]) }
    }

    /// Combines the values `x` and `y` of each row to `f(x, y)`.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`.
    #[inline(always)]
    pub fn zip<U: Copy, V: Copy>(self, other: PerRow<U, M>, mut f: impl FnMut(T, U) -> V) -> PerRow<V, M> {
        PerRow {
            values: core::array::from_fn(|m| {
                let ([x0, x1], [y0, y1]) = (self.values[m], other.values[m]);
                [f(x0, y0), f(x1, y1)]
            }),
        }
    }

    /// Returns whether `f` is true of a value that the thread has.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`, and `or` of the results.
    ///
    /// ```
    /// # use ptx::{group::Warpgroup, qualifier::n, wgmma::{Accumulator, PerRow}};
    /// /// Multiplies rows by factors, unless all those of the warp are 1.
    /// fn scaled<'p>(warpgroup: &Warpgroup<'p, 2>, sums: Accumulator<n::N128>, by: PerRow<f32>) -> Accumulator<n::N128> {
    ///     if warpgroup.warp().any(by.any(|x| x != 1.0)) { sums.map_rows(by, |sum, x| sum * x) } else { sums }
    /// }
    /// ```
    #[inline(always)]
    pub fn any(self, mut f: impl FnMut(T) -> bool) -> bool {
        let mut any = false;
        unroll_rows::<M>(|m| unroll::<2>(|half| any |= f(self.values[m][half])));
        any
    }
}

impl<const M: usize> PerRow<f32, M> {
    /// Combines the values of the four lanes that share each row: all of them get the same value. `f` is associative and commutative.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX, for each row: `shfl.sync.bfly.b32` of 1 and of 2, each with `f`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "quad_allreduce_")]
    pub fn reduce<'p, const COUNT: u32>(
        mut self,
        warpgroup: &Warpgroup<'p, COUNT>,
        mut f: impl FnMut(f32, f32) -> f32,
    ) -> Self {
        meet!(warpgroup);
        unroll_rows::<M>(|m| {
            unroll::<2>(|half| {
                unroll::<2>(|step| {
                    let value = &mut self.values[m][half];
                    // SAFETY: all lanes of the warp make the call together (`meet!`).
                    let other =
                        unsafe { raw::shfl_sync(mode::Bfly, value.to_bits(), 1 << step, 0x1f, u32::MAX) };
                    *value = f(*value, f32::from_bits(other));
                });
            });
        });
        self
    }

    /// Calls `f` with each row of the accumulator, 0 to `64 * M - 1`, and its value: each row in one thread of the warpgroup.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`, by every fourth lane.
    ///
    /// ```
    /// # use ptx::{global::GlobalScatter, group::Warpgroup, wgmma::PerRow};
    /// /// Stores the values of the rows of a tile that begins at row `first`.
    /// fn store<'p>(warpgroup: &Warpgroup<'p, 2>, values: PerRow<f32>, first: usize, to: &GlobalScatter<f32>) {
    ///     values.for_each(warpgroup, |row, value| _ = to.write(first + row as usize, value));
    /// }
    /// ```
    #[inline(always)]
    pub fn for_each<const COUNT: u32>(self, warpgroup: &Warpgroup<'_, COUNT>, mut f: impl FnMut(u32, f32)) {
        let [row, column] = first(warpgroup);
        if column == 0 {
            unroll_rows::<M>(|m| {
                unroll::<2>(|half| f(row + (64 * m + 8 * half) as u32, self.values[m][half]));
            });
        }
    }
}

/// The row and the column of the thread's first element.
#[inline(always)]
fn first<const COUNT: u32>(warpgroup: &Warpgroup<'_, COUNT>) -> [u32; 2] {
    let rank = raw::tie_word(warpgroup.thread_rank());
    [rank / 32 * 16 + rank % 32 / 4, rank % 4 * 2]
}

impl<N: Columns, const M: usize> Accumulator<N, M> {
    /// Combines the thread's sums of each row by `f`, which is associative and commutative. [`PerRow::reduce`] combines what the
    /// lanes have.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`.
    #[inline(always)]
    pub fn fold_rows(&self, mut f: impl FnMut(f32, f32) -> f32) -> PerRow<f32, M> {
        /// Chains of each row, which do not wait for one another.
        const CHAINS: usize = 4;
        let mut values = [[0.0; 2]; M];
        unroll_rows::<M>(|m| {
            let sums = self.sums[m].as_ref();
            unroll::<2>(|half| {
                let of_row = |i: usize| sums.get(i / 2 * 4 + 2 * half + i % 2).copied();
                let mut chains = [0.0; CHAINS];
                unroll::<64>(|i| {
                    if let Some(sum) = of_row(i) {
                        chains[i % CHAINS] = if i < CHAINS { sum } else { f(chains[i % CHAINS], sum) };
                    }
                });
                let first = f(chains[0], chains[1]);
                // Of 8 columns a thread has two.
                values[m][half] = if N::COUNT == 8 {
                    first
                } else {
                    let second = f(chains[2], chains[3]);
                    f(first, second)
                };
            });
        });
        PerRow { values }
    }

    /// Replaces each sum `x` by `f(x, value)`, with the value of its row.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`.
    #[inline(always)]
    pub fn map_rows<V: Copy>(self, rows: PerRow<V, M>, mut f: impl FnMut(f32, V) -> f32) -> Self {
        self.map_registers(|m, i, sum| f(sum, rows.values[m][i / 2 % 2]))
    }

    /// Calls `f([row, column], sums)` with the thread's sums, four at a time: those of two neighboring columns in the row, and then
    /// in the row eight below. The place is that of the first one.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`.
    ///
    /// ```
    /// # use ptx::{group::Warpgroup, qualifier::n, shared::{Shared, VectorStores}, wgmma::Accumulator};
    /// /// Stores the sums as the threads have them: thread after thread, all of the first 8 columns before the others.
    /// fn store<'p>(
    ///     warpgroup: &Warpgroup<'p, 1>,
    ///     sums: &Accumulator<n::N64>,
    ///     to: &Shared<'_, f32, 4096, VectorStores, Warpgroup<'p, 1>>,
    /// ) {
    ///     let thread = warpgroup.thread_rank();
    ///     sums.for_each_four(warpgroup, |[_, column], four| {
    ///         to.set_vector((column / 8 * 128 + thread) as usize, four);
    ///     });
    /// }
    /// ```
    #[inline(always)]
    pub fn for_each_four<const COUNT: u32>(
        &self,
        warpgroup: &Warpgroup<'_, COUNT>,
        mut f: impl FnMut([u32; 2], [f32; 4]),
    ) {
        let [row, column] = first(warpgroup);
        unroll_rows::<M>(|m| {
            unroll::<32>(|i| {
                if let Some(&[a, b, c, d]) = self.sums[m].as_ref().get(4 * i..4 * i + 4) {
                    f([row + 64 * m as u32, column + 8 * i as u32], [a, b, c, d]);
                }
            });
        });
    }

    /// Replaces the thread's sums, four at a time, by `f([row, column], sums)`: those of two neighboring columns in the row, and then in the
    /// row eight below, as [`for_each_four`](Accumulator::for_each_four) has them. So a value of each column is loaded once for two rows.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`.
    ///
    /// ```
    /// # use ptx::{global::Global, group::Warpgroup, qualifier::n, wgmma::Accumulator};
    /// /// Adds a number to each column.
    /// fn with_bias<'p>(warpgroup: &Warpgroup<'p, 2>, sums: Accumulator<n::N128>, bias: Global<f32>) -> Accumulator<n::N128> {
    ///     sums.map_each_four(warpgroup, |[_, column], [x0, x1, y0, y1]| {
    ///         let [b0, b1] = [0, 1].map(|i| bias.get(column as usize + i).unwrap_or(0.0));
    ///         [x0 + b0, x1 + b1, y0 + b0, y1 + b1]
    ///     })
    /// }
    /// ```
    #[inline(always)]
    pub fn map_each_four<const COUNT: u32>(
        mut self,
        warpgroup: &Warpgroup<'_, COUNT>,
        mut f: impl FnMut([u32; 2], [f32; 4]) -> [f32; 4],
    ) -> Self {
        let [row, column] = first(warpgroup);
        unroll_rows::<M>(|m| {
            unroll::<32>(|i| {
                if let Some([a, b, c, d]) = self.sums[m].as_mut().get_mut(4 * i..4 * i + 4) {
                    [*a, *b, *c, *d] = f([row + 64 * m as u32, column + 8 * i as u32], [*a, *b, *c, *d]);
                }
            });
        });
        self
    }

    /// Replaces each sum `x` by `f([row, column], x)`, with its place in the `64 * M` rows and `N` columns.
    ///
    /// Not collective.
    ///
    /// PTX: that of `f`.
    ///
    /// ```
    /// # use ptx::{group::Warpgroup, qualifier::n, wgmma::Accumulator};
    /// /// Zeros above the diagonal.
    /// fn lower<'p>(warpgroup: &Warpgroup<'p, 2>, sums: Accumulator<n::N64>) -> Accumulator<n::N64> {
    ///     sums.map_at(warpgroup, |[row, column], x| if column <= row { x } else { 0.0 })
    /// }
    /// ```
    #[inline(always)]
    pub fn map_at<const COUNT: u32>(
        self,
        warpgroup: &Warpgroup<'_, COUNT>,
        mut f: impl FnMut([u32; 2], f32) -> f32,
    ) -> Self {
        let [row, column] = first(warpgroup);
        self.map_registers(|m, i, sum| {
            f([row + (64 * m + i / 2 % 2 * 8) as u32, column + (i / 4 * 8 + i % 2) as u32], sum)
        })
    }
}
