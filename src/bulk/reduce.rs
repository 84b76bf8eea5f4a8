//! Bulk reductions (TMA reductions, `cp.reduce.async.bulk`, 9.7.9.25.4.2) from shared to global memory.

use super::{BulkGroup, CopySource, Source, Split, Uncommitted};
use crate::async_group::Token;
use crate::cache_policy::MaybeHinted;
use crate::group::{Cta, ThreadGroup};
use crate::qualifier::{Qualifier, Sealed, op, ty};
use crate::raw;
use crate::shared::{Element, Shared};
use crate::size;

/// A slice of global memory that all CTAs of the grid reduce into at the same time, in tiles of `N` elements
/// (`cp.reduce.async.bulk`). No thread of the grid reads the slice; the end of the grid makes the results visible.
///
/// Reductions cannot reach the elements after the last whole tile: make the length of the slice a multiple of `N`.
///
/// ```
/// # use ptx::{bulk::{self, GlobalReduce}, group::Cta, qualifier::op, shared::{Fenced, Free, Shared}};
/// # unsafe fn kernel<'s>(cta: &Cta, part: Shared<'s, u32, 64, Fenced>, most: *mut u32)
/// # -> Option<Shared<'s, u32, 64, Free>> {
/// // SAFETY: the host passes 64 zeroed elements, aligned to 16 bytes; only this grid uses them, through this handle.
/// let most = unsafe { GlobalReduce::<_, 64>::from_raw(most, 64) };
/// let part = bulk::reduce(cta, op::Max, part, most.get(0)?).commit(cta).wait_read(cta).sync(cta);
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
    /// Makes a handle from a pointer: the `len` elements of global memory at `base`, as the destination of bulk reductions.
    ///
    /// # Safety
    ///
    /// - `base` is the generic or global address, aligned to 16 bytes, of `len` elements of global memory.
    /// - Until the grid ends, the elements are accessed only through such handles. Threads of this grid make the handles, with
    ///   the same `T`, `N` and arguments. (An ordinary access would be a data race; an atomic operation would use another proxy.)
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self {
        const { size::tile::<T, N>() };
        GlobalReduce { base, len }
    }

    /// Returns the number of whole tiles of `N` elements in the slice. The elements after the last whole tile belong to no tile.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.len / N
    }

    /// Returns a handle of tile `i`, a destination of [`reduce`](reduce()), or `None` past the last whole tile. Every CTA can
    /// hold the same tile at the same time.
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<ReduceTile<T, N>> {
        if i >= self.count() {
            return None;
        }
        // SAFETY: `i < count()`, so tile `i` is in bounds.
        Some(ReduceTile { base: unsafe { self.base.add(i * N) } })
    }
}

/// A handle of a tile of `N` elements of global memory: the destination of a bulk reduction ([`reduce`](reduce()),
/// `cp.reduce.async.bulk`). Several reductions into one tile can be in flight at once.
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

/// An element type for which `cp.reduce.async.bulk` has the operation `Op`, such as `op::Add`.
#[diagnostic::on_unimplemented(
    message = "there is no bulk reduction `{Op}` of `{Self}` into global memory",
    label = "`{Op}` does not reduce `{Self}`",
    note = "`Add` takes u32, i32, u64, i64, f32, f64; `Min`, `Max` u32, i32, u64, i64; `Inc`, `Dec` u32; `And`, `Or`, `Xor` integers of 32 or 64 bits; `Add`, `Min`, `Max` also `f16` and `bf16` (PTX ISA 9.7.9.25.4.2)"
)]
pub trait BulkReduce<Op: Qualifier>: Element {
    /// Starts the bulk reduction of `size` bytes of shared memory at `src` into global memory at `dst`.
    ///
    /// # Safety
    ///
    /// The clauses of [`raw::cp_reduce_async_bulk_global_shared_cta_add`].
    #[doc(hidden)]
    unsafe fn reduce(dst: *mut u8, src: u32, size: u32, hint: impl raw::L2CacheHint);
    /// Starts the bulk reduction of `size` bytes of shared memory at `src` into the multimem address `dst` (9.7.9.27). That
    /// instruction has the same operations and types.
    ///
    /// # Safety
    ///
    /// The clauses of [`raw::multimem_cp_reduce_async_bulk_global_shared_cta_add`].
    #[doc(hidden)]
    unsafe fn multimem_reduce(dst: *mut u8, src: u32, size: u32);
}

