//! Kernels that use the typed layer on a GPU: each fills `out` in its own way, and `ptx-gpu` knows the expected contents. A
//! launch has one CTA of 128 threads.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]
// The safety contract of each kernel: `out` is 16-byte aligned, has the length that `ptx-gpu` passes, and is used by this CTA
// alone.
#![allow(clippy::missing_safety_doc)]

use ptx::barrier::NamedBarrier;
use ptx::bulk;
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::global::{GlobalMut, GlobalTileMut};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;
use ptx::trap;

ptx::panic_handler!();

const N: usize = 1024;

ptx::shared_memory! {
    struct Smem {
        first: SharedArray<u32, N>,
        second: SharedArray<u32, N>,
        bar: Mbarrier<Uninit>,
        whole: NamedBarrier<15, 128>,
        half: NamedBarrier<7, 64>,
    }
}

/// Returns the word that every kernel stores at index `i` first.
fn value(seed: u32, i: usize) -> u32 {
    seed.wrapping_mul(2_654_435_761).wrapping_add(i as u32)
}

/// Returns the first two tiles of `out`.
fn tiles(cta: &Cta, out: GlobalMut<u32, N>) -> (GlobalTileMut<u32, N>, GlobalTileMut<u32, N>) {
    let (mut tiles, _) = out.tiles(cta);
    match (tiles.next_tile(), tiles.next_tile()) {
        (Some((_, first)), Some((_, second))) => (first, second),
        _ => trap(),
    }
}

/// Stores, and loads after a barrier the elements that other threads stored.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn slice_publish(out: *mut u32, seed: u32) {
    // SAFETY: the kernel's first call; control flow is uniform.
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.async_scope(smem.first, |cta, tile| {
        let tile = tile.write(cta, |i| value(seed, i)).publish().sync(cta);
        let mut i = cta.thread_rank() as usize;
        while i < N {
            // SAFETY: `i` is in bounds, and no other thread accesses element `i`.
            unsafe { out.add(i).write(tile.get(N - 1 - i).unwrap_or(0)) };
            i += cta.thread_count() as usize;
        }
        tile.to_async().sync(cta).into_free()
    });
}

/// Completes five phases of an mbarrier, which is invalidated and initialized again in between.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn slice_mbarrier(out: *mut u32, seed: u32) {
    // SAFETY: the kernel's first call; control flow is uniform.
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let mut bar = smem.bar.init(&cta).sync(&cta);
    let mut sum = seed;
    for phase in 0..5 {
        let arrived = bar.arrive(&cta);
        while phase == 1 && !arrived.is_complete() {}
        bar = if phase == 2 { arrived.wait_with_hint(&cta, 100) } else { arrived.wait(&cta) };
        if phase == 3 {
            bar = bar.inval(&cta).init(&cta).sync(&cta);
        }
        sum = sum.wrapping_mul(3).wrapping_add(phase);
    }
    // SAFETY: the index is in bounds, and no other thread accesses the element.
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

/// Stores a tile to `out`, loads it from there, changes it and stores it again, with and without cache policies.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn slice_round_trip(out: *mut u32, seed: u32) {
    // SAFETY: the kernel's first call; control flow is uniform.
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    // SAFETY: only this CTA uses `out`.
    let (first, second) = tiles(&cta, unsafe { GlobalMut::from_raw(out, 2 * N) });
    cta.async_scope((smem.first, smem.bar), |cta, (tile, bar)| {
        let tile = tile.write(cta, |i| value(seed, i)).to_async().sync(cta);
        let (tile, first) = bulk::store(cta, tile, first).commit(cta).wait(cta).sync(cta);
        let tile = tile.into_free().write(cta, |_| 0xdead).to_async().sync(cta).into_free();

        let (bar, tile, first) = bulk::load(cta, bar, tile, first).wait(cta);
        let tile = tile.update(cta, |i, v| v ^ i as u32).to_async().sync(cta);
        let group = bulk::store(cta, tile, second.cache_hint(CachePolicy::evict_first())).commit(cta);
        let (tile, second) = group.wait_read_split(cta).sync(cta);
        let second = second.wait(cta).sync(cta);

        // A copy may read memory that a copy has written, without a fence.
        let policy = CachePolicy::evict_last();
        let load = bulk::load(cta, bar, tile, second.cache_hint(policy));
        let (bar, tile, _) = load.wait(cta);
        let (tile, _) = bulk::store(cta, tile, first).commit(cta).wait(cta).sync(cta);
        (tile.release().sync(cta), bar)
    });
}

/// Makes two stores in one group, and uses the sources again once the copies have read them.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn slice_group(out: *mut u32, seed: u32) {
    // SAFETY: the kernel's first call; control flow is uniform.
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    // SAFETY: only this CTA uses `out`.
    let (first, second) = tiles(&cta, unsafe { GlobalMut::from_raw(out, 2 * N) });
    cta.async_scope((smem.first, smem.second), |cta, (a, b)| {
        let a = a.write(cta, |i| value(seed, i)).to_async().sync(cta);
        let b = b.write(cta, |i| !value(seed, i)).to_async().sync(cta);
        let group = bulk::store(cta, a, first).and(bulk::store(cta, b, second)).commit(cta);
        let ((a, b), group) = group.wait_read_split(cta).sync(cta);
        // The copies may still be writing `out`, but they have read their sources.
        let a = a.write(cta, |_| 1).to_async().sync(cta);
        let b = b.write(cta, |_| 2).to_async().sync(cta);
        let _written = group.wait(cta).sync(cta);
        (a.into_free(), b.into_free())
    });
}

/// Runs without dynamic shared memory: its length is 0, and `try_take` fails.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn slice_no_dynamic(out: *mut u32, seed: u32) {
    // SAFETY: the kernel's first call; control flow is uniform.
    let (cta, (), dynamic) = unsafe { Cta::enter::<()>() };
    let left = dynamic.len();
    let refused = dynamic.try_take::<SharedArray<u32, 4>>().is_err();
    // SAFETY: the index is in bounds, and no other thread accesses the element.
    unsafe { out.add(cta.thread_rank() as usize).write(seed ^ left ^ u32::from(refused)) };
}

/// Executes named barriers of the whole CTA and of its halves.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn slice_barriers(out: *mut u32, seed: u32) {
    // SAFETY: the kernel's first call; control flow is uniform.
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.async_scope(smem.first, |cta, tile| {
        smem.whole.sync(&cta.warp());
        smem.half.sync(&cta.warp());
        smem.whole.sync(&cta.warp());
        let tile = tile.write(cta, |i| value(seed, i)).publish().sync(cta);
        let i = cta.thread_rank() as usize;
        // SAFETY: the index is in bounds, and no other thread accesses the element.
        unsafe { out.add(i).write(tile.get_vector(i).map_or(0, |v| v[0] ^ v[1] ^ v[2] ^ v[3])) };
        tile.to_async().sync(cta).into_free()
    });
}
