//! Pairs of kernels, `typed_x` and `raw_x`: a use of the typed layer, and the same instructions through `ptx::raw`. The test
//! `typed_calls_cost_nothing` compares their bodies.

#![no_std]
// The kernels are compiled for their PTX and never run, so they need no safety contract.
#![allow(clippy::missing_safety_doc, unused_variables)]
// The macros cast for all types; some types need no cast.
#![allow(unused_unsafe, unnecessary_transmutes, clippy::useless_transmute)]
#![feature(abi_ptx, asm_experimental_arch, core_float_math, stdarch_nvptx)]

mod cluster;

use ptx::bulk;
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::global::{Global, GlobalMut, GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{
    arrivals, cache_hint, convergence::Aligned, cp_mask, evict, scope, sem, space, suspend_time_hint,
    threads, ty,
};
use ptx::raw;
use ptx::shared::SharedArray;

mod atomic;
mod barrier;
mod bulk_reduce;
#[cfg(feature = "sm_100")]
mod clusterlaunchcontrol;
mod elements;
mod fence;
mod global;
mod group;
mod launch;
mod layout;
mod math;
mod mbarrier;
mod peers;
mod pipeline;
// The raw twin spells out the operand order of a sum of floats.
#[allow(clippy::assign_op_pattern)]
mod reduce;
mod shared;
mod stores;
mod tensor;
mod warp;

ptx::panic_handler!();

const N: usize = 1024;
const BYTES: u32 = (N * size_of::<f32>()) as u32;

ptx::shared_memory! {
    struct Smem { tile: SharedArray<f32, N>, bar: Mbarrier<Uninit> }
}
/// The offsets of the fields of `Smem`.
const BAR: u32 = BYTES;

/// The addresses of a kernel's shared memory and of its mbarrier.
macro_rules! base {
    () => {{
        let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
        (smem.bar.addr() - BAR, smem.bar.addr())
    }};
}

#[inline(always)]
fn elected() -> bool {
    use core::arch::nvptx::{_thread_idx_x, _thread_idx_y, _thread_idx_z};
    unsafe { (_thread_idx_x() | _thread_idx_y() | _thread_idx_z()) == 0 }
}

#[inline(always)]
fn thread_rank() -> u32 {
    use core::arch::nvptx::{_block_dim_x, _block_dim_y, _thread_idx_x, _thread_idx_y, _thread_idx_z};
    unsafe { _thread_idx_x() + _block_dim_x() * (_thread_idx_y() + _block_dim_y() * _thread_idx_z()) }
}

#[inline(always)]
fn thread_count() -> u32 {
    use core::arch::nvptx::{_block_dim_x, _block_dim_y, _block_dim_z};
    unsafe { _block_dim_x() * _block_dim_y() * _block_dim_z() }
}

/// Calls `f` with each number below `count` of this thread's share: full rounds first, then a last partial round.
#[inline(always)]
fn each_own(count: u32, mut f: impl FnMut(u32)) {
    let (rank, threads) = (thread_rank(), thread_count());
    let mut first = 0;
    while first + threads <= count {
        f(first + rank);
        first += threads;
    }
    if first + rank < count {
        f(first + rank);
    }
}

#[inline(always)]
unsafe fn sync() {
    unsafe { raw::barrier_cta_sync(Aligned, 0, threads::All) }
}

#[inline(always)]
unsafe fn fence_async() {
    raw::fence_proxy_async(space::SharedCta);
    unsafe { sync() }
}

#[inline(always)]
unsafe fn init(bar: u32) {
    if elected() {
        unsafe { raw::mbarrier_init(space::SharedCta, bar, thread_count()) };
        raw::fence_mbarrier_init();
        raw::fence_proxy_async(space::SharedCta);
    }
    unsafe { sync() }
}

/// Returns the state of this thread's arrival. The leader expects `bytes`, which `copy` transfers.
#[inline(always)]
unsafe fn arrive_with(bar: u32, bytes: u32, copy: impl FnOnce()) -> u64 {
    unsafe {
        if elected() {
            let state =
                raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, bytes);
            copy();
            state
        } else {
            raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
        }
    }
}

