//! Blocks of boxes of a tensor that the grid writes: the tiles of a matrix product, in an order that is good to the L2 cache.

use core::marker::PhantomData;

use super::{BoxShape, MatrixBox, StoreShape, TensorMapMut, TensorTileMut, UsedBy};
use crate::group::{Cta, Warpgroup};
use crate::mark::{Grid, deal};
use crate::shared::Element;

/// The order of `COLUMNS * ROWS` boxes in a block, and of the blocks in a matrix or in each matrix of a tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Order<const RANK: usize> {
    /// The number of blocks in each dimension.
    blocks: [u32; RANK],
    group: u32,
}

impl<const RANK: usize> Order<RANK> {
    /// The position of block `i`.
    #[inline(always)]
    fn position(self, i: u32) -> [u32; RANK] {
        let [columns, rows] = [self.blocks[0], self.blocks[1]];
        let mut position = [0; RANK];
        // What makes up a group: rows of blocks, or whole matrices. No divisor is 0 if there is a block.
        let (member, members) = if RANK == 2 { (columns, rows) } else { (rows * columns, self.matrices()) };
        let of_group = (self.group * member).max(1);
        let (group, i) = (i / of_group, i % of_group);
        let first = group * self.group;
        let height = (members - first).min(self.group).max(1);
        let (inner, mut outer) = (i / height, first + i % height);
        if RANK == 2 {
            [position[0], position[1]] = [inner, outer];
            return position;
        }
        let columns = columns.max(1);
        [position[0], position[1]] = [inner % columns, rows - 1 - inner / columns];
        let mut d = 2;
        while d < RANK {
            let extent = self.blocks[d].max(1);
            position[d] = if d + 1 == RANK { outer } else { outer % extent };
            outer /= extent;
            d += 1;
        }
        position
    }

    /// The number of matrices.
    #[inline(always)]
    fn matrices(self) -> u32 {
        let (mut count, mut d) = (1, 2);
        while d < RANK {
            count *= self.blocks[d];
            d += 1;
        }
        count
    }
}

/// The blocks of a [`TensorMapMut`] that this CTA owns and has not yet taken: each of `COLUMNS` by `ROWS` boxes.
#[derive(Debug)]
pub struct TensorBlocksMut<T, S, const COLUMNS: u32, const ROWS: u32, const RANK: usize = 2> {
    object: *const u8,
    positions: BlockPositions<RANK>,
    _of: PhantomData<(*mut T, S)>,
}

/// The positions of the blocks that a CTA owns, in the order in which it takes them ([`TensorBlocksMut::positions`]).
#[derive(Debug, Clone, PartialEq)]
pub struct BlockPositions<const RANK: usize = 2> {
    order: Order<RANK>,
    next: u32,
    count: u32,
    /// The distance to the block after the next, and the sum of that and of the distance from there to the block after it.
    step: u32,
    two_steps: u32,
    /// How many rows of blocks have one number, and which of them is this CTA's.
    stacked: u32,
    row: u32,
}

impl<const RANK: usize> Iterator for BlockPositions<RANK> {
    type Item = [i32; RANK];
    #[inline(always)]
    fn next(&mut self) -> Option<[i32; RANK]> {
        if self.next >= self.count {
            return None;
        }
        let mut position = self.order.position(self.next);
        position[1] = position[1].wrapping_mul(self.stacked).wrapping_add(self.row);
        if RANK == 2 {
            self.next += self.step;
        } else {
            self.next = self.next.saturating_add(self.step);
            self.step = self.two_steps - self.step;
        }
        Some(position.map(u32::cast_signed))
    }
}

/// The blocks of two tensors in pairs ([`TensorBlocksMut::zip`]).
#[derive(Debug)]
pub struct ZippedBlocksMut<T, S, const COLUMNS: u32, const ROWS: u32, const RANK: usize = 2> {
    blocks: TensorBlocksMut<T, S, COLUMNS, ROWS, RANK>,
    other: *const u8,
}

/// A block of `COLUMNS` by `ROWS` boxes of a tensor, which only this CTA uses.
#[derive(Debug)]
pub struct TensorBlockMut<T, S, const COLUMNS: u32, const ROWS: u32, const RANK: usize = 2> {
    object: *const u8,
    position: [i32; RANK],
    _of: PhantomData<(*mut T, S)>,
}

/// The boxes of some rows of a block that have not been taken, from left to right. Only the group `Of` uses them.
#[derive(Debug)]
pub struct TensorRowMut<T, S, Of = Cta, const RANK: usize = 2> {
    object: *const u8,
    next: [i32; RANK],
    left: u32,
    _of: UsedBy<(T, S), Of>,
}

