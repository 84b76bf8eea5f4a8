//! Bulk reductions (TMA) from shared memory into the memory of all GPUs: `multimem.cp.reduce.async.bulk` (9.7.9.27).

use crate::async_group::Token;
use crate::bulk::{BulkGroup, BulkReduce, CopySource, Source, Split, Uncommitted};
use crate::group::Cta;
use crate::qualifier::Qualifier;
use crate::shared::Shared;
use crate::size;

/// A slice at a multimem address into which the CTAs of all GPUs bulk-reduce tiles of `N` elements at the same time
/// (`multimem.cp.reduce.async.bulk`). [`bulk_reduce`] takes its tiles, as [`bulk::reduce`](crate::bulk::reduce()) takes those of
/// [`GlobalReduce`](crate::bulk::GlobalReduce).
///
/// Elements after the last whole tile are left out: make the length a multiple of `N`.
///
/// ```
/// # use ptx::{group::Cta, multimem::{self, MulticastReduce}, qualifier::op, shared::{Fenced, Shared}};
/// # unsafe fn kernel<'s>(cta: &Cta, part: Shared<'s, f32, 1024, Fenced>, sums: *mut f32)
/// # -> Option<Shared<'s, f32, 1024, Fenced>> {
/// // SAFETY: the host passes the multicast address of 4096 zeroed elements. Until this grid ends, only kernels like this one
/// // access them, on any GPU.
/// let sums = unsafe { MulticastReduce::<f32, 1024>::from_raw(sums, 4096) };
/// let sum = sums.get(ptx::raw::ctaid_x() as usize)?; // one tile for the CTAs of this number, on all GPUs
/// let (part, _sum) = multimem::bulk_reduce(cta, op::Add, part, sum).commit(cta).wait(cta).sync(cta);
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
    /// Makes a handle of a slice from a multimem address (of a multicast object, `cuMulticastCreate`) and a length in elements.
    ///
    /// # Safety
    ///
    /// 1. `base` is the multimem address, aligned to 16 bytes, of `len` elements of global memory, until the grid ends. Only
    ///    `multimem` instructions get an address in that range.
    /// 2. Until the grid ends, the memory at the address is accessed, on every GPU, only through handles of this type with
    ///    the same `T`. (An ordinary access would be a race; an atomic access would go through another proxy.)
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self {
        const { size::tile::<T, N>() };
        MulticastReduce { base, len }
    }

    /// Returns the number of whole tiles of the slice. The elements after the last whole tile belong to no tile.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.len / N
    }

    /// Returns tile `i`, or `None` if `i` is past the last whole tile. Every CTA may have the same tile at the same time.
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<MulticastTile<T, N>> {
        if i >= self.count() {
            return None;
        }
        // SAFETY: tile `i` is whole, so it lies in the `len` elements at `base` (clause 1 of `from_raw`).
        Some(MulticastTile { base: unsafe { self.base.add(i * N) } })
    }
}

/// A tile of a [`MulticastReduce`], a destination of [`bulk_reduce`]: `N` elements on each GPU.
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

/// A bulk reduction in flight, as the source and the destination that its [`BulkGroup`] holds.
pub type BulkReduceMulticast<'s, T, const N: usize, S> = (Shared<'s, T, N, S>, MulticastTile<T, N>);

// SAFETY: the clause of `Split`: the source and the destination are the two parts of the tuple, each once.
unsafe impl<Src: Source, T, const N: usize> Split for (Src, MulticastTile<T, N>) {
    type Sources = Src::Read;
    type Destinations = MulticastTile<T, N>;
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        (self.0.when_read(token), self.1)
    }
    type Written = Self;
    #[inline(always)]
    fn written(self, _: Token) -> Self {
        self
    }
}

/// Starts a bulk reduction of the shared-memory tile `src` into `dst` on every GPU (`multimem.cp.reduce.async.bulk`):
/// `dst[i] = op(dst[i], src[i])`. The returned [`BulkGroup`] holds the reduction. Each element is atomic (`.relaxed.sys`), so the
/// CTAs of all GPUs can reduce into one tile at the same time.
///
/// `src`, `op` and the types of each `op` are those of [`bulk::reduce`](crate::bulk::reduce()). An example is at
/// [`MulticastReduce`].
///
/// Collective in the CTA.
///
/// PTX, by the leader: `multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [dst], [src], bytes;` (PTX ISA 9.1);
/// `.add` of `half::f16` and `half::bf16` is `.add.noftz`
#[inline(always)]
#[track_caller]
pub fn bulk_reduce<Op: Qualifier, T: BulkReduce<Op>, const N: usize, Src: CopySource<T, N, Group = Cta>>(
    cta: &Cta,
    op: Op,
    src: Src,
    dst: MulticastTile<T, N>,
) -> BulkGroup<(Src, MulticastTile<T, N>), Uncommitted> {
    meet!(cta; src.place());
    let _: Op = op;
    if cta.is_leader() {
        // SAFETY: `dst` has its size by `size::tile`, and its address and alignment by the clauses of `from_raw`. `src.tile()` is
        // aligned to 128 bytes and visible to the async proxy (`CopySource::tile`), and the group keeps `src` until the wait.
        unsafe { T::multimem_reduce(dst.base.cast(), src.tile(), const { size::tile::<T, N>() }) }
    }
    BulkGroup::new((src, dst))
}
