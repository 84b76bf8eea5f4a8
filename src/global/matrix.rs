//! Row-major matrices in global memory: read-only ones, and writable ones divided by rows or by tiles among the CTAs of the grid
//! (the output of a GEMM or of a row-wise kernel).

use super::elements::{Vector, per_vector};
use super::{ElementsMut, Global, VectorsMut, load};
use crate::group::Cta;
use crate::mark::{Grid, deal};
use crate::shared::Element;
use crate::size;
use crate::special_register;
use crate::trap::trap_because;

/// A row-major matrix of global memory that no thread writes while the kernel runs. The number of columns is known at run time.
///
/// ```
/// use ptx::global::GlobalMatrix;
/// # unsafe fn kernel(cta: &ptx::group::Cta, x: *const f32, rows: u32, columns: u32) {
/// // SAFETY: the host passes `rows` rows of `columns` elements, a multiple of four, aligned to 16 bytes; no thread writes them.
/// let x = unsafe { GlobalMatrix::from_raw(x, rows, columns) };
/// let own = x.row(cta.grid_rank() as usize).and_then(|row| row.get_vector(cta.thread_rank() as usize));
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalMatrix<T> {
    base: *const T,
    rows: u32,
    columns: u32,
}

impl<T> Clone for GlobalMatrix<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for GlobalMatrix<T> {}

impl<T: Element> GlobalMatrix<T> {
    /// Makes the handle of a read-only row-major matrix from a pointer to global memory and the numbers of rows and columns.
    ///
    /// # Safety
    ///
    /// - `base` is the 16-byte aligned address of `rows * columns` elements of global memory; a row has a multiple of 16 bytes.
    /// - no thread writes the elements until the grid ends.
    /// - every thread of the CTA makes the handle with equal arguments.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *const T, rows: u32, columns: u32) -> Self {
        GlobalMatrix { base, rows, columns }
    }

    /// Returns the number of rows.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns the number of elements of a row.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns row `y`, or `None` past the last row.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn row(&self, y: usize) -> Option<Global<T>> {
        // SAFETY: `y < rows`.
        (y < self.rows as usize).then(|| unsafe { self.row_at(y as u32) })
    }

    /// Returns row `y`.
    ///
    /// # Safety
    ///
    /// `y` is below `rows`.
    #[inline(always)]
    unsafe fn row_at(&self, y: u32) -> Global<T> {
        // SAFETY: `y < rows` (`# Safety`); rows are a multiple of 16 bytes, so each is aligned to 16 bytes; no thread writes
        // (`from_raw`).
        unsafe { Global::from_raw(self.base.add(start(y, self.columns)), self.columns as usize) }
    }

    /// Returns the tile of `R` rows and `C` columns at `[x, y]`, counted in tiles: its first element is in row `y * R`, column
    /// `x * C`. `None` if a part of the tile is outside of the matrix.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    #[doc(alias = "cute::local_tile")]
    pub fn tile<const R: usize, const C: usize>(&self, [x, y]: [usize; 2]) -> Option<MatrixTile<T, R, C>> {
        const { check::<T, R, C>() };
        if y >= self.rows as usize / R || x >= self.columns as usize / C {
            return None;
        }
        // SAFETY: `x < columns / C`, so the address is in row 0.
        let base = unsafe { self.base.add(x * C) };
        Some(MatrixTile { base, row: (y * R) as u32, columns: self.columns })
    }
}

/// The index of the first element of row `y`. A product of two 32-bit numbers is one instruction (`mul.wide.u32`).
#[inline(always)]
const fn start(y: u32, columns: u32) -> usize {
    y as usize * columns as usize
}

/// A handle of a tile of `R` rows and `C` columns of a [`GlobalMatrix`], which threads read by vectors of 16 bytes. Reads are
/// checked against the constants `R` and `C` only.
#[derive(Debug)]
pub struct MatrixTile<T, const R: usize, const C: usize> {
    /// The tile's first column in row 0 of the matrix. The tile begins `row` rows below.
    base: *const T,
    row: u32,
    columns: u32,
}

