//! Operands of `wgmma` and `tcgen05.mma` in shared memory: tiles whose type gives the matrix descriptor (PTX ISA 9.7.15.5.1.2.2,
//! 9.7.16.4.1).

use core::marker::PhantomData;

use super::{MatrixBox, shape_bytes};
use crate::group::{Brand, Warpgroup};
use crate::qualifier::{Immediate, major};
use crate::raw::WgmmaMajor;
use crate::shared::Element;
use crate::size;

/// A tile of a stage of a [`Pipeline`](crate::pipeline::Pipeline) that tensor cores multiply, by `wgmma` or `tcgen05.mma`: `PANELS` boxes `S` of a tensor side by
/// side along the innermost dimension, each swizzled. A tensor map with boxes `S` fills it, and the same `S` gives the matrix
/// descriptor.
///
/// `S` is a box with a swizzle, `Box2<64, 128, swizzle_mode::B128>` for 128 rows of 64 elements of 16 bits; of a tensor with more
/// dimensions, `Box4<64, 128, 1, 1, swizzle_mode::B128>` is such a matrix. A swizzled row has 32, 64 or 128 bytes, so a wider tile
/// has several panels. A tile is aligned to eight of its rows, after which a swizzle
/// repeats: 1024 bytes for `B128`.
///
/// An operand's rows lie along M (of A) or N (of B), and K is the innermost dimension. Of a tile whose innermost dimension is M or N,
/// [`Operand::transposed`] makes the operand.
///
/// ```
/// use ptx::{bf16, pipeline::PipelineMemory, qualifier::swizzle_mode, tensor::{Box2, Tile}};
///
/// type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
/// /// 128 rows of A and 256 rows of B, of 64 elements along K: four stages of 48 KiB.
/// type Memory = PipelineMemory<(Tile<bf16, Rows<128>>, Tile<bf16, Rows<256>>), 4>;
/// ```
#[derive(Debug)]
#[doc(alias("cute::GMMA::Layout_K_SW128_Atom", "cute::GMMA::Layout_MN_SW128_Atom"))]
pub struct Tile<T, S, const PANELS: usize = 1>(PhantomData<(*const T, S)>);

/// The bytes of a panel. Fails to compile if no operand can have such boxes.
pub(crate) const fn panel<T, S: MatrixBox, const PANELS: usize>() -> usize {
    assert!(
        S::ROW_BYTES > 0 && S::UNIT == 16,
        "an operand of tensor cores is swizzled: give the box `swizzle_mode::B32`, `B64` or `B128`"
    );
    assert!(
        S::ROW_BYTES != 96,
        "operands of tensor cores have no swizzle of 96 bytes: use `swizzle_mode::B32`, `B64` or `B128`"
    );
    assert!(PANELS > 0, "a tile has at least one panel");
    assert!(
        S::MATRICES == 1,
        "an operand of tensor cores is one matrix: give the box an extent of 1 in the third dimension and those after it"
    );
    assert!(
        S::OUTER.is_multiple_of(8),
        "a swizzle repeats after eight rows: choose a box of a multiple of 8 rows"
    );
    _ = shape_bytes::<T, S>();
    size::product([S::OUTER, S::ROW_BYTES])
}

/// An operand of `wgmma` or `tcgen05.mma` in shared memory: a [`Tile`] or a part of its rows along M or N, which nothing writes during `'a`.
///
/// `Major` is `major::K` if K is the innermost dimension, otherwise `major::Mn`. `PARTS` is the number of equal parts along M or N
/// of which this operand is one.
#[derive(Debug)]
#[doc(alias("cute::GmmaDescriptor", "matrix descriptor"))]
pub struct Operand<'a, T, S, const PANELS: usize, Major = major::K, const PARTS: u32 = 1> {
    /// The address of the part.
    start: u32,
    /// Invariant: an operand of another group has another type.
    _held: Brand<'a>,
    _tile: PhantomData<(*const T, S, Major)>,
}

impl<T, S, const PANELS: usize, Major, const PARTS: u32> Clone for Operand<'_, T, S, PANELS, Major, PARTS> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S, const PANELS: usize, Major, const PARTS: u32> Copy for Operand<'_, T, S, PANELS, Major, PARTS> {}

