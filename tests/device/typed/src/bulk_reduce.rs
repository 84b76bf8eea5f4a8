//! Bulk reductions into global memory, also with a policy, and at a multimem address.

use half::f16;
use ptx::bulk::{self, GlobalReduce, ReduceTile};
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::multimem::{self, MulticastReduce, MulticastTile};
use ptx::qualifier::{cache_hint, evict, op, space, ty};
use ptx::raw;
use ptx::shared::{Element, SharedArray};
use ptx::trap;

use crate::{each_own, elected, fence_async, scope, sync};

/// Bytes of each tile.
const BYTES: u32 = 1024;

#[inline(always)]
fn sums<T: Element, const N: usize>(dst: *mut T) -> ReduceTile<T, N> {
    match unsafe { GlobalReduce::from_raw(dst, N) }.get(0) {
        Some(tile) => tile,
        None => trap(),
    }
}

#[inline(always)]
fn sums_of_all<T: Element, const N: usize>(dst: *mut T) -> MulticastTile<T, N> {
    match unsafe { MulticastReduce::from_raw(dst, N) }.get(0) {
        Some(tile) => tile,
        None => trap(),
    }
}

#[inline(always)]
fn fill(mut store: impl FnMut(u32)) {
    each_own(BYTES / 16, |v| {
        store(16 * v);
    });
}

/// Starts a reduction in the leader, and waits for the reduction.
#[inline(always)]
pub unsafe fn reduce(start: impl FnOnce()) {
    unsafe {
        if elected() {
            start();
        }
        if elected() {
            raw::cp_async_bulk_commit_group();
        }
        if elected() {
            raw::cp_async_bulk_wait_group::<0>();
        }
        sync();
    }
}

/// A pair of kernels that reduce a tile by each operation in turn, three times by each. `store` writes sixteen bytes of zeros.
macro_rules! reductions {
    (
        $Smem:ident $typed:ident $raw:ident [$T:ty; $N:literal] zero $zero:expr, $store:expr;
        $( $Op:ident $reduce:ident $multimem:ident $Type:ident [$($op:path)?] )+
    ) => {
        ptx::shared_memory! {
            struct $Smem { tile: SharedArray<$T, $N>, end: Mbarrier<Uninit> }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(dst: *mut $T, all: *mut $T) {
            let (mut cta, smem, _) = unsafe { Cta::enter::<$Smem>() };
            cta.async_scope(smem.tile, |cta, tile| {
                let tile = tile.write(cta, |_| $zero).to_async().sync(cta);
                let policy = CachePolicy::evict_last();
                $(
                    let (tile, _) = bulk::reduce(cta, op::$Op, tile, sums(dst)).commit(cta).wait(cta).sync(cta);
                    let (tile, _) = bulk::reduce(cta, op::$Op, tile, sums(dst).cache_hint(policy)).commit(cta).wait(cta).sync(cta);
                    let (tile, _) = multimem::bulk_reduce(cta, op::$Op, tile, sums_of_all(all)).commit(cta).wait(cta).sync(cta);
                )+
                tile.into_free()
            });
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw(dst: *mut $T, all: *mut $T) {
            let base = {
                let (_, smem, _) = unsafe { Cta::enter::<$Smem>() };
                smem.end.addr() - BYTES
            };
            scope(|| unsafe {
                let store: unsafe fn(u32) = $store;
                fill(|at| store(base + at));
                fence_async();
                let policy = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
                $(
                    reduce(|| raw::$reduce($($op,)? ty::$Type, dst.cast(), base, BYTES, cache_hint::None));
                    reduce(|| raw::$reduce($($op,)? ty::$Type, dst.cast(), base, BYTES, cache_hint::Policy(policy)));
                    reduce(|| raw::$multimem(ty::$Type, all.cast(), base, BYTES));
                )+
            });
        }
    };
}

reductions! {
    Words typed_bulk_reduce_u32 raw_bulk_reduce_u32 [u32; 256]
    zero 0, |addr| unsafe { raw::st_weak_v4(space::SharedCta, ty::B32, addr, [0; 4]) };
    Add cp_reduce_async_bulk_global_shared_cta_add
        multimem_cp_reduce_async_bulk_global_shared_cta_add U32 []
    Min cp_reduce_async_bulk_global_shared_cta_min_max
        multimem_cp_reduce_async_bulk_global_shared_cta_min U32 [op::Min]
    Max cp_reduce_async_bulk_global_shared_cta_min_max
        multimem_cp_reduce_async_bulk_global_shared_cta_max U32 [op::Max]
    Inc cp_reduce_async_bulk_global_shared_cta_inc_dec
        multimem_cp_reduce_async_bulk_global_shared_cta_inc U32 [op::Inc]
    Dec cp_reduce_async_bulk_global_shared_cta_inc_dec
        multimem_cp_reduce_async_bulk_global_shared_cta_dec U32 [op::Dec]
    And cp_reduce_async_bulk_global_shared_cta_bitwise
        multimem_cp_reduce_async_bulk_global_shared_cta_and B32 [op::And]
    Or cp_reduce_async_bulk_global_shared_cta_bitwise
        multimem_cp_reduce_async_bulk_global_shared_cta_or B32 [op::Or]
    Xor cp_reduce_async_bulk_global_shared_cta_bitwise
        multimem_cp_reduce_async_bulk_global_shared_cta_xor B32 [op::Xor]
}

// `i64` uses the sum of `u64`; sums of halves have `.noftz`.
reductions! {
    Wide typed_bulk_reduce_i64 raw_bulk_reduce_i64 [i64; 128]
    zero 0, |addr| unsafe { raw::st_weak_v2(space::SharedCta, ty::B64, addr, [0; 2]) };
    Add cp_reduce_async_bulk_global_shared_cta_add
        multimem_cp_reduce_async_bulk_global_shared_cta_add U64 []
    Min cp_reduce_async_bulk_global_shared_cta_min_max
        multimem_cp_reduce_async_bulk_global_shared_cta_min S64 [op::Min]
    Xor cp_reduce_async_bulk_global_shared_cta_bitwise
        multimem_cp_reduce_async_bulk_global_shared_cta_xor B64 [op::Xor]
}
reductions! {
    Halves typed_bulk_reduce_f16 raw_bulk_reduce_f16 [f16; 512]
    zero f16::ZERO, |addr| unsafe { raw::st_weak_v4(space::SharedCta, ty::B32, addr, [0; 4]) };
    Add cp_reduce_async_bulk_global_shared_cta_add_noftz
        multimem_cp_reduce_async_bulk_global_shared_cta_add_noftz F16 []
    Max cp_reduce_async_bulk_global_shared_cta_min_max
        multimem_cp_reduce_async_bulk_global_shared_cta_max F16 [op::Max]
}
