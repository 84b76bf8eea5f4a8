//! Blocks of boxes of a tensor that the grid writes: the tiles of a matrix product, in an order that is good to the L2 cache.

use core::marker::PhantomData;

use super::{Box2, MapSwizzle, TensorMapMut, TensorTileMut, UsedBy};
use crate::group::{Cta, Warpgroup};
use crate::mark::{Grid, deal};
use crate::shared::Element;

/// The order of `COLUMNS * ROWS` boxes in a block, and of the blocks in a matrix: groups of `GROUP` rows of blocks, from left to right,
/// in each group column by column.
#[derive(Debug, Clone, Copy)]
struct Order {
    /// The columns and rows of blocks.
    columns: u32,
    rows: u32,
    group: u32,
}

impl Order {
    /// The column and the row of block `i`.
    #[inline(always)]
    fn position(self, i: u32) -> [u32; 2] {
        // No divisor is 0 if there is a block.
        let of_group = (self.group * self.columns).max(1);
        let (group, i) = (i / of_group, i % of_group);
        let first = group * self.group;
        let height = (self.rows - first).min(self.group).max(1);
        [i / height, first + i % height]
    }
}

/// The blocks of a [`TensorMapMut`] that this CTA owns and has not yet taken: each of `COLUMNS` by `ROWS` boxes.
#[derive(Debug)]
pub struct TensorBlocksMut<T, S, const COLUMNS: u32, const ROWS: u32> {
    object: *const u8,
    positions: BlockPositions,
    _of: PhantomData<(*mut T, S)>,
}

/// The positions of the blocks that a CTA owns, in the order in which it takes them ([`TensorBlocksMut::positions`]).
#[derive(Debug, Clone)]
pub struct BlockPositions {
    order: Order,
    next: u32,
    count: u32,
    step: u32,
}

impl Iterator for BlockPositions {
    type Item = [i32; 2];
    #[inline(always)]
    fn next(&mut self) -> Option<[i32; 2]> {
        if self.next >= self.count {
            return None;
        }
        let position = self.order.position(self.next);
        self.next += self.step;
        Some(position.map(u32::cast_signed))
    }
}

/// A block of `COLUMNS` by `ROWS` boxes of a tensor, which only this CTA uses.
#[derive(Debug)]
pub struct TensorBlockMut<T, S, const COLUMNS: u32, const ROWS: u32> {
    object: *const u8,
    first: [i32; 2],
    _of: PhantomData<(*mut T, S)>,
}

/// The boxes of some rows of a block that have not been taken, from left to right. Only the group `Of` uses them.
#[derive(Debug)]
pub struct TensorRowMut<T, S, Of = Cta> {
    object: *const u8,
    next: [i32; 2],
    left: u32,
    _of: UsedBy<(T, S), Of>,
}