#[inline(always)]
unsafe fn wait(bar: u32, state: u64) {
    while !unsafe {
        raw::mbarrier_try_wait(
            sem::Acquire,
            scope::Cta,
            space::SharedCta,
            bar,
            state,
            suspend_time_hint::None,
        )
    } {}
}

/// Calls `body` where the typed twin has a closure (`Cta::async_scope`). Before LLVM inlines closures, it sinks reads of special
/// registers that are used once; with the closure, it does so in both twins.
#[inline(always)]
fn scope(body: impl FnOnce()) {
    body()
}

/// A pair of kernels over the declared shared memory, with an initialized mbarrier.
macro_rules! pair {
    ($typed:ident($cta:ident, $tile:ident, $bar:ident, $src:ident, $dst:ident, $out:ident) $typed_body:block
     $raw:ident($base:ident, $rbar:ident, $rsrc:ident, $rdst:ident, $rout:ident) $raw_body:block) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(src: *const f32, dst: *mut f32, $out: *mut u32) {
            #[allow(unused_mut)]
            let (mut $cta, smem, _) = unsafe { Cta::enter::<Smem>() };
            #[allow(unused)]
            let ($tile, $bar) = (smem.tile, smem.bar.init(&$cta).sync(&$cta));
            #[allow(unused)]
            let $src = unsafe { Global::from_raw(src, N).tiles::<N>().0 };
            #[allow(unused)]
            let $dst = unsafe { GlobalMut::<_, N>::from_raw(dst, N) };
            $typed_body
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw($rsrc: *const f32, $rdst: *mut f32, $rout: *mut u32) {
            #[allow(unused)]
            let ($base, $rbar) = base!();
            unsafe { init($rbar) };
            unsafe { $raw_body }
        }
    };
}

/// Returns the only tile of the source.
#[inline(always)]
fn only(tiles: ptx::global::Tiles<f32, N>) -> GlobalTile<f32, N> {
    // The source has one tile, so LLVM knows the bound.
    match tiles.get(0) {
        Some(tile) => tile,
        None => ptx::trap(),
    }
}

/// Returns this CTA's tile of the destination, if it has one.
#[inline(always)]
fn mine(cta: &Cta, dst: GlobalMut<f32, N>) -> Option<GlobalTileMut<f32, N>> {
    dst.tiles(cta).0.next_tile().map(|(_, tile)| tile)
}

#[inline(always)]
fn cta_rank() -> u32 {
    use core::arch::nvptx::{_block_idx_x, _block_idx_y, _block_idx_z, _grid_dim_x, _grid_dim_y};
    unsafe { _block_idx_x() + _grid_dim_x() * (_block_idx_y() + _grid_dim_y() * _block_idx_z()) }
}

#[inline(always)]
fn cta_count() -> u32 {
    use core::arch::nvptx::{_grid_dim_x, _grid_dim_y, _grid_dim_z};
    unsafe { _grid_dim_x() * _grid_dim_y() * _grid_dim_z() }
}

/// Uses a handle, so that LLVM keeps the instructions that made it.
#[inline(always)]
fn keep<P: ptx::mbarrier::Phase>(bar: Mbarrier<P>, out: *mut u32) {
    unsafe { out.write(bar.addr()) }
}

pair! {
    typed_mbarrier_init(cta, tile, bar, src, dst, out) { keep(bar, out) }
    raw_mbarrier_init(base, bar, src, dst, out) { out.write(bar) }
}

pair! {
    typed_mbarrier_arrive_wait(cta, tile, bar, src, dst, out) { keep(bar.arrive(&cta).wait(&cta), out) }
    raw_mbarrier_arrive_wait(base, bar, src, dst, out) {
        let state = raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One);
        while !raw::mbarrier_try_wait(sem::Acquire, scope::Cta, space::SharedCta, bar, state, suspend_time_hint::None) {}
        out.write(bar)
    }
}

