//! Matrices of global memory: their rows, of a length known at run time, which the grid writes a row a CTA; and their tiles, of which
//! each thread writes a fragment.

use super::elements::{Vector, per_vector};
use super::{ElementsMut, Global, VectorsMut};
use crate::group::Cta;
use crate::shared::Element;
use crate::size;
use crate::special_register;

/// A matrix of global memory, row-major, that nobody writes while the kernel runs.
///
/// ```
/// use ptx::global::GlobalMatrix;
/// # unsafe fn kernel(cta: &ptx::launch::Cta, x: *const f32, rows: u32, columns: u32) {
/// // SAFETY: the host passes so many rows of a multiple of four elements, aligned to 16 bytes, which nobody writes meanwhile.
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

static_assertions::assert_not_impl_any!(GlobalMatrix<u32>: Send, Sync);

impl<T> Clone for GlobalMatrix<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for GlobalMatrix<T> {}

impl<T: Element> GlobalMatrix<T> {
    /// Makes it of a pointer, the number of rows and that of columns.
    ///
    /// ```
    /// use ptx::global::GlobalMatrix;
    /// # unsafe fn kernel(x: *const f32, rows: u32) {
    /// // SAFETY: the host passes `rows` rows of 64 elements, aligned to 16 bytes, which nobody writes meanwhile.
    /// let x = unsafe { GlobalMatrix::from_raw(x, rows, 64) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - `base` is the address, aligned to 16 bytes, of `rows * columns` elements of global memory; a row has a multiple of 16 bytes.
    /// - nobody writes them until the grid ends.
    /// - every thread of the CTA makes it with equal arguments.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *const T, rows: u32, columns: u32) -> Self {
        GlobalMatrix { base, rows, columns }
    }

    /// Row `y`, or `None` past the last.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::GlobalMatrix, launch::Cta};
    /// # fn kernel(cta: &Cta, x: GlobalMatrix<f32>) {
    /// let first_of_row_7 = x.row(7).and_then(|row| row.get(0));
    /// # }
    /// ```
    #[inline(always)]
    pub fn row(&self, y: usize) -> Option<Global<T>> {
        if y >= self.rows as usize {
            return None;
        }
        // SAFETY: in bounds, aligned to 16 bytes since each row before it has a multiple of so many, and nobody writes.
        Some(unsafe { Global::from_raw(self.base.add(start(y as u32, self.columns)), self.columns as usize) })
    }

    /// The tile of `R` rows and `C` columns at `[x, y]`, in tiles; `None` if not all of it is inside of the matrix.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::GlobalMatrix, launch::Cta};
    /// # fn kernel(cta: &Cta, x: GlobalMatrix<f32>) {
    /// // Rows 64 to 127 of the first 32 columns.
    /// let tile = x.tile::<64, 32>([0, 1]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn tile<const R: usize, const C: usize>(&self, [x, y]: [usize; 2]) -> Option<MatrixTile<T, R, C>> {
        const { check::<T, R, C>() };
        if y >= self.rows as usize / R || x >= self.columns as usize / C {
            return None;
        }
        // SAFETY: in bounds.
        let base = unsafe { self.base.add(x * C) };
        Some(MatrixTile { base, row: (y * R) as u32, columns: self.columns })
    }
}

/// Where row `y` starts, in elements: as a product of 32 bits by 32 bits, which is one instruction.
#[inline(always)]
const fn start(y: u32, columns: u32) -> usize {
    y as usize * columns as usize
}

/// `R` rows and `C` columns of a [`GlobalMatrix`]: what is read of them is checked against these alone.
///
/// ```
/// # use ptx::{global::MatrixTile, launch::Cta};
/// # fn kernel(cta: &Cta, tile: MatrixTile<f32, 32, 32>) {
/// let t = cta.thread_rank() as usize;
/// let own = tile.get_vector([t % 8, t / 8]);
/// # }
/// ```
#[derive(Debug)]
pub struct MatrixTile<T, const R: usize, const C: usize> {
    /// Its first row starts `row` rows behind this.
    base: *const T,
    row: u32,
    columns: u32,
}

static_assertions::assert_not_impl_any!(MatrixTile<u32, 4, 4>: Send, Sync);

impl<T, const R: usize, const C: usize> Clone for MatrixTile<T, R, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, const C: usize> Copy for MatrixTile<T, R, C> {}

