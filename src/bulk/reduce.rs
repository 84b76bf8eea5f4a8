//! Bulk reductions from shared to global memory (9.7.9.25.4.2).

use super::{BulkGroup, CopySource, Source, Split, Uncommitted, tile_bytes};
use crate::async_group::Token;
use crate::cache_policy::MaybeHinted;
use crate::group::{Cta, ThreadGroup};
use crate::qualifier::{Qualifier, Sealed, op, ty};
use crate::raw;
use crate::shared::{Element, Shared};

/// A slice of global memory that all CTAs of the grid reduce into at the same time, in tiles of `N` elements. Nothing of
/// the grid reads it: the grid's end makes the results visible.
///
/// The elements after the last whole tile are not reached: make the slice a multiple of `N` long.
///
/// ```
/// # use ptx::{bulk::{self, GlobalReduce}, launch::Cta, qualifier::op, shared::{Fenced, Shared}};
/// # unsafe fn kernel<'s>(cta: &Cta, part: Shared<'s, u32, 64, Fenced>, most: *mut u32)
/// # -> Option<Shared<'s, u32, 64, Fenced>> {
/// // SAFETY: the host passes 64 zeroed elements, aligned to 16 bytes, which this grid alone uses, here only.
/// let most = unsafe { GlobalReduce::<_, 64>::from_raw(most, 64) };
/// let (part, _writing) = bulk::reduce(cta, op::Max, part, most.get(0)?).commit(cta).wait_read(cta);
/// # Some(part)
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalReduce<T, const N: usize> {
    base: *mut T,
    len: usize,
}

impl<T, const N: usize> Clone for GlobalReduce<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for GlobalReduce<T, N> {}

impl<T: Element, const N: usize> GlobalReduce<T, N> {
    /// # Safety
    ///
    /// - `base` is the generic or global address, aligned to 16 bytes, of `len` elements of global memory.
    /// - until the grid ends its elements are accessed through such handles alone, made by threads of this grid, of the same
    ///   `T` and `N`, and of equal arguments. (An ordinary access would be a race, an atomic one of another proxy.)
    ///
    /// ```
    /// # use ptx::bulk::GlobalReduce;
    /// # unsafe fn kernel(sums: *mut u32) {
    /// // SAFETY: the host passes 4096 zeroed elements, aligned to 16 bytes, which this grid alone uses, and nowhere else.
    /// let sums = unsafe { GlobalReduce::<u32, 1024>::from_raw(sums, 4096) };
    /// let _third = sums.get(2);
    /// # }
    /// ```
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self {
        const { crate::global::tile_bytes::<T, N>() };
        GlobalReduce { base, len }
    }

    /// How many whole tiles there are.
    ///
    /// ```
    /// # use ptx::{bulk::GlobalReduce, launch::Cta};
    /// # fn kernel(cta: &Cta, sums: GlobalReduce<u32, 64>) {
    /// // CTAs start at different tiles.
    /// let first = sums.get(cta.grid_rank() as usize % sums.count());
    /// # }
    /// ```
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.len / N
    }

    /// Tile `i`, which every CTA may have at the same time, or `None` past the end.
    ///
    /// ```
    /// # use ptx::bulk::{GlobalReduce, ReduceTile};
    /// # fn kernel(sums: GlobalReduce<u32, 64>) -> Option<ReduceTile<u32, 64>> {
    /// let tile = sums.get(3)?; // elements 192 to 255
    /// # Some(tile)
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<ReduceTile<T, N>> {
        if i >= self.count() {
            return None;
        }
        // SAFETY: in bounds.
        Some(ReduceTile { base: unsafe { self.base.add(i * N) } })
    }
}

/// `N` elements of global memory that CTAs reduce into.
///
/// ```
/// # use ptx::{bulk::{self, ReduceTile}, launch::Cta, qualifier::op, shared::{Fenced, Shared}};
/// # type Tile<'s> = Shared<'s, u32, 64, Fenced>;
/// # fn kernel<'s>(cta: &Cta, a: Tile<'s>, b: Tile<'s>, sums: ReduceTile<u32, 64>) -> (Tile<'s>, Tile<'s>) {
/// // Two reductions may go to one tile at the same time.
/// let group = bulk::reduce(cta, op::Add, a, sums).and(bulk::reduce(cta, op::Add, b, sums));
/// let ((a, _), (b, _)) = group.commit(cta).wait(cta);
/// # (a, b)
/// # }
/// ```
#[derive(Debug)]
pub struct ReduceTile<T, const N: usize> {
    base: *mut T,
}

impl<T, const N: usize> Clone for ReduceTile<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for ReduceTile<T, N> {}
impl<T, const N: usize> Sealed for ReduceTile<T, N> {}