/// Boxes whose extents are those of matrices: 1 in the third dimension and those after it.
const fn assert_matrix<S: MatrixBox>() {
    assert!(
        S::MATRICES == 1,
        "a block consists of boxes of one matrix: give the box an extent of 1 in the third dimension and those after it"
    );
}

impl<T: Element, S: MatrixBox + BoxShape<Boxes = [u32; RANK]>, const RANK: usize> TensorMapMut<T, S> {
    /// Divides a matrix into blocks of `COLUMNS` by `ROWS` boxes from coordinate 0 on, or each matrix of a tensor with more
    /// dimensions, and returns the blocks of this CTA.
    ///
    /// The blocks of a matrix are numbered in groups of `group` rows of blocks, and in each group column by column. So CTAs that work
    /// at the same time share the rows and the columns of the matrices that a product reads, and find them in the L2 cache. The CTA
    /// gets the blocks `rank`, `rank + count`, …, where `rank` is its rank in the grid and `count` the number of CTAs.
    ///
    /// The blocks of a tensor with more dimensions are numbered in groups of `group` matrices, and in each group row by row from the
    /// last one up, with those of all matrices side by side. So the work gets less in each group if a row needs all rows before it,
    /// as in causal attention. CTAs take turns in one direction and then in the other: the CTA gets the blocks `rank`,
    /// `2 * count - 1 - rank`, `2 * count + rank`, …
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
    ) -> TensorBlocksMut<T, S, COLUMNS, ROWS, RANK> {
        const { assert!(COLUMNS > 0 && ROWS > 0, "a block has at least one box") };
        const { assert_matrix::<S>() };
        meet!(cta);
        deal::<Grid, _>(self.object);
        // With another order, another CTA would own the same block.
        deal::<Grid, ()>(core::ptr::without_provenance(group as usize));
        let mut order = Order { blocks: self.boxes, group: 1 };
        [order.blocks[0], order.blocks[1]] = [self.boxes[0].div_ceil(COLUMNS), self.boxes[1].div_ceil(ROWS)];
        let members = if RANK == 2 { order.blocks[1] } else { order.matrices() };
        order.group = group.clamp(1, members.max(1));
        let (rank, ctas) = (cta.grid_rank(), cta.grid_size().min(1 << 31));
        // Numbers of more CTAs, which take no second turn, have no room.
        let turns = RANK > 2 && ctas <= 1 << 30;
        TensorBlocksMut {
            object: self.object,
            positions: BlockPositions {
                order,
                next: rank,
                count: order.blocks[0] * order.blocks[1] * order.matrices(),
                step: if turns { 2 * ctas - 1 - 2 * rank } else { ctas },
                two_steps: ctas.wrapping_mul(2),
                stacked: 1,
                row: 0,
            },
            _of: PhantomData,
        }
    }
}

impl<T: Element, S: MatrixBox + BoxShape<Boxes = [u32; 2]>, const COLUMNS: u32, const ROWS: u32>
    TensorBlocksMut<T, S, COLUMNS, ROWS>
{
    /// The blocks, of at least one box, of CTA `row` of stack `rank` among `stacks`. A stack has one CTA for each of `height` blocks of a
    /// column.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn of_stack(
        map: TensorMapMut<T, S>,
        [rank, stacks]: [u32; 2],
        [row, height]: [u32; 2],
        group: u32,
    ) -> Self {
        const { assert_matrix::<S>() };
        deal::<Grid, _>(map.object);
        // With another order, another CTA would own the same block.
        deal::<Grid, ()>(core::ptr::without_provenance(group as usize));
        let [columns, rows] = [map.boxes[0].div_ceil(COLUMNS), map.boxes[1].div_ceil(ROWS).div_ceil(height)];
        TensorBlocksMut {
            object: map.object,
            positions: BlockPositions {
                order: Order { blocks: [columns, rows], group: group.clamp(1, rows.max(1)) },
                next: rank,
                count: columns * rows,
                step: stacks.min(1 << 31),
                two_steps: 0,
                stacked: height,
                row,
            },
            _of: PhantomData,
        }
    }
}