impl<'a, T: Element, S: MatrixBox, const PANELS: usize> Operand<'a, T, S, PANELS> {
    /// The same tile as an operand whose innermost dimension is M or N: of A the matrix with K rows of M elements, of B the matrix
    /// with K rows of N elements. Elements have 16 bits.
    ///
    /// PTX: none. `imm-trans-a` or `imm-trans-b` of the products is 1 (9.7.15.5.2).
    ///
    /// ```
    /// # use ptx::{bf16, group::Warpgroup, pipeline::StageOperands, qualifier::{n, swizzle_mode}, tensor::Box2};
    /// # use ptx::wgmma::{Flight, Tile};
    /// type Rows = Box2<64, 64, swizzle_mode::B128>;
    /// /// 64 rows of A along M, and 64 rows of B along K, of 128 elements in two panels.
    /// type Stage = (Tile<bf16, Rows>, Tile<bf16, Rows, 2>);
    ///
    /// /// The product with a row-major B.
    /// fn products<'a>(sums: Flight<'a, n::N128>, stage: &'a StageOperands<'_, Stage, 4>) -> Flight<'a, n::N128> {
    ///     let (a, b) = stage.tiles();
    ///     sums.mma(a, b.transposed())
    /// }
    /// ```
    #[inline(always)]
    #[doc(alias("tnspA", "tnspB"))]
    pub fn transposed(self) -> Operand<'a, T, S, PANELS, major::Mn> {
        const {
            assert!(
                size_of::<T>() == 2,
                "elements of 16 bits alone are transposed: store other matrices with K as the innermost dimension (PTX ISA 9.7.15.5.2)"
            );
        }
        Operand { start: self.start, _held: PhantomData, _tile: PhantomData }
    }
}

impl<'a, T: Element, S: MatrixBox, const PANELS: usize, Major: WgmmaMajor> Operand<'a, T, S, PANELS, Major> {
    /// Returns the warpgroup's part of the operand along M or N, which has `COUNT` equal parts: the rows of A from which the
    /// warpgroup computes its rows of the product.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn of<const COUNT: u32>(
        self,
        warpgroup: &Warpgroup<'_, COUNT>,
    ) -> Operand<'a, T, S, PANELS, Major, COUNT> {
        let bytes = const {
            let mn = Operand::<T, S, PANELS, Major>::MN;
            assert!(
                mn.is_multiple_of(64 * COUNT as usize),
                "each warpgroup multiplies a multiple of 64 rows: choose a tile of 64 rows or more for each"
            );
            size::shared(Self::offset(mn / COUNT as usize, 0))
        };
        Operand { start: self.start + warpgroup.index() * bytes, _held: PhantomData, _tile: PhantomData }
    }
}

impl<T: Element, S: MatrixBox, const PANELS: usize, Major: WgmmaMajor, const PARTS: u32>
    Operand<'_, T, S, PANELS, Major, PARTS>
{
    const K_MAJOR: bool = <Major as Immediate>::NUMBER == 0;
    /// The extent along M or N.
    pub(crate) const MN: usize = if Self::K_MAJOR { S::OUTER } else { S::INNER * PANELS } / PARTS as usize;
    /// The extent along K.
    pub(crate) const K: usize = if Self::K_MAJOR { S::INNER * PANELS } else { S::OUTER };

    /// The offset in bytes of the element at `mn` and `k`, without the swizzle, which the hardware applies to the address.
    const fn offset(mn: usize, k: usize) -> usize {
        let (row, inner) = if Self::K_MAJOR { (mn, k) } else { (k, mn) };
        let bytes = inner * size_of::<T>();
        row * S::ROW_BYTES + bytes / S::ROW_BYTES * panel::<T, S, PANELS>() + bytes % S::ROW_BYTES
    }

    /// The matrix descriptor of the rows from `mn` on, and of the step of 32 bytes, or 16 rows, along K from `k` on
    /// (PTX ISA 9.7.15.5.1.2.2).
    #[inline(always)]
    pub(crate) fn descriptor(self, mn: usize, k: usize) -> u64 {
        let (layout, leading) = const {
            let swizzle = match S::ROW_BYTES {
                128 => 1,
                64 => 2,
                _ => 3,
            };
            // The distance of panels; of a K-major operand, within one panel, it has no meaning.
            let leading = if Self::K_MAJOR { 16 } else { panel::<T, S, PANELS>() };
            // The distance of eight rows.
            let stride = 8 * S::ROW_BYTES;
            assert!(leading < 1 << 18 && stride < 1 << 18);
            (((stride >> 4) as u64) << 32 | swizzle << 62, (leading as u32 >> 4) << 16)
        };
        // Sums, which ptxas folds: the fields do not overlap, since shared memory has less than 2^18 bytes.
        let start = (self.start >> 4) + (((Self::offset(mn, k) as u32) >> 4) + leading);
        layout | u64::from(start)
    }
}

impl<T, S, const PANELS: usize> Operand<'_, T, S, PANELS> {
    /// # Safety
    ///
    /// A [`Tile`] lies at `addr`, which the async proxy has written, and nothing writes it during the operand's lifetime.
    #[inline(always)]
    pub(crate) unsafe fn at(addr: u32) -> Self {
        Operand { start: addr, _held: PhantomData, _tile: PhantomData }
    }
}