/// Elements that bulk reductions combine by `Op`.
///
/// ```
/// # use ptx::{bulk::{self, BulkReduce, GlobalReduce}, launch::Cta, qualifier::op, shared::{Fenced, Shared}};
/// // Any element that has a sum.
/// fn add<'s, T: BulkReduce<op::Add>>(
///     cta: &Cta,
///     part: Shared<'s, T, 64, Fenced>,
///     to: bulk::ReduceTile<T, 64>,
/// ) -> Shared<'s, T, 64, Fenced> {
///     bulk::reduce(cta, op::Add, part, to).commit(cta).wait(cta).0
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "there is no bulk reduction `{Op}` of `{Self}` into global memory",
    label = "not an operation on `{Self}`",
    note = "`Add` takes u32, i32, u64, i64, f32, f64; `Min`, `Max` u32, i32, u64, i64; `Inc`, `Dec` u32; `And`, `Or`, `Xor` integers of 32 or 64 bits; with the feature `half`, `Add`, `Min`, `Max` its two types (PTX ISA 9.7.9.25.4.2)"
)]
pub trait BulkReduce<Op: Qualifier>: Element {
    /// Starts the reduction.
    ///
    /// # Safety
    ///
    /// That of [`raw::cp_reduce_async_bulk_global_shared_cta_add`].
    #[doc(hidden)]
    unsafe fn reduce(dst: *mut u8, src: u32, size: u32, hint: impl raw::L2CacheHint);
    /// Starts the reduction into a multimem address (9.7.9.27): that instruction has the same operations and types.
    ///
    /// # Safety
    ///
    /// That of [`raw::multimem_cp_reduce_async_bulk_global_shared_cta_add`].
    #[doc(hidden)]
    unsafe fn multimem_reduce(dst: *mut u8, src: u32, size: u32);
}

macro_rules! reductions {
    ($( $Op:ident $reduce:ident $multimem:ident $op:tt: $($T:ty as $Type:ident),+; )*) => { $( $(
        #[diagnostic::do_not_recommend]
        impl BulkReduce<op::$Op> for $T {
            #[inline(always)]
            unsafe fn reduce(dst: *mut u8, src: u32, size: u32, hint: impl raw::L2CacheHint) {
                // SAFETY: the caller's contract.
                unsafe { reductions!(@call $reduce $op ty::$Type, dst, src, size, hint) }
            }
            #[inline(always)]
            unsafe fn multimem_reduce(dst: *mut u8, src: u32, size: u32) {
                // SAFETY: the caller's contract.
                unsafe { raw::$multimem(ty::$Type, dst, src, size) }
            }
        }
    )+ )* };
    (@call $reduce:ident [ $($op:path)? ] $($arg:expr),+) => { raw::$reduce($($op,)? $($arg),+) };
}

// The table of 9.7.9.25.4.2 for `.global`. It has no `.s64` of `.add`: the sum of two's complements is that of `.u64`.
reductions! {
    Add cp_reduce_async_bulk_global_shared_cta_add
        multimem_cp_reduce_async_bulk_global_shared_cta_add []:
        u32 as U32, i32 as S32, u64 as U64, i64 as U64, f32 as F32, f64 as F64;
    Min cp_reduce_async_bulk_global_shared_cta_min_max
        multimem_cp_reduce_async_bulk_global_shared_cta_min [op::Min]:
        u32 as U32, i32 as S32, u64 as U64, i64 as S64;
    Max cp_reduce_async_bulk_global_shared_cta_min_max
        multimem_cp_reduce_async_bulk_global_shared_cta_max [op::Max]:
        u32 as U32, i32 as S32, u64 as U64, i64 as S64;
    Inc cp_reduce_async_bulk_global_shared_cta_inc_dec
        multimem_cp_reduce_async_bulk_global_shared_cta_inc [op::Inc]:
        u32 as U32;
    Dec cp_reduce_async_bulk_global_shared_cta_inc_dec
        multimem_cp_reduce_async_bulk_global_shared_cta_dec [op::Dec]:
        u32 as U32;
    And cp_reduce_async_bulk_global_shared_cta_bitwise
        multimem_cp_reduce_async_bulk_global_shared_cta_and [op::And]:
        u32 as B32, i32 as B32, u64 as B64, i64 as B64;
    Or cp_reduce_async_bulk_global_shared_cta_bitwise
        multimem_cp_reduce_async_bulk_global_shared_cta_or [op::Or]:
        u32 as B32, i32 as B32, u64 as B64, i64 as B64;
    Xor cp_reduce_async_bulk_global_shared_cta_bitwise
        multimem_cp_reduce_async_bulk_global_shared_cta_xor [op::Xor]:
        u32 as B32, i32 as B32, u64 as B64, i64 as B64;
}

#[cfg(feature = "half")]
reductions! {
    Add cp_reduce_async_bulk_global_shared_cta_add_noftz
        multimem_cp_reduce_async_bulk_global_shared_cta_add_noftz []:
        half::f16 as F16, half::bf16 as Bf16;
    Min cp_reduce_async_bulk_global_shared_cta_min_max
        multimem_cp_reduce_async_bulk_global_shared_cta_min [op::Min]:
        half::f16 as F16, half::bf16 as Bf16;
    Max cp_reduce_async_bulk_global_shared_cta_min_max
        multimem_cp_reduce_async_bulk_global_shared_cta_max [op::Max]:
        half::f16 as F16, half::bf16 as Bf16;
}