impl<T: Element, S: MatrixBox, const COLUMNS: u32, const ROWS: u32, const RANK: usize>
    TensorBlocksMut<T, S, COLUMNS, ROWS, RANK>
{
    /// Returns the positions of this CTA's blocks that it has not yet taken, counted in blocks, the column first.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn positions(&self) -> BlockPositions<RANK> {
        self.positions.clone()
    }

    /// Takes the CTA's next block and returns it with its position, counted in blocks, the column first; or `None` when no block is
    /// left.
    #[inline(always)]
    pub fn next_block(&mut self) -> Option<([i32; RANK], TensorBlockMut<T, S, COLUMNS, ROWS, RANK>)> {
        let position = self.positions.next()?;
        Some((position, TensorBlockMut { object: self.object, position, _of: PhantomData }))
    }

    /// Goes over the blocks of two tensors in pairs, whose positions are computed once. Returns `None` if the tensors have other
    /// numbers of blocks, were divided in groups of another size, or were begun.
    ///
    /// PTX: none.
    ///
    /// ```
    /// use ptx::{bf16, qualifier::swizzle_mode, tensor::{Box2, TensorBlocksMut, ZippedBlocksMut}, trap};
    ///
    /// type Part = Box2<64, 64, swizzle_mode::B128>;
    /// type Blocks = TensorBlocksMut<bf16, Part, 4, 2>;
    ///
    /// /// The blocks of two products of the same extents.
    /// fn both(c: Blocks, d: Blocks) -> ZippedBlocksMut<bf16, Part, 4, 2> {
    ///     c.zip(d).unwrap_or_else(|| trap())
    /// }
    /// ```
    #[inline(always)]
    pub fn zip(self, other: Self) -> Option<ZippedBlocksMut<T, S, COLUMNS, ROWS, RANK>> {
        let same = self.positions == other.positions;
        same.then_some(ZippedBlocksMut { other: other.object, blocks: self })
    }
}

impl<T: Element, S: MatrixBox, const COLUMNS: u32, const ROWS: u32, const RANK: usize>
    ZippedBlocksMut<T, S, COLUMNS, ROWS, RANK>
{
    /// Returns the positions of the blocks that the CTA has not yet taken, as [`TensorBlocksMut::positions`].
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn positions(&self) -> BlockPositions<RANK> {
        self.blocks.positions()
    }

    /// Takes the CTA's next block of each tensor and returns both with their position, as [`TensorBlocksMut::next_block`].
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "a position and two blocks")]
    pub fn next_block(&mut self) -> Option<([i32; RANK], [TensorBlockMut<T, S, COLUMNS, ROWS, RANK>; 2])> {
        let (position, block) = self.blocks.next_block()?;
        Some((position, [block, TensorBlockMut { object: self.other, position, _of: PhantomData }]))
    }
}

impl<T: Element, S: MatrixBox, const COLUMNS: u32, const ROWS: u32, const RANK: usize>
    TensorBlockMut<T, S, COLUMNS, ROWS, RANK>
{
    /// The coordinates of the first element.
    #[inline(always)]
    fn first(&self) -> [i32; RANK] {
        let mut first = self.position;
        first[0] = first[0].wrapping_mul((COLUMNS as usize * S::INNER) as i32);
        first[1] = first[1].wrapping_mul((ROWS as usize * S::OUTER) as i32);
        first
    }

    /// Returns the boxes of the warpgroup's row of the block: of `ROWS` rows, one for each warpgroup.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn of<'p, const COUNT: u32>(
        self,
        warpgroup: &Warpgroup<'p, COUNT>,
    ) -> TensorRowMut<T, S, Warpgroup<'p, COUNT>, RANK> {
        const { assert!(COUNT == ROWS, "each warpgroup has one row of boxes of the block") };
        let mut next = self.first();
        next[1] = next[1].wrapping_add((warpgroup.index() * S::OUTER as u32) as i32);
        TensorRowMut { object: self.object, next, left: COLUMNS, _of: PhantomData }
    }

    /// Returns the boxes of the block, which has one row of them, for the whole CTA.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn of_cta(self, _cta: &Cta) -> TensorRowMut<T, S, Cta, RANK> {
        const { assert!(ROWS == 1, "the block has more than one row of boxes: take blocks of one row") };
        TensorRowMut { object: self.object, next: self.first(), left: COLUMNS, _of: PhantomData }
    }
}

impl<T: Element, S: MatrixBox + StoreShape<TensorCoords = [i32; RANK]>, Of, const RANK: usize>
    TensorRowMut<T, S, Of, RANK>
{
    /// A row without boxes, for a loop whose first round has none to store.
    ///
    /// PTX: none.
    #[inline(always)]
    #[must_use]
    pub fn empty() -> Self {
        TensorRowMut { object: core::ptr::null(), next: [0; RANK], left: 0, _of: PhantomData }
    }

    /// Takes the next box, or returns `None` if none is left.
    #[inline(always)]
    pub fn next_box(&mut self) -> Option<TensorTileMut<T, S, Of>> {
        if self.left == 0 {
            return None;
        }
        let coords = self.next;
        self.next[0] = self.next[0].wrapping_add(S::INNER as i32);
        self.left -= 1;
        Some(TensorTileMut { object: self.object, coords, _of: PhantomData })
    }
}