impl<T, const R: usize, const C: usize> Clone for MatrixTile<T, R, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, const C: usize> Copy for MatrixTile<T, R, C> {}

impl<T: Element, const R: usize, const C: usize> MatrixTile<T, R, C> {
    /// Returns the 16 bytes of the tile's row `y` that start at byte `16 * x` (for `f32`, a `float4` load); `None` outside of the
    /// tile.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`
    #[inline(always)]
    pub fn get_vector(&self, [x, y]: [usize; 2]) -> Option<T::Vector> {
        if x >= const { size::vectors::<T, C>() } || y >= R {
            return None;
        }
        // SAFETY: `[x, y]` is in the tile, which is aligned to 16 bytes and which no thread writes (`GlobalMatrix::from_raw`).
        Some(unsafe {
            Vector::load(self.base.add(start(self.row + y as u32, self.columns)).cast::<Vector<T>>().add(x))
        })
    }
}

/// A row-major matrix of global memory whose rows are divided among the CTAs of the grid: each CTA reads and writes its own rows.
///
/// ```
/// use ptx::global::GlobalRowsMut;
/// # unsafe fn kernel(cta: &ptx::group::Cta, y: *mut f32, rows: u32, columns: u32) {
/// // SAFETY: the host passes `rows` rows of `columns` elements, a multiple of four, aligned to 16 bytes, for this grid only.
/// let y = unsafe { GlobalRowsMut::from_raw(y, rows, columns) };
/// for (row, y) in y.rows(cta) {
///     y.vectors(cta).for_each(|(_, vector)| vector.write([row as f32; 4])); // by all threads of the CTA
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalRowsMut<T> {
    pub(super) base: *mut T,
    rows: u32,
    columns: u32,
}

impl<T: Element> GlobalRowsMut<T> {
    /// Makes the handle of a matrix divided by rows, from a pointer to global memory, the number of rows and the number of
    /// elements of a row.
    ///
    /// # Safety
    ///
    /// - `base` is the 16-byte aligned address of `rows * columns` elements of global memory; a row has a multiple of 16 bytes.
    /// - until the grid ends, only this grid accesses the elements, and each thread only through this one handle. All threads of
    ///   the grid make the handle with the same address and numbers.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, rows: u32, columns: u32) -> Self {
        GlobalRowsMut { base, rows, columns }
    }

    /// Returns the number of rows of the matrix.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn row_count(&self) -> u32 {
        self.rows
    }

    /// Returns the number of elements of a row.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns an iterator over the executing CTA's rows of the matrix: those at `r`, `r + c`, `r + 2 * c`, … for the CTA's rank
    /// `r` and `c` CTAs in the grid. Some CTAs may have one row more than others: make collective calls of the CTA in the loop,
    /// and none of the cluster.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn rows(self, cta: &Cta) -> RowsMut<T> {
        deal::<Grid, _>(self.base);
        RowsMut {
            base: self.base,
            columns: self.columns,
            next: cta.grid_rank(),
            count: self.rows,
            step: cta.grid_size(),
        }
    }

    /// Returns the rows of [`rows`](GlobalRowsMut::rows) with those of `inputs` that have the same index. Of a [`GlobalMatrix`], every
    /// thread reads the row; the row of another [`GlobalRowsMut`] is this CTA's too; a [`Global`] has a number for each row; and a
    /// tuple of two to four of these gives a tuple. So an item is `(index, rows of the inputs, row)`.
    ///
    /// Traps before the first row if an input has fewer rows than this matrix. An input may have more, which keep their contents.
    /// Where `#[len(rows, columns)]` gives all of them one number of rows, there is no check: the launch made it.
    ///
    /// Not collective.
    ///
    /// PTX: none; `ld.global` a row of a [`Global`]
    ///
    /// ```
    /// # use ptx::{global::{Global, GlobalMatrix, GlobalRowsMut}, group::Cta, math::fma, registers::from_fn};
    /// # fn kernel(cta: &Cta, x: GlobalMatrix<f32>, scales: Global<f32>, old: GlobalRowsMut<f32>, new: GlobalRowsMut<f32>) {
    /// // Scales each row, adds it to that of `old`, and stores the sum in both.
    /// for (_, (x, scale, old), new) in new.rows_with(cta, (x, scales, old)) {
    ///     let old = old.vectors(cta);
    ///     for (k, (_, new)) in new.vectors(cta).enumerate() {
    ///         if let Some((x, old)) = old.get_with(k, x) {
    ///             let sum = from_fn::<f32, 4>(|i| fma(scale, x[i], old.read()[i]));
    ///             old.write(sum);
    ///             new.write(sum);
    ///         }
    ///     }
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn rows_with<I: RowInputs>(
        self,
        cta: &Cta,
        inputs: I,
    ) -> impl Iterator<Item = (usize, I::Rows, RowMut<T>)> + use<T, I> {
        inputs.deal(self.rows);
        // SAFETY: the rows of a matrix that has an index below `rows`, which `inputs` have too (`deal`). Each index comes once, in one
        // CTA.
        self.rows(cta).map(move |(index, row)| (index, unsafe { inputs.row(index as u32) }, row))
    }
}

