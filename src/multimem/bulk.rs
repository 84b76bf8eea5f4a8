//! Bulk reductions from shared memory into the memory of all GPUs (9.7.9.27).

use crate::async_group::Token;
use crate::bulk::{BulkGroup, BulkReduce, CopySource, Source, Split, Uncommitted};
use crate::global::tile_bytes;
use crate::group::Cta;
use crate::qualifier::Qualifier;
use crate::shared::Shared;

/// A slice behind a multimem address that CTAs of any GPU bulk-reduce into at the same time, in tiles of `N` elements. It is to
/// [`bulk_reduce`] what [`GlobalReduce`](crate::bulk::GlobalReduce) is to [`bulk::reduce`](crate::bulk::reduce()).
///
/// The elements after the last whole tile are not reached: make the slice a multiple of `N` long.
///
/// ```
/// # use ptx::{launch::Cta, multimem::{self, MulticastReduce}, qualifier::op, shared::{Fenced, Shared}};
/// # fn kernel<'s>(cta: &Cta, part: Shared<'s, f32, 1024, Fenced>, sums: MulticastReduce<f32, 1024>) -> Option<Shared<'s, f32, 1024, Fenced>> {
/// let sum = sums.get(ptx::raw::ctaid_x() as usize)?; // the CTAs of that number, on all GPUs
/// let (part, _sum) = multimem::bulk_reduce(cta, op::Add, part, sum).commit(cta).wait(cta);
/// # Some(part)
/// # }
/// ```
#[derive(Debug)]
pub struct MulticastReduce<T, const N: usize> {
    base: *mut T,
    len: usize,
}

impl<T, const N: usize> Clone for MulticastReduce<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for MulticastReduce<T, N> {}

impl<T: crate::shared::Element, const N: usize> MulticastReduce<T, N> {
    /// # Safety
    ///
    /// - `base` is the multimem address, aligned to 16 bytes, of `len` elements of global memory, and stays it until the grid
    ///   ends. Nothing but `multimem` instructions get an address in that range.
    /// - until the grid ends the memory behind it is accessed, on every GPU, through such handles alone, of the same `T`. (An
    ///   ordinary access would be a race, an atomic one of another proxy.)
    ///
    /// ```
    /// # use ptx::multimem::MulticastReduce;
    /// # unsafe fn kernel(sums: *mut u32) {
    /// // SAFETY: the host passes the multicast address of 4096 zeroed elements, which only kernels like this one use.
    /// let sums = unsafe { MulticastReduce::<u32, 1024>::from_raw(sums, 4096) };
    /// let _third = sums.get(2);
    /// # }
    /// ```
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self {
        const { tile_bytes::<T, N>() };
        MulticastReduce { base, len }
    }

    /// How many whole tiles there are.
    ///
    /// ```
    /// # use ptx::multimem::MulticastReduce;
    /// # fn kernel(sums: MulticastReduce<u32, 1024>) {
    /// let tiles = sums.count(); // 4, of 5000 elements
    /// # }
    /// ```
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.len / N
    }

    /// Tile `i`, which every CTA may have at the same time, or `None` past the end.
    ///
    /// ```
    /// # use ptx::multimem::MulticastReduce;
    /// # fn kernel(sums: MulticastReduce<u32, 1024>) {
    /// let third = sums.get(2); // elements 2048 to 3071, if there are so many
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<MulticastTile<T, N>> {
        if i >= self.count() {
            return None;
        }
        // SAFETY: in bounds.
        Some(MulticastTile { base: unsafe { self.base.add(i * N) } })
    }
}

/// `N` elements on each GPU that CTAs bulk-reduce into.
///
/// ```
/// # use ptx::{launch::Cta, multimem::{self, MulticastTile}, qualifier::op, shared::{Fenced, Shared}};
/// /// The greatest of all CTAs' values, of each element.
/// fn greatest(cta: &Cta, part: Shared<'_, u32, 1024, Fenced>, all: MulticastTile<u32, 1024>) {
///     let _done = multimem::bulk_reduce(cta, op::Max, part, all).commit(cta).wait(cta);
/// }
/// ```
#[derive(Debug)]
pub struct MulticastTile<T, const N: usize> {
    base: *mut T,
}

impl<T, const N: usize> Clone for MulticastTile<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for MulticastTile<T, N> {}

/// A reduction of [`Shared`] memory in flight: its source and its destination.
///
/// ```
/// # use ptx::shared::Fenced;
/// use ptx::{bulk::{BulkGroup, Committed}, launch::Cta, multimem::BulkReduceMulticast};
/// /// Waits for a reduction.
/// fn wait(cta: &Cta, group: BulkGroup<BulkReduceMulticast<'_, f32, 1024, Fenced>, Committed>) {
///     let (_part, _sum) = group.wait(cta);
/// }
/// ```
pub type BulkReduceMulticast<'s, T, const N: usize, S> = (Shared<'s, T, N, S>, MulticastTile<T, N>);

// SAFETY: a tuple.
unsafe impl<Src: Source, T, const N: usize> Split for (Src, MulticastTile<T, N>) {
    type Sources = Src::Read;
    type Destinations = MulticastTile<T, N>;
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        (self.0.when_read(token), self.1)
    }
}

/// Starts a group with the reduction of `src` into `dst`: `dst[i] = op(dst[i], src[i])` on every GPU, each element atomically
/// (`.relaxed.sys`), so that CTAs of all GPUs can reduce into one tile at the same time.
///
/// `op`, the types that have it and `src` are those of [`bulk::reduce`](crate::bulk::reduce()).
///
/// Collective in the CTA.
///
/// PTX, by the leader: `multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [dst], [src], bytes;` (PTX ISA
/// 9.1), of `half::f16` and `half::bf16` `.add.noftz`
///
/// ```
/// # use ptx::{launch::Cta, multimem::{self, MulticastReduce}, shared::{Fenced, Shared}};
/// # fn kernel<'s>(cta: &Cta, part: Shared<'s, f32, 1024, Fenced>, sums: MulticastReduce<f32, 1024>) -> Option<Shared<'s, f32, 1024, Fenced>> {
/// use ptx::qualifier::op;
/// let (part, _writing) = multimem::bulk_reduce(cta, op::Add, part, sums.get(0)?).commit(cta).wait_read(cta);
/// # Some(part)
/// # }
/// ```
#[inline(always)]
pub fn bulk_reduce<Op: Qualifier, T: BulkReduce<Op>, const N: usize, Src: CopySource<T, N, Group = Cta>>(
    cta: &Cta,
    op: Op,
    src: Src,
    dst: MulticastTile<T, N>,
) -> BulkGroup<(Src, MulticastTile<T, N>), Uncommitted> {
    let _: Op = op;
    if cta.is_leader() {
        // SAFETY: the tile's type proves the size and the alignment of the destination, a multimem address whose memory is
        // accessed by such reductions alone; the source is aligned to 128 bytes and visible to the async proxy, by `tile`; it
        // goes into the group.
        unsafe { T::multimem_reduce(dst.base.cast(), src.tile(), const { tile_bytes::<T, N>() as u32 }) }
    }
    BulkGroup::new((src, dst))
}