impl<T: Element, const R: usize, const C: usize> MatrixTile<T, R, C> {
    /// The sixteen bytes of row `y` that start at its byte `16 * x`; `None` outside of the tile.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`
    ///
    /// ```
    /// # use ptx::global::MatrixTile;
    /// # fn kernel(tile: MatrixTile<f32, 64, 32>) {
    /// let last = tile.get_vector([7, 63]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, [x, y]: [usize; 2]) -> Option<T::Vector> {
        if x >= const { size::vectors::<T, C>() } || y >= R {
            return None;
        }
        // SAFETY: inside of the tile, aligned to 16 bytes by the contract of `from_raw`, and nobody writes.
        Some(unsafe {
            self.base.add(start(self.row + y as u32, self.columns)).cast::<Vector<T>>().add(x).read().0
        })
    }
}

/// Rows of global memory, one behind the other, that the CTAs of the grid write, each its own rows.
///
/// ```
/// use ptx::global::GlobalRowsMut;
/// # unsafe fn kernel(cta: &ptx::launch::Cta, y: *mut f32, rows: u32, columns: u32) {
/// // SAFETY: the host passes so many rows of a multiple of four elements, aligned to 16 bytes; only this grid uses them.
/// let y = unsafe { GlobalRowsMut::from_raw(y, rows, columns) };
/// for (row, y) in y.rows(cta) {
///     y.vectors(cta).for_each(|(_, vector)| vector.write([row as f32; 4]));
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalRowsMut<T> {
    base: *mut T,
    rows: u32,
    columns: u32,
}

static_assertions::assert_not_impl_any!(GlobalRowsMut<u32>: Copy, Clone, Send, Sync);

impl<T: Element> GlobalRowsMut<T> {
    /// Makes it of a pointer, the number of rows and that of their elements.
    ///
    /// ```
    /// use ptx::global::GlobalRowsMut;
    /// # unsafe fn kernel(y: *mut f32, rows: u32) {
    /// // SAFETY: the host passes `rows` rows of 64 elements, aligned to 16 bytes, which only this grid uses.
    /// let y = unsafe { GlobalRowsMut::from_raw(y, rows, 64) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - `base` is the address, aligned to 16 bytes, of `rows * columns` elements of global memory; a row has a multiple of 16 bytes.
    /// - until the grid ends nobody else uses them: this is the one handle of them in each thread, and all threads of the
    ///   grid make it of the same address and numbers.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, rows: u32, columns: u32) -> Self {
        GlobalRowsMut { base, rows, columns }
    }

    /// The rows of the CTA: every `c`-th from its rank on, where `c` is the number of CTAs of the grid.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::GlobalRowsMut, launch::Cta};
    /// # fn kernel(cta: &Cta, y: GlobalRowsMut<f32>) {
    /// for (row, y) in y.rows(cta) {
    ///     // … the CTA's threads work on row `row` together …
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn rows(self, cta: &Cta) -> RowsMut<T> {
        RowsMut {
            base: self.base,
            columns: self.columns,
            next: cta.grid_rank(),
            count: self.rows,
            step: cta.grid_size(),
        }
    }
}

/// The rows that a CTA has of a [`GlobalRowsMut`], with their indices: an iterator.
#[derive(Debug)]
pub struct RowsMut<T> {
    base: *mut T,
    columns: u32,
    next: u32,
    count: u32,
    step: u32,
}

static_assertions::assert_not_impl_any!(RowsMut<u32>: Copy, Clone, Send, Sync);

impl<T: Element> Iterator for RowsMut<T> {
    type Item = (usize, RowMut<T>);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        if index >= self.count {
            return None;
        }
        // A sum that does not fit is past the last row too.
        self.next = index.saturating_add(self.step);
        // SAFETY: in bounds.
        let base = unsafe { self.base.add(start(index, self.columns)) };
        Some((index as usize, RowMut { base, len: self.columns as usize }))
    }
}

/// A row of global memory that is the executing CTA's alone.
#[derive(Debug)]
pub struct RowMut<T> {
    base: *mut T,
    len: usize,
}

static_assertions::assert_not_impl_any!(RowMut<u32>: Copy, Clone, Send, Sync);

impl<T: Element> RowMut<T> {
    /// The row's vectors of sixteen bytes that are the executing thread's: every `t`-th from its rank on, where `t` is the number of
    /// threads of the CTA.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::RowMut, launch::Cta};
    /// # fn kernel(cta: &Cta, row: RowMut<f32>) {
    /// row.vectors(cta).for_each(|(_, vector)| vector.write([0.0; 4]));
    /// # }
    /// ```
    #[inline(always)]
    pub fn vectors(self, cta: &Cta) -> VectorsMut<T> {
        let (rank, step) = (cta.thread_rank() as usize, cta.thread_count() as usize);
        VectorsMut::new(self.base, rank, self.vector_count(), step)
    }