pair! {
    typed_mbarrier_wait_suspended(cta, tile, bar, src, dst, out) {
        keep(bar.arrive(&cta).wait_with_hint(&cta, 1000), out)
    }
    raw_mbarrier_wait_suspended(base, bar, src, dst, out) {
        let state = raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One);
        while !raw::mbarrier_try_wait(sem::Acquire, scope::Cta, space::SharedCta, bar, state, suspend_time_hint::Nanoseconds(1000)) {}
        out.write(bar)
    }
}

pair! {
    typed_mbarrier_is_complete(cta, tile, bar, src, dst, out) {
        let bar = bar.arrive(&cta);
        unsafe { out.write(bar.is_complete() as u32) };
        keep(bar.wait(&cta), out)
    }
    raw_mbarrier_is_complete(base, bar, src, dst, out) {
        let state = raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One);
        out.write(raw::mbarrier_test_wait(sem::Relaxed, scope::Cta,space::SharedCta, bar, state) as u32);
        while !raw::mbarrier_try_wait(sem::Acquire, scope::Cta, space::SharedCta, bar, state, suspend_time_hint::None) {}
        out.write(bar)
    }
}

pair! {
    typed_mbarrier_inval(cta, tile, bar, src, dst, out) { keep(bar.inval(&cta), out) }
    raw_mbarrier_inval(base, bar, src, dst, out) {
        sync();
        if elected() {
            raw::mbarrier_inval(space::SharedCta, bar);
        }
        sync();
        out.write(bar)
    }
}

pair! {
    typed_bulk_load(cta, tile, bar, src, dst, out) {
        cta.async_scope(tile, |cta, tile| {
            let (bar, tile, _) = bulk::load(cta, bar, tile, only(src)).wait(cta);
            unsafe { out.write(tile.get(3).map_or(0, f32::to_bits)) };
            tile.release().sync(cta)
        });
    }
    raw_bulk_load(base, bar, src, dst, out) {
        scope(|| {
        wait(bar, arrive_with(bar, BYTES, || raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None)));
        out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
        sync();
        })
    }
}

pair! {
    typed_bulk_load_cache_hint(cta, tile, bar, src, dst, out) {
        cta.async_scope(tile, |cta, tile| {
            let policy = CachePolicy::evict_first();
            let (bar, tile, _) = bulk::load(cta, bar, tile, only(src).cache_hint(policy)).wait(cta);
            unsafe { out.write(tile.get(3).map_or(0, f32::to_bits)) };
            tile.release().sync(cta)
        });
    }
    raw_bulk_load_cache_hint(base, bar, src, dst, out) {
        scope(|| {
        let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
        wait(bar, arrive_with(bar, BYTES, || raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::Policy(policy))));
        out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
        sync();
        })
    }
}

pair! {
    typed_bulk_store(cta, tile, bar, src, dst, out) {
        if let Some(dst) = mine(&cta, dst) {
            cta.async_scope(tile, |cta, tile| {
                let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
                let (tile, group) = bulk::store(cta, tile, dst).commit(cta).wait_read_split(cta).sync(cta);
                group.wait(cta).sync(cta);
                tile
            });
        }
    }
    raw_bulk_store(base, bar, src, dst, out) {
        if cta_rank() == 0 {
            scope(|| {
            each_own(BYTES / 16, |v| {
                let addr = base + 16 * v;
                let bits = |lane: usize| ((4 * v as usize + lane) as f32).to_bits();
                raw::st_weak_v4(space::SharedCta, ty::B32, addr, [bits(0), bits(1), bits(2), bits(3)]);
            });
            fence_async();
            if elected() {
                raw::cp_async_bulk_global_shared_cta(dst.cast(), base, BYTES, cache_hint::None, cp_mask::None);
            }
            if elected() {
                raw::cp_async_bulk_commit_group();
            }
            if elected() {
                raw::cp_async_bulk_wait_group_read::<0>();
            }
            sync();
            if elected() {
                raw::cp_async_bulk_wait_group::<0>();
            }
            sync();
            })
        }
    }
}