impl<T: Element> GlobalRowsMut<T> {
    /// Returns an iterator over the rows of the executing thread's warp: those at `r`, `r + w`, `r + 2 * w`, … for the warp's rank
    /// `r` in the grid and `w` warps in the grid. Each comes as the lane's vectors of 16 bytes. A warp per row is for short rows, a
    /// CTA per row ([`rows`](GlobalRowsMut::rows)) for long ones. Some warps may have one row more than others: make collective
    /// calls of the warp alone in the loop.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::GlobalRowsMut, group::Cta};
    /// # fn kernel(cta: &Cta, matrix: GlobalRowsMut<f32>) {
    /// // Divides each row by the sum of its elements.
    /// let warp = cta.warp();
    /// for (_, vectors) in matrix.warp_rows(cta) {
    ///     let sum = vectors.clone().fold(0.0, |sum, (_, v)| sum + v.read().iter().sum::<f32>());
    ///     let sum = warp.reduce_add(sum);
    ///     vectors.for_each_update::<4, _>((), |(), v| v.map(|x| x / sum));
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn warp_rows(self, cta: &Cta) -> WarpRowsMut<T> {
        deal::<Grid, _>(self.base);
        let (threads, warp) = (cta.thread_count(), cta.warp_rank());
        let warps = u64::from(threads.div_ceil(32));
        let step = u64::from(cta.grid_size()) * warps;
        if u64::from(self.rows) + step > u64::from(u32::MAX) {
            trap_because!("a matrix has 2^32 rows or more, together with the warps of the grid")
        }
        WarpRowsMut {
            base: self.base,
            columns: self.columns,
            next: (u64::from(cta.grid_rank()) * warps) as u32 + warp,
            count: self.rows,
            step: step as u32,
            lane: cta.thread_rank() % 32,
            lanes: (threads - 32 * warp).min(32),
        }
    }

    /// Returns the rows of [`warp_rows`](GlobalRowsMut::warp_rows), each with its index and the row of that index of `inputs`, as
    /// [`rows_with`](GlobalRowsMut::rows_with). Of a row of a [`GlobalRowsMut`], a lane has its vectors.
    ///
    /// Not collective.
    ///
    /// PTX: none; `ld.global` a row of a [`Global`]
    ///
    /// ```
    /// # use ptx::{global::{GlobalMatrix, GlobalRowsMut}, group::Cta};
    /// # fn kernel(cta: &Cta, x: GlobalMatrix<f32>, y: GlobalRowsMut<f32>) {
    /// // Divides each row by the sum of its elements.
    /// let warp = cta.warp();
    /// for (_, x, y) in y.warp_rows_with(cta, x) {
    ///     let mut sum = 0.0;
    ///     x.for_each::<4>(warp.lane(), 32, |x| sum += x);
    ///     let sum = warp.reduce_add(sum);
    ///     y.for_each_write::<4, _>(x, |x| x.map(|x| x / sum));
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn warp_rows_with<I: RowInputs>(
        self,
        cta: &Cta,
        inputs: I,
    ) -> impl Iterator<Item = (usize, I::WarpRows, VectorsMut<T, u32>)> + use<T, I> {
        inputs.deal(self.rows);
        let rows = self.warp_rows(cta);
        let (lane, lanes) = (rows.lane, rows.lanes);
        // SAFETY: as in `rows_with`; the lanes of one warp, which has the index, take the row's vectors.
        rows.map(move |(index, row)| (index, unsafe { inputs.warp_row(index as u32, lane, lanes) }, row))
    }
}