impl<T: Element, const W: usize, const H: usize, M: MapSwizzle> TensorMapMut<T, Box2<W, H, M>> {
    /// Divides a matrix into blocks of `COLUMNS` by `ROWS` boxes from coordinate 0 on, and returns the blocks of this CTA: those with
    /// the numbers `rank`, `rank + count`, …, where `rank` is the CTA's rank in the grid and `count` the number of CTAs.
    ///
    /// Blocks are numbered in groups of `group` rows of blocks, and in each group column by column. So CTAs that work at the same
    /// time share the rows and the columns of the matrices that a product reads, and find them in the L2 cache.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none, but for loads of the arguments.
    ///
    /// ```
    /// use ptx::{bf16, group::Cta, qualifier::swizzle_mode, tensor::{BlockPositions, Box2, TensorBlocksMut, TensorMapMut}};
    ///
    /// type Part = Box2<64, 64, swizzle_mode::B128>;
    ///
    /// /// Blocks of 128 rows and 256 columns, and their positions for a thread that loads what they need.
    /// fn of_cta(cta: &Cta, c: TensorMapMut<bf16, Part>) -> (TensorBlocksMut<bf16, Part, 4, 2>, BlockPositions) {
    ///     let blocks = c.blocks::<4, 2>(cta, 16);
    ///     let positions = blocks.positions();
    ///     (blocks, positions)
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cutlass::gemm::threadblock::ThreadblockSwizzle", "GROUP_SIZE_M"))]
    pub fn blocks<const COLUMNS: u32, const ROWS: u32>(
        self,
        cta: &Cta,
        group: u32,
    ) -> TensorBlocksMut<T, Box2<W, H, M>, COLUMNS, ROWS> {
        const { assert!(COLUMNS > 0 && ROWS > 0, "a block has at least one box") };
        meet!(cta);
        deal::<Grid, _>(self.object);
        // With another order, another CTA would own the same block.
        deal::<Grid, ()>(core::ptr::without_provenance(group as usize));
        let (columns, rows) = (self.boxes[0].div_ceil(COLUMNS), self.boxes[1].div_ceil(ROWS));
        TensorBlocksMut {
            object: self.object,
            positions: BlockPositions {
                order: Order { columns, rows, group: group.clamp(1, rows.max(1)) },
                next: cta.grid_rank(),
                count: columns * rows,
                step: cta.grid_size().min(1 << 31),
            },
            _of: PhantomData,
        }
    }
}

impl<T: Element, const W: usize, const H: usize, M: MapSwizzle, const COLUMNS: u32, const ROWS: u32>
    TensorBlocksMut<T, Box2<W, H, M>, COLUMNS, ROWS>
{
    /// Returns the positions of this CTA's blocks that it has not yet taken, counted in blocks, the column first.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn positions(&self) -> BlockPositions {
        self.positions.clone()
    }

    /// Takes the CTA's next block and returns it with its position, counted in blocks, the column first; or `None` when no block is
    /// left.
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "a position and the block there")]
    pub fn next_block(&mut self) -> Option<([i32; 2], TensorBlockMut<T, Box2<W, H, M>, COLUMNS, ROWS>)> {
        let position = self.positions.next()?;
        let first = [
            position[0].wrapping_mul((COLUMNS as usize * W) as i32),
            position[1].wrapping_mul((ROWS as usize * H) as i32),
        ];
        Some((position, TensorBlockMut { object: self.object, first, _of: PhantomData }))
    }
}

impl<T: Element, const W: usize, const H: usize, M: MapSwizzle, const COLUMNS: u32, const ROWS: u32>
    TensorBlockMut<T, Box2<W, H, M>, COLUMNS, ROWS>
{
    /// Returns the boxes of the warpgroup's row of the block: of `ROWS` rows, one for each warpgroup.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn of<'p, const COUNT: u32>(
        self,
        warpgroup: &Warpgroup<'p, COUNT>,
    ) -> TensorRowMut<T, Box2<W, H, M>, Warpgroup<'p, COUNT>> {
        const { assert!(COUNT == ROWS, "each warpgroup has one row of boxes of the block") };
        let next = [self.first[0], self.first[1].wrapping_add((warpgroup.index() * H as u32) as i32)];
        TensorRowMut { object: self.object, next, left: COLUMNS, _of: PhantomData }
    }
}

impl<T: Element, const W: usize, const H: usize, M: MapSwizzle, Of> TensorRowMut<T, Box2<W, H, M>, Of> {
    /// A row without boxes, for a loop whose first round has none to store.
    ///
    /// PTX: none.
    #[inline(always)]
    #[must_use]
    pub fn empty() -> Self {
        TensorRowMut { object: core::ptr::null(), next: [0; 2], left: 0, _of: PhantomData }
    }

    /// Takes the next box, or returns `None` if none is left.
    #[inline(always)]
    pub fn next_box(&mut self) -> Option<TensorTileMut<T, Box2<W, H, M>, Of>> {
        if self.left == 0 {
            return None;
        }
        let coords = self.next;
        self.next[0] = self.next[0].wrapping_add(W as i32);
        self.left -= 1;
        Some(TensorTileMut { object: self.object, coords, _of: PhantomData })
    }
}