macro_rules! reductions {
    ($( $Op:ident $reduce:ident $multimem:ident $op:tt: $($T:ty as $Type:ident),+; )*) => { $( $(
        #[diagnostic::do_not_recommend]
        impl BulkReduce<op::$Op> for $T {
            #[inline(always)]
            unsafe fn reduce(dst: *mut u8, src: u32, size: u32, hint: impl raw::L2CacheHint) {
                // SAFETY: the caller meets the conditions of the instruction (`# Safety`).
                unsafe { reductions!(@call $reduce $op ty::$Type, dst, src, size, hint) }
            }
            #[inline(always)]
            unsafe fn multimem_reduce(dst: *mut u8, src: u32, size: u32) {
                // SAFETY: the caller meets the conditions of the instruction (`# Safety`).
                unsafe { raw::$multimem(ty::$Type, dst, src, size) }
            }
        }
    )+ )* };
    (@call $reduce:ident [ $($op:path)? ] $($arg:expr),+) => { raw::$reduce($($op,)? $($arg),+) };
}

// The table of 9.7.9.25.4.2 for `.global`. The table has no `.s64` for `.add`: in two's complement, `.u64` gives the same sum.
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

/// The handles of a [`reduce`](reduce()) in flight from [`Shared`] memory: its source and its destination.
pub type Reduce<'s, T, const N: usize, S, G = Cta> = (Shared<'s, T, N, S, G>, ReduceTile<T, N>);

// SAFETY: the parts are the two handles of the pair.
unsafe impl<Src: Source, T, const N: usize> Split for (Src, ReduceTile<T, N>) {
    type Sources = Src::Read;
    type Destinations = ReduceTile<T, N>;
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

/// Starts the bulk reduction of the tile `src` in shared memory into the tile `dst` of global memory,
/// `dst[i] = op(dst[i], src[i])` (`cp.reduce.async.bulk`), in a new [`BulkGroup`] to commit and wait for. Each element's
/// operation is atomic (`.relaxed.gpu`), so CTAs can reduce into one tile at the same time. `src` is as for
/// [`store`](super::store()).
///
/// `op` is a tag of [`qualifier::op`](crate::qualifier::op): `Add`, `Min`, `Max`, `And`, `Or`, `Xor`, and for `u32` also `Inc`
/// and `Dec`. `Inc` gives 0 if `dst >= src`, else `dst + 1`. `Dec` gives `src` if `dst` is 0 or `dst > src`, else `dst - 1`. Sums
/// of `f32` flush subnormals to zero; sums of `half::f16` and `half::bf16` keep subnormals (9.7.9.25.4.2). The
/// order in which CTAs add is not specified.
///
/// Collective in the group.
///
/// PTX, by the leader: `cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [dst], [src], bytes;`, for a DSMEM buffer
/// [`ByElement`](crate::cluster::ByElement) after `fence.proxy.async.shared::cta;`
///
/// Adds the sums of a cluster to the sums of the grid:
///
/// ```
/// # use ptx::{bulk::{self, ReduceTile}, cluster::{ByElement, Cluster, Inbox}};
/// # type Sums<'c> = Inbox<'c, u32, 128, ByElement>;
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Sums<'c>, mine: fn(usize) -> u32, sums: ReduceTile<u32, 128>) {
/// # let cta = cluster.cta();
/// use ptx::qualifier::op;
/// let received = inbox.reduce_to_others(cluster, op::Add, mine).receive(cta);
/// let received = bulk::reduce(cta, op::Add, received, sums).commit(cta).wait_read(cta).sync(cta);
/// let _inbox = received.release().sync(cluster);
/// # }
/// ```
#[inline(always)]
#[track_caller]
#[doc(alias("cp_reduce_async_bulk", "cuda::ptx::cp_reduce_async_bulk"))]
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
    meet!(group; src.place());
    let _: Op = op;
    let (dst, hint) = dst.split();
    if group.is_leader() {
        // SAFETY: the type of `dst` proves its size and alignment, and only such reductions access `dst` (`from_raw`). The source
        // is aligned to 128 bytes and visible to the async proxy (`CopySource::tile`). The group owns the source until a wait.
        unsafe { T::reduce(dst.base.cast(), src.tile(), const { size::tile::<T, N>() }, hint) }
    }
    BulkGroup::new((src, dst))
}

crate::cache_policy::hintable! {
    [T, const N: usize] ReduceTile<T, N>;
}