/// What [`GlobalRowsMut::rows_with`] and [`GlobalRowsMut::warp_rows_with`] give beside a row: a [`GlobalMatrix`], a [`Global`], another
/// [`GlobalRowsMut`], or a tuple of two to four of these.
///
/// # Safety
///
/// Implemented in this crate only: after `deal(rows)`, there is a row of each index below `rows`, and if it can be written, the threads
/// that have it are the only ones that access it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` gives no rows beside those of a matrix",
    label = "not a `GlobalMatrix`, a `GlobalRowsMut`, a `Global` with a number for each row, or a tuple of two to four of these"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait RowInputs {
    /// A row of each, for the threads of a CTA.
    type Rows;
    /// A row of each, for a lane of a warp.
    type WarpRows;
    /// Deals out the rows that can be written. Traps if there are fewer than `rows`.
    #[doc(hidden)]
    fn deal(&self, rows: u32);
    /// Returns the row of index `y`.
    ///
    /// # Safety
    ///
    /// `y` is below the `rows` of [`deal`](RowInputs::deal), and all threads of one CTA, and no others, take this row, once.
    #[doc(hidden)]
    unsafe fn row(&self, y: u32) -> Self::Rows;
    /// Returns the row of index `y`, or of one that is divided the vectors of this lane.
    ///
    /// # Safety
    ///
    /// As of [`row`](RowInputs::row), for the `lanes` lanes of one warp.
    #[doc(hidden)]
    unsafe fn warp_row(&self, y: u32, lane: u32, lanes: u32) -> Self::WarpRows;
}

/// Traps if memory beside a matrix has fewer rows.
#[inline(always)]
fn check_rows(has: bool) {
    if !has {
        trap_because!("what is passed to `rows_with` or `warp_rows_with` has fewer rows than the matrix")
    }
}

// SAFETY: `deal` compares the rows; no thread writes them.
unsafe impl<T: Element> RowInputs for GlobalMatrix<T> {
    type Rows = Global<T>;
    type WarpRows = Global<T>;
    #[inline(always)]
    fn deal(&self, rows: u32) {
        check_rows(self.rows >= rows);
    }
    #[inline(always)]
    unsafe fn row(&self, y: u32) -> Global<T> {
        // SAFETY: there is such a row (`# Safety`).
        unsafe { self.row_at(y) }
    }
    #[inline(always)]
    unsafe fn warp_row(&self, y: u32, _: u32, _: u32) -> Global<T> {
        // SAFETY: there is such a row (`# Safety`).
        unsafe { self.row_at(y) }
    }
}

// SAFETY: `deal` compares the elements, one for each row; no thread writes them.
unsafe impl<T: Element> RowInputs for Global<T> {
    type Rows = T;
    type WarpRows = T;
    #[inline(always)]
    fn deal(&self, rows: u32) {
        check_rows(self.len >= rows as usize);
    }
    #[inline(always)]
    unsafe fn row(&self, y: u32) -> T {
        // SAFETY: there is such an element (`# Safety`), and no thread writes it (`Global::from_raw`).
        unsafe { load(self.base.add(y as usize)) }
    }
    #[inline(always)]
    unsafe fn warp_row(&self, y: u32, _: u32, _: u32) -> T {
        // SAFETY: as in `row`.
        unsafe { RowInputs::row(self, y) }
    }
}