/// A reduction of [`Shared`] memory in flight: its source and its destination.
///
/// ```
/// # use ptx::{bulk::{BulkGroup, Committed, Reduce}, launch::Cta, shared::{Fenced, Free, Shared}};
/// fn finish<'s>(
///     cta: &Cta,
///     group: BulkGroup<Reduce<'s, f32, 64, Fenced>, Committed>,
/// ) -> Shared<'s, f32, 64, Free> {
///     let (part, _sums) = group.wait(cta);
///     part.into_free()
/// }
/// ```
pub type Reduce<'s, T, const N: usize, S, G = Cta> = (Shared<'s, T, N, S, G>, ReduceTile<T, N>);

// SAFETY: a tuple.
unsafe impl<Src: Source, T, const N: usize> Split for (Src, ReduceTile<T, N>) {
    type Sources = Src::Read;
    type Destinations = ReduceTile<T, N>;
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        (self.0.when_read(token), self.1)
    }
}

/// Starts a group with the reduction of `src` into `dst`: `dst[i] = op(dst[i], src[i])`, each element atomically
/// (`.relaxed.gpu`), so that CTAs can reduce into one tile at the same time. `src` is as of [`store`](super::store()).
///
/// `op` is a tag of [`qualifier::op`](crate::qualifier::op): `Add`, `Min`, `Max`, `And`, `Or`, `Xor`, or for `u32` `Inc` (`dst >=
/// src` becomes 0, else `dst + 1`) and `Dec` (0 or `dst > src` becomes `src`, else `dst - 1`). Sums of `f32` flush subnormals to
/// zero, those of `half::f16` and `half::bf16` (feature `half`) keep them (9.7.9.25.4.2); in which order CTAs add is open.
///
/// Collective in the group.
///
/// PTX, by the leader: `cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [dst], [src], bytes;`, of a DSMEM buffer
/// [`ByElement`](crate::cluster::ByElement) `fence.proxy.async.shared::cta;` before it
///
/// ```
/// # use ptx::{bulk::{self, GlobalReduce}, launch::Cta, shared::{Fenced, Shared}};
/// # fn kernel<'s>(cta: &Cta, part: Shared<'s, u32, 1024, Fenced>, sums: GlobalReduce<u32, 1024>) -> Option<Shared<'s, u32, 1024, Fenced>> {
/// use ptx::qualifier::op;
/// let (part, _writing) = bulk::reduce(cta, op::Add, part, sums.get(0)?).commit(cta).wait_read(cta);
/// # Some(part)
/// # }
/// ```
///
/// Sums of a cluster, added to those of the grid:
///
/// ```
/// # use ptx::{bulk::{self, ReduceTile}, cluster::{ByElement, Cluster, Inbox}};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByElement>, mine: fn(usize) -> u32, sums: ReduceTile<u32, 128>) {
/// # let cta = cluster.cta();
/// use ptx::qualifier::op;
/// let received = inbox.reduce_to_others(cluster, op::Add, mine).receive(cta);
/// let (received, _writing) = bulk::reduce(cta, op::Add, received, sums).commit(cta).wait_read(cta);
/// let _inbox = received.release(cluster);
/// # }
/// ```
#[inline(always)]
pub fn reduce<
    Op: Qualifier,
    T: BulkReduce<Op>,
    const N: usize,
    Src: CopySource<T, N, Group = G>,
    G: ThreadGroup,
>(
    group: &G,
    op: Op,
    src: Src,
    dst: impl MaybeHinted<ReduceTile<T, N>>,
) -> BulkGroup<(Src, ReduceTile<T, N>), Uncommitted, G> {
    let _: Op = op;
    let (dst, hint) = dst.split();
    if group.is_leader() {
        // SAFETY: the tile's type proves the size and the alignment of the destination, which is accessed by such reductions
        // alone; the source is aligned to 128 bytes and visible to the async proxy, by `tile`; it goes into the group.
        unsafe { T::reduce(dst.base.cast(), src.tile(), const { tile_bytes::<T, N>() }, hint) }
    }
    BulkGroup::new((src, dst))
}

crate::cache_policy::hintable! {
    [T, const N: usize] ReduceTile<T, N>, "a reduction":
        "# use ptx::{bulk::{self, ReduceTile}, cache_policy::CachePolicy, launch::Cta, qualifier::op, shared::{Fenced, Shared}};"
        "# fn kernel<'s>(cta: &Cta, part: Shared<'s, f32, 64, Fenced>, sums: ReduceTile<f32, 64>) -> Shared<'s, f32, 64, Fenced> {"
        "let sums = sums.cache_hint(CachePolicy::evict_last());"
        "let (part, _writing) = bulk::reduce(cta, op::Add, part, sums).commit(cta).wait_read(cta);"
        "# part"
        "# }";
}