pair! {
    typed_bulk_store_cache_hint(cta, tile, bar, src, dst, out) {
        if let Some(dst) = mine(&cta, dst) {
            cta.async_scope(tile, |cta, tile| {
                let (bar, tile, _) = bulk::load(cta, bar, tile, only(src)).wait(cta);
                let policy = CachePolicy::evict_last();
                let (tile, _) = bulk::store(cta, tile, dst.cache_hint(policy)).commit(cta).wait(cta).sync(cta);
                tile.release().sync(cta)
            });
        }
    }
    raw_bulk_store_cache_hint(base, bar, src, dst, out) {
        if cta_rank() == 0 {
            scope(|| {
            wait(bar, arrive_with(bar, BYTES, || raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None)));
            let policy = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
            if elected() {
                raw::cp_async_bulk_global_shared_cta(dst.cast(), base, BYTES, cache_hint::Policy(policy), cp_mask::None);
            }
            if elected() {
                raw::cp_async_bulk_commit_group();
            }
            if elected() {
                raw::cp_async_bulk_wait_group::<0>();
            }
            sync();
            sync();
            })
        }
    }
}

pair! {
    typed_shared_update_publish(cta, tile, bar, src, dst, out) {
        cta.async_scope(tile, |cta, tile| {
            let (bar, tile, _) = bulk::load(cta, bar, tile, only(src)).wait(cta);
            let tile = tile.update(cta, |_, v| v + 1.0).publish().sync(cta);
            unsafe { out.write(tile.get_vector(1).map_or(0, |vector| vector[2].to_bits())) };
            tile.to_async().sync(cta).into_free()
        });
    }
    raw_shared_update_publish(base, bar, src, dst, out) {
        scope(|| {
        wait(bar, arrive_with(bar, BYTES, || raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None)));
        sync();
        each_own(BYTES / 16, |v| {
            let addr = base + 16 * v;
            let b = raw::ld_weak_v4(space::SharedCta, ty::B32, addr).map(|bits| (f32::from_bits(bits) + 1.0).to_bits());
            raw::st_weak_v4(space::SharedCta, ty::B32, addr, b);
        });
        sync();
        out.write(raw::ld_weak_v4(space::SharedCta, ty::B32, base + 16)[2]);
        fence_async();
        })
    }
}

ptx::shared_memory! {
    struct Stages { a: SharedArray<f32, N>, b: SharedArray<f32, N>, c: SharedArray<f32, N>, bar: Mbarrier<Uninit> }
}

#[inline(always)]
fn tile(src: *const f32) -> GlobalTile<f32, N> {
    only(unsafe { Global::from_raw(src, N).tiles::<N>().0 })
}

/// Returns the only tile of the destination, for reductions.
#[inline(always)]
fn sums(dst: *mut f32) -> bulk::ReduceTile<f32, N> {
    match unsafe { bulk::GlobalReduce::from_raw(dst, N) }.get(0) {
        Some(tile) => tile,
        None => ptx::trap(),
    }
}

/// A pair of kernels over three tiles. The arguments: how the kernels enter, their parameters, the handles of the tiles, and the
/// first address.
macro_rules! stages {
    (@enter [$enter:expr]
     $typed:ident($cta:ident, $stages:ident) $typed_body:block
     $raw:ident($base:ident) $raw_body:block
     ($src:ident, $dst:ident, $out:ident, $n:ident)) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(
            $src: *const f32,
            $dst: *mut f32,
            $out: *mut u32,
            $n: usize,
        ) {
            #[allow(unused_mut)]
            let (mut $cta, $stages, _) = unsafe { $enter() };
            $typed_body
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw($src: *const f32, $dst: *mut f32, $out: *mut u32, $n: usize) {
            let (_, stages, _) = unsafe { $enter() };
            let $base = stages.bar.addr() - 3 * BYTES;
            unsafe { $raw_body }
        }
    };
    ($typed:ident $($rest:tt)*) => {
        stages! { @enter [Cta::enter::<Stages>] $typed $($rest)* }
    };
}

mod bulk_groups;
mod cp_async;
mod invoke;
mod load_buffer;
mod multimem;
mod transitions;