// SAFETY: `deal` compares the rows, and marks their memory. A call has the handle, so the rows are dealt out by it alone, each to the
// threads that take it.
unsafe impl<T: Element> RowInputs for GlobalRowsMut<T> {
    type Rows = RowMut<T>;
    type WarpRows = VectorsMut<T, u32>;
    #[inline(always)]
    fn deal(&self, rows: u32) {
        deal::<Grid, _>(self.base);
        check_rows(self.rows >= rows);
    }
    #[inline(always)]
    unsafe fn row(&self, y: u32) -> RowMut<T> {
        // SAFETY: there is such a row, which is this CTA's (`# Safety`).
        unsafe { RowMut::of_matrix(self.base, self.columns, y) }
    }
    #[inline(always)]
    unsafe fn warp_row(&self, y: u32, lane: u32, lanes: u32) -> VectorsMut<T, u32> {
        // SAFETY: as in `row`.
        let base = unsafe { self.base.add(start(y, self.columns)) };
        VectorsMut::of_row(base, self.columns, lane, lanes)
    }
}

macro_rules! row_inputs {
    ($( ($($I:ident $i:tt),+) )*) => { $(
        // SAFETY: each has its rows.
        unsafe impl<$($I: RowInputs),+> RowInputs for ($($I,)+) {
            type Rows = ($($I::Rows,)+);
            type WarpRows = ($($I::WarpRows,)+);
            #[inline(always)]
            fn deal(&self, rows: u32) {
                $( self.$i.deal(rows); )+
            }
            #[inline(always)]
            unsafe fn row(&self, y: u32) -> Self::Rows {
                // SAFETY: `# Safety`.
                unsafe { ($(self.$i.row(y),)+) }
            }
            #[inline(always)]
            unsafe fn warp_row(&self, y: u32, lane: u32, lanes: u32) -> Self::WarpRows {
                // SAFETY: `# Safety`.
                unsafe { ($(self.$i.warp_row(y, lane, lanes),)+) }
            }
        }
    )* };
}
row_inputs! { (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }

/// An iterator over a CTA's rows of a [`GlobalRowsMut`], with their indices.
#[derive(Debug)]
pub struct RowsMut<T> {
    base: *mut T,
    columns: u32,
    next: u32,
    count: u32,
    step: u32,
}

impl<T: Element> Iterator for RowsMut<T> {
    type Item = (usize, RowMut<T>);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        if index >= self.count {
            return None;
        }
        // A sum that saturates is past the last row, as the true sum is.
        self.next = index.saturating_add(self.step);
        // SAFETY: `index < count`, so the row is in the matrix. It is this CTA's (`GlobalRowsMut::rows`).
        Some((index as usize, unsafe { RowMut::of_matrix(self.base, self.columns, index) }))
    }
}

/// An iterator over the rows of one warp of a [`GlobalRowsMut`], with their indices: of each row the vectors of the executing lane
/// ([`warp_rows`](GlobalRowsMut::warp_rows)).
#[derive(Debug)]
pub struct WarpRowsMut<T> {
    base: *mut T,
    columns: u32,
    next: u32,
    /// The sum with `step` does not wrap.
    count: u32,
    step: u32,
    lane: u32,
    lanes: u32,
}

impl<T: Element> Iterator for WarpRowsMut<T> {
    type Item = (usize, VectorsMut<T, u32>);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        if index >= self.count {
            return None;
        }
        // SAFETY: `index < count`, so the sum does not wrap (`count`).
        self.next = unsafe { index.unchecked_add(self.step) };
        // SAFETY: `index < count`, so the row is in the matrix.
        let base = unsafe { self.base.add(start(index, self.columns)) };
        Some((index as usize, VectorsMut::of_row(base, self.columns, self.lane, self.lanes)))
    }
}

/// A handle of one row of a [`GlobalRowsMut`] in global memory, or of the last tile of a [`GlobalMut`](super::GlobalMut)
/// ([`TailMut::tile`](super::TailMut::tile)), which only the executing CTA accesses.
#[derive(Debug)]
pub struct RowMut<T> {
    base: *mut T,
    len: u32,
}