    /// The row's elements that are the executing thread's: every `t`-th from its rank on, where `t` is the number of threads of the
    /// CTA.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::RowMut, launch::Cta};
    /// # fn kernel(cta: &Cta, row: RowMut<u32>) {
    /// row.elements(cta).for_each(|(i, element)| element.write(i as u32));
    /// # }
    /// ```
    #[inline(always)]
    pub fn elements(self, cta: &Cta) -> ElementsMut<T> {
        ElementsMut::new(self.base, cta.thread_rank() as usize, self.len, cta.thread_count() as usize)
    }
}

impl<T: Element> RowMut<T> {
    /// How many whole vectors of sixteen bytes it has.
    #[inline(always)]
    pub(crate) fn vector_count(&self) -> usize {
        self.len / per_vector::<T>()
    }

    /// Stores vector `i`.
    ///
    /// # Safety
    ///
    /// `i` is below [`vector_count`](RowMut::vector_count), and no other thread accesses that vector by its handle of the row.
    #[inline(always)]
    pub(crate) unsafe fn write_vector_at(&self, i: usize, elements: T::Vector) {
        // SAFETY: in bounds and this thread's by the caller's contract, aligned to 16 bytes by that of `from_raw`.
        unsafe { self.base.cast::<Vector<T>>().add(i).write(Vector(elements)) }
    }
}

/// A matrix of global memory, row-major, that the CTAs of a grid of two dimensions write by tiles of `R` rows and `C` columns, each
/// the one at its own place. `R` and `C` are part of the type because all CTAs have to divide it alike.
///
/// A kernel that states its launch shape ([`Cta::enter_with`]) says [`GRID_OF_ANY_RANK`](crate::launch::LaunchShape::GRID_OF_ANY_RANK)
/// for such a grid. [`Block`](crate::launch::Block), as every shape without it, is of grids that are rows: to launch it on any other grid is
/// undefined behaviour.
///
/// ```
/// use ptx::global::GlobalMatrixMut;
/// # unsafe fn kernel(cta: &ptx::launch::Cta, c: *mut f32, m: u32, n: u32) {
/// // SAFETY: the host passes `m` rows of `n` elements, a multiple of four, aligned to 16 bytes; only this grid uses them.
/// let c = unsafe { GlobalMatrixMut::<_, 64, 64>::from_raw(c, m, n) };
/// if let Some(([x, y], tile)) = c.tile(cta) {
///     // 16 threads to a row; of each two rows a thread has the same.
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

static_assertions::assert_not_impl_any!(GlobalMatrixMut<u32, 4, 4>: Copy, Clone, Send, Sync);

/// Checks the extents of a tile.
const fn check<T, const R: usize, const C: usize>() {
    assert!(
        R > 0 && R <= 1 << 20 && C <= 1 << 20,
        "a tile of a matrix has 1 to 2^20 rows, and columns: choose a smaller tile"
    );
    assert!(
        C > 0 && size::bytes::<T, C>().is_multiple_of(16),
        "threads write a tile by 16 bytes at a time: choose a tile whose rows have a multiple of 16 bytes"
    );
}

impl<T: Element, const R: usize, const C: usize> GlobalMatrixMut<T, R, C> {
    /// Makes it of a pointer, the number of rows and that of columns.
    ///
    /// ```
    /// use ptx::global::GlobalMatrixMut;
    /// # unsafe fn kernel(c: *mut f32, n: u32) {
    /// // SAFETY: the host passes 128 rows of `n` elements, a multiple of four, aligned to 16 bytes; only this grid uses them.
    /// let c = unsafe { GlobalMatrixMut::<f32, 128, 128>::from_raw(c, 128, n) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - `base` is the address, aligned to 16 bytes, of `rows * columns` elements of global memory; a row has a multiple of 16 bytes.
    /// - until the grid ends nobody else uses them: this is the one handle of them in each thread, which all threads of the grid make
    ///   with equal arguments, and equal `R` and `C`.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, rows: u32, columns: u32) -> Self {
        const { check::<T, R, C>() };
        GlobalMatrixMut { base, rows, columns }
    }

    /// The tile of the CTA and its place in tiles, `[x, y]`: that of the CTA in the grid (`blockIdx`). `None` if not all of it is
    /// inside of the matrix.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::GlobalMatrixMut, launch::Cta};
    /// # fn kernel(cta: &Cta, c: GlobalMatrixMut<f32, 128, 128>) {
    /// let Some(([x, y], tile)) = c.tile(cta) else { return };
    /// let (first_row, first_column) = (128 * y, 128 * x);
    /// # }
    /// ```
    #[inline(always)]
    pub fn tile(self, _cta: &Cta) -> Option<([usize; 2], MatrixTileMut<T, R, C>)> {
        let [x, y] = [special_register::ctaid_x() as usize, special_register::ctaid_y() as usize];
        // One layer of CTAs, or else several would have one tile.
        if special_register::ctaid_z() > 0 || y >= self.rows as usize / R || x >= self.columns as usize / C {
            return None;
        }
        // SAFETY: in bounds.
        let base = unsafe { self.base.add(x * C) };
        Some(([x, y], MatrixTileMut { base, row: (y * R) as u32, columns: self.columns }))
    }
}