impl<T> RowMut<T> {
    /// The `len` elements at `base`, which is aligned to 16 bytes. Only the executing CTA accesses them, through this handle.
    #[inline(always)]
    pub(super) const fn new(base: *mut T, len: u32) -> Self {
        RowMut { base, len }
    }

    /// Row `y` of the matrix at `base`, with rows of `columns` elements.
    ///
    /// # Safety
    ///
    /// The matrix has such a row. Only the executing CTA accesses it, through this handle.
    #[inline(always)]
    pub(super) const unsafe fn of_matrix(base: *mut T, columns: u32, y: u32) -> Self {
        // SAFETY: there is such a row (`# Safety`), so the address is in the matrix.
        RowMut::new(unsafe { base.add(start(y, columns)) }, columns)
    }
}

#[expect(clippy::len_without_is_empty, reason = "loops over no elements do nothing")]
impl<T: Element> RowMut<T> {
    /// Returns the number of elements.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns the row's 16-byte vectors of the executing thread: those at `r`, `r + t`, `r + 2 * t`, … for the thread's rank `r`
    /// in the CTA and `t` threads in the CTA. Some threads may have one vector more than others: make no collective call in the
    /// loop. A row of a matrix is whole vectors; a tail may have elements after its last vector, which only
    /// [`elements`](RowMut::elements) returns.
    ///
    /// A clone of the iterator passes over the thread's vectors once more:
    ///
    /// ```
    /// # use ptx::{global::RowMut, group::Cta, math, reduce::ReduceMemory};
    /// # fn kernel(cta: &Cta, row: RowMut<f32>, memory: &mut ReduceMemory<f32>) {
    /// // Norms a row in place.
    /// let (columns, vectors) = (row.len() as f32, row.vectors(cta));
    /// let squares = vectors.clone().fold(0.0, |sum, (_, v)| v.read().iter().fold(sum, |sum, x| math::fma(*x, *x, sum)));
    /// let scale = math::rsqrt_ftz(memory.reduce_add(cta, squares) / columns);
    /// vectors.for_each(|(_, v)| v.write(v.read().map(|x| scale * x)));
    /// # }
    /// ```
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn vectors(self, cta: &Cta) -> VectorsMut<T, u32> {
        deal::<Cta, _>(self.base);
        VectorsMut::of_row(self.base, self.len, cta.thread_rank(), cta.thread_count())
    }

    /// Returns the row's elements of the executing thread: those at `r`, `r + t`, `r + 2 * t`, … for the thread's rank `r` in the
    /// CTA and `t` threads in the CTA. Some threads may have one element more than others: make no collective call in the loop.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn elements(self, cta: &Cta) -> ElementsMut<T> {
        deal::<Cta, _>(self.base);
        ElementsMut::new(self.base, cta.thread_rank() as usize, self.len(), cta.thread_count() as usize)
    }
}

impl<T: Element> RowMut<T> {
    /// The number of whole vectors of 16 bytes.
    #[inline(always)]
    pub(crate) fn vector_count(&self) -> u32 {
        self.len / const { per_vector::<T>() as u32 }
    }

    /// Stores vector `i`.
    ///
    /// # Safety
    ///
    /// `i` is below [`vector_count`](RowMut::vector_count), and no other thread accesses that vector through its handle.
    #[inline(always)]
    pub(crate) unsafe fn write_vector_at(&self, i: u32, elements: T::Vector) {
        // SAFETY: vector `i` is in bounds and this thread's (`# Safety`), and aligned to 16 bytes (`GlobalRowsMut::from_raw`).
        unsafe { Vector::store(self.base.cast::<Vector<T>>().add(i as usize), elements) }
    }
}

/// A row-major matrix of global memory that the CTAs of a two-dimensional grid write by tiles of `R` rows and `C` columns: each
/// CTA writes the tile at its `blockIdx`. `R` and `C` are part of the type because all CTAs must divide the matrix alike.
///
/// A kernel that states its launch shape ([`Cta::enter_with`]) must set
/// [`GRID_OF_ANY_RANK`](crate::launch::LaunchShape::GRID_OF_ANY_RANK) for such a grid. Shapes without it, such as
/// [`Block`](crate::launch::Block), are for grids that are one row of CTAs: a launch on any other grid is undefined behavior.
///
/// ```
/// use ptx::global::GlobalMatrixMut;
/// # unsafe fn kernel(cta: &ptx::group::Cta, c: *mut f32, m: u32, n: u32) {
/// // SAFETY: the host passes `m` rows of `n` elements, a multiple of four, aligned to 16 bytes; only this grid uses them.
/// let c = unsafe { GlobalMatrixMut::<_, 64, 64>::from_raw(c, m, n) };
/// if let Some(([x, y], tile)) = c.tile(cta) {
///     // Threads form rows of 16; each thread has blocks of 2 rows by 4 elements.
///     let mine = tile.fragment::<2, 16>(cta);
///     mine.write([0, 0], [x as f32, y as f32, 0.0, 0.0]);
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalMatrixMut<T, const R: usize, const C: usize> {
    base: *mut T,
    rows: u32,
    columns: u32,
}

const fn check<T, const R: usize, const C: usize>() {
    assert!(
        R > 0 && R <= 1 << 20 && C <= 1 << 20,
        "a tile of a matrix has 1 to 2^20 rows and 1 to 2^20 columns: choose such a tile"
    );
    assert!(
        C > 0 && size::bytes::<T, C>().is_multiple_of(16),
        "threads access a tile by 16 bytes at a time: choose a tile whose rows have a multiple of 16 bytes"
    );
}

impl<T: Element, const R: usize, const C: usize> GlobalMatrixMut<T, R, C> {
    /// Makes the handle of a matrix divided by tiles, from a pointer to global memory and the numbers of rows and columns.
    ///
    /// # Safety
    ///
    /// - `base` is the 16-byte aligned address of `rows * columns` elements of global memory; a row has a multiple of 16 bytes.
    /// - until the grid ends, only this grid accesses the elements, and each thread only through this one handle. All threads of
    ///   the grid make the handle with equal arguments, and equal `R` and `C`.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, rows: u32, columns: u32) -> Self {
        const { check::<T, R, C>() };
        GlobalMatrixMut { base, rows, columns }
    }

    /// Returns the number of rows.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns the number of elements of a row.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns the tile of the CTA and its position `[x, y]`, counted in tiles, which is the CTA's position in the grid
    /// (`blockIdx`). `None` if a part of the tile is outside of the matrix, or if the CTA's z position is not 0.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn tile(self, _cta: &Cta) -> Option<([usize; 2], MatrixTileMut<T, R, C>)> {
        deal::<Grid, _>(self.base);
        let [x, y] = [special_register::ctaid_x() as usize, special_register::ctaid_y() as usize];
        // Only CTAs with z = 0 get a tile, so that no two CTAs share one.
        if special_register::ctaid_z() > 0 || y >= self.rows as usize / R || x >= self.columns as usize / C {
            return None;
        }
        // SAFETY: `x < columns / C`, so the address is in row 0.
        let base = unsafe { self.base.add(x * C) };
        Some(([x, y], MatrixTileMut { base, row: (y * R) as u32, columns: self.columns }))
    }
}

/// A handle of the executing CTA's tile of a [`GlobalMatrixMut`]: `R` rows and `C` columns that only this CTA accesses.
#[derive(Debug)]
pub struct MatrixTileMut<T, const R: usize, const C: usize> {
    /// The tile's first column in row 0 of the matrix. The tile begins `row` rows below.
    base: *mut T,
    row: u32,
    columns: u32,
}