/// `R` rows and `C` columns of a matrix in global memory, which are the executing CTA's alone.
#[derive(Debug)]
pub struct MatrixTileMut<T, const R: usize, const C: usize> {
    /// Its first row starts `row` rows behind this.
    base: *mut T,
    row: u32,
    columns: u32,
}

static_assertions::assert_not_impl_any!(MatrixTileMut<u32, 4, 4>: Copy, Clone, Send, Sync);

impl<T: Element, const R: usize, const C: usize> MatrixTileMut<T, R, C> {
    /// What the executing thread has of the tile. The CTA's threads stand in rows of `W`; a block of `B` rows of one vector of sixteen
    /// bytes is one thread's, and the blocks are dealt out to those in both dimensions, round by round. Threads after the last whole
    /// row of `W` have nothing.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::MatrixTileMut, launch::Cta};
    /// # fn kernel(cta: &Cta, tile: MatrixTileMut<f32, 128, 128>, sums: [[f32; 4]; 4]) {
    /// // Of 256 threads: 16 rows of 16, so that a quarter of the tile, 64 by 64, is dealt out in each round.
    /// let mine = tile.fragment::<4, 16>(cta);
    /// for i in 0..4 {
    ///     mine.write([0, i], sums[i]); // of the first quarter
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn fragment<const B: usize, const W: usize>(self, cta: &Cta) -> FragmentMut<T, R, C, B, W> {
        const {
            assert!(
                B > 0 && B <= R && W > 0 && W <= 1024,
                "a block has at least one row and at most those of the tile; threads stand in rows of 1 to 1024"
            )
        };
        let (thread, threads, width) = (cta.thread_rank(), cta.thread_count(), W as u32);
        let (x, y, height) = (thread % width, thread / width, threads / width);
        // A thread without a first vector accesses nothing. (The sum may wrap for such a one alone.)
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

/// The vectors of a [`MatrixTileMut`] that are the executing thread's alone: see [`fragment`](MatrixTileMut::fragment).
#[derive(Debug)]
pub struct FragmentMut<T: Element, const R: usize, const C: usize, const B: usize, const W: usize> {
    /// Its first vector.
    base: *mut Vector<T>,
    columns: usize,
    /// The thread's place, and the number of rows of threads.
    x: usize,
    y: usize,
    height: usize,
}

static_assertions::assert_not_impl_any!(FragmentMut<u32, 4, 4, 1, 1>: Copy, Clone, Send, Sync);

impl<T: Element, const R: usize, const C: usize, const B: usize, const W: usize> FragmentMut<T, R, C, B, W> {
    /// Stores the vector `[x, y]` of the fragment: row `y` of its rows, vector `x` of that; `None` where it has none.
    ///
    /// Not collective.
    ///
    /// PTX: `st.global.v4.b32`, or `.v2.b64`
    ///
    /// ```
    /// # use ptx::global::FragmentMut;
    /// # fn kernel(mine: &FragmentMut<f32, 128, 128, 4, 16>, low: [f32; 4], high: [f32; 4]) {
    /// mine.write([0, 5], low);
    /// mine.write([1, 5], high); // 64 columns on
    /// # }
    /// ```
    #[inline(always)]
    pub fn write(&self, [x, y]: [usize; 2], elements: T::Vector) -> Option<()> {
        // No product wraps: `R`, `C` and `B` are 2^20 at most, `W` and `height` 2^10.
        if x >= C || y >= R || self.y >= self.height {
            return None;
        }
        let (vectors_on, rows_on) = (x * W, y / B * self.height * B + y % B);
        if vectors_on + self.x >= const { size::vectors::<T, C>() } || rows_on + self.y * B >= R {
            return None;
        }
        // SAFETY: inside of the tile, aligned to 16 bytes by the contract of `from_raw`. The block of rows is of the threads of row
        // `self.y` alone, and of those only one has such vectors.
        unsafe {
            let row = self.base.cast::<T>().add(rows_on * self.columns).cast::<Vector<T>>();
            row.add(vectors_on).write(Vector(elements));
        }
        Some(())
    }
}