impl<T: Element, const R: usize, const C: usize> MatrixTileMut<T, R, C> {
    /// Divides the tile among the threads of the CTA, and returns the executing thread's fragment.
    ///
    /// The threads form rows of `W` threads; threads after the last whole row get nothing. The tile consists of blocks of `B`
    /// rows by one vector of 16 bytes. Blocks are dealt out cyclically in both dimensions: with `H` rows of threads, the block at
    /// `[x, y]` belongs to the thread in column `x % W` and row `y % H`.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::MatrixTileMut, group::Cta};
    /// # fn kernel(cta: &Cta, tile: MatrixTileMut<f32, 128, 128>, sums: [[[f32; 4]; 2]; 8]) {
    /// // 256 threads: 16 rows of 16 threads. With blocks of 4 rows by 4 elements, they cover 64 rows by 64 columns,
    /// // a quarter of the tile. Each thread has four blocks: 8 rows of 2 vectors.
    /// let mine = tile.fragment::<4, 16>(cta);
    /// for y in 0..8 {
    ///     for x in 0..2 {
    ///         mine.write([x, y], sums[y][x]);
    ///     }
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[doc(alias = "cute::local_partition")]
    pub fn fragment<const B: usize, const W: usize>(self, cta: &Cta) -> FragmentMut<T, R, C, B, W> {
        deal::<Cta, _>(self.base);
        const {
            assert!(
                B > 0 && B <= R && W > 0 && W <= 1024,
                "`fragment::<B, W>`: a block has 1 to R rows and threads form rows of 1 to 1024: choose such B and W"
            )
        };
        let (thread, threads, width) = (cta.thread_rank(), cta.thread_count(), W as u32);
        let (x, y, height) = (thread % width, thread / width, threads / width);
        // The sum wraps only for a thread without a vector, which never accesses `base` (see `write`).
        let first = start(self.row.wrapping_add(y * B as u32), self.columns);
        let base = self.base.wrapping_add(first).cast::<Vector<T>>().wrapping_add(x as usize);
        FragmentMut {
            base,
            columns: self.columns as usize,
            x: x as usize,
            y: y as usize,
            height: height as usize,
        }
    }
}

/// The executing thread's part of a [`MatrixTileMut`]: vectors of 16 bytes of global memory that only this thread writes (see
/// [`fragment`](MatrixTileMut::fragment)).
#[derive(Debug)]
pub struct FragmentMut<T: Element, const R: usize, const C: usize, const B: usize, const W: usize> {
    /// The first vector of the fragment.
    base: *mut Vector<T>,
    columns: usize,
    /// The thread's column and row among the threads of the CTA, and the number of rows of threads.
    x: usize,
    y: usize,
    height: usize,
}

impl<T: Element, const R: usize, const C: usize, const B: usize, const W: usize> FragmentMut<T, R, C, B, W> {
    /// Stores `elements` as the 16-byte vector `x` of row `y` of the fragment, counting only the thread's own rows and vectors.
    /// Returns `None`, and stores nothing, if the fragment has no such vector.
    ///
    /// Not collective.
    ///
    /// PTX: `st.global.v4.b32`, or `.v2.b64`
    #[inline(always)]
    pub fn write(&self, [x, y]: [usize; 2], elements: T::Vector) -> Option<()> {
        // No product below wraps: `R`, `C` and `B` are at most 2^20, `W` and `height` at most 2^10.
        if x >= C || y >= R || self.y >= self.height {
            return None;
        }
        let (vectors_on, rows_on) = (x * W, y / B * self.height * B + y % B);
        if vectors_on + self.x >= const { size::vectors::<T, C>() } || rows_on + self.y * B >= R {
            return None;
        }
        // SAFETY: the vector is in the tile and aligned to 16 bytes (`GlobalMatrixMut::from_raw`). Its block belongs to thread
        // row `self.y` and thread column `self.x`, so to this thread only.
        unsafe {
            let row = self.base.cast::<T>().add(rows_on * self.columns).cast::<Vector<T>>();
            Vector::store(row.add(vectors_on), elements);
        }
        Some(())
    }
}

handles! {
    GlobalRowsMut<u32>, RowsMut<u32>, WarpRowsMut<u32>, RowMut<u32>, GlobalMatrixMut<u32, 4, 4>, MatrixTileMut<u32, 4, 4>,
    FragmentMut<u32, 4, 4, 1, 1>,
}
handles! { Copy: GlobalMatrix<u32>, MatrixTile<u32, 4, 4> }
