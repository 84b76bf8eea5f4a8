//! `ptx::bulk` beyond loads and stores of one tile: loads of several tiles, reductions, policies, prefetches, byte masks, and
//! consecutive groups.

use ptx::bulk::{GlobalReduce, ReduceTile};
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::qualifier::{cache_hint, cp_mask, op};

use super::*;

#[inline(always)]
fn fill(base: u32) {
    each_own(BYTES / 16, |v| {
        let addr = base + 16 * v;
        let bits = |lane: usize| ((4 * v as usize + lane) as f32).to_bits();
        unsafe { raw::st_weak_v4(space::SharedCta, ty::B32, addr, [bits(0), bits(1), bits(2), bits(3)]) };
    });
}

/// Returns a policy whose operands are known to be valid.
#[inline(always)]
fn known(policy: Option<CachePolicy>) -> CachePolicy {
    match policy {
        Some(policy) => policy,
        None => ptx::trap(),
    }
}

/// Returns the only tile of the destination, for reductions.
#[inline(always)]
fn sums(dst: *mut f32) -> ReduceTile<f32, N> {
    match unsafe { GlobalReduce::from_raw(dst, N) }.get(0) {
        Some(tile) => tile,
        None => ptx::trap(),
    }
}

#[inline(always)]
fn tile(src: *const f32) -> GlobalTile<f32, N> {
    only(unsafe { Global::from_raw(src, N).tiles::<N>().0 })
}

#[inline(always)]
fn elect(f: impl FnOnce()) {
    if elected() {
        f()
    }
}

stages! {
    typed_bulk_load_together(cta, stages) {
        let bar = stages.bar.init(&cta).sync(&cta);
        if let Some(dst) = mine(&cta, unsafe { GlobalMut::from_raw(dst, N) }) {
            cta.async_scope(((stages.a, stages.b), stages.c), |cta, tiles| {
                let load = bulk::load(cta, bar, tiles, ((tile(src), tile(src)), dst));
                let (bar, ((a, b), c), (_, dst)) = load.wait(cta);
                unsafe { out.write(b.get(3).map_or(0, f32::to_bits)) };
                let (c, _) = bulk::store(cta, c, dst).commit(cta).wait(cta).sync(cta);
                ((a.release().sync(cta), b.release().sync(cta)), c.release().sync(cta))
            });
        }
    }
    raw_bulk_load_together(base) {
        let bar = base + 3 * BYTES;
        init(bar);
        if cta_rank() == 0 {
            scope(|| {
                wait(bar, arrive_with(bar, 3 * BYTES, || {
                    raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None);
                    raw::cp_async_bulk_shared_cta_global(base + BYTES, src.cast(), BYTES, bar, cache_hint::None);
                    raw::cp_async_bulk_shared_cta_global(base + 2 * BYTES, dst.cast_const().cast(), BYTES, bar, cache_hint::None);
                }));
                out.write(raw::ld_weak(space::SharedCta, ty::B32, base + BYTES + 12));
                elect(|| raw::cp_async_bulk_global_shared_cta(dst.cast(), base + 2 * BYTES, BYTES, cache_hint::None, cp_mask::None));
                elect(|| raw::cp_async_bulk_commit_group());
                elect(|| raw::cp_async_bulk_wait_group::<0>());
                sync();
                sync();
                sync();
                sync();
            })
        }
    }
    (src, dst, out, n)
}

stages! {
    typed_bulk_reduce(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let a = a.write(cta, |i| i as f32).to_async().sync(cta);
            let (a, _) = bulk::reduce(cta, op::Add, a, sums(dst)).commit(cta).wait(cta).sync(cta);
            a.into_free()
        });
    }
    raw_bulk_reduce(base) {
        scope(|| {
            fill(base);
            fence_async();
            elect(|| raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES, cache_hint::None));
            elect(|| raw::cp_async_bulk_commit_group());
            elect(|| raw::cp_async_bulk_wait_group::<0>());
            sync();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_bulk_reduce_cache_hint(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let a = a.write(cta, |i| i as f32).to_async().sync(cta);
            let policy = CachePolicy::evict_last();
            bulk::reduce(cta, op::Add, a, sums(dst).cache_hint(policy)).commit(cta).wait_read(cta).sync(cta)
        });
    }
    raw_bulk_reduce_cache_hint(base) {
        scope(|| {
            fill(base);
            fence_async();
            let policy = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
            elect(|| {
                raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES, cache_hint::Policy(policy))
            });
            elect(|| raw::cp_async_bulk_commit_group());
            elect(|| raw::cp_async_bulk_wait_group_read::<0>());
            sync();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_bulk_prefetch(cta, stages) { bulk::prefetch(&cta, tile(src)) }
    raw_bulk_prefetch(base) { elect(|| raw::cp_async_bulk_prefetch_global(src.cast(), BYTES, cache_hint::None)) }
    (src, dst, out, n)
}

stages! {
    typed_bulk_prefetch_cache_hint(cta, stages) {
        let policy = known(CachePolicy::fractional(evict::Last, evict::First, 0.5));
        bulk::prefetch(&cta, tile(src).cache_hint(policy))
    }
    raw_bulk_prefetch_cache_hint(base) {
        let policy = raw::createpolicy_fractional(evict::Last, evict::First, 0.5);
        elect(|| raw::cp_async_bulk_prefetch_global(src.cast(), BYTES, cache_hint::Policy(policy)))
    }
    (src, dst, out, n)
}

stages! {
    typed_bulk_policy_range(cta, stages) {
        let slice = unsafe { Global::from_raw(src, 4 * N) };
        let policy = known(CachePolicy::range(evict::Normal, evict::First, slice, N));
        bulk::prefetch(&cta, tile(src).cache_hint(policy))
    }
    raw_bulk_policy_range(base) {
        let policy =
            raw::createpolicy_range(space::Global, evict::Normal, evict::First, src.cast(), BYTES, 4 * BYTES);
        elect(|| raw::cp_async_bulk_prefetch_global(src.cast(), BYTES, cache_hint::Policy(policy)))
    }
    (src, dst, out, n)
}

stages! {
    typed_bulk_queue(cta, stages) {
        cta.async_scope((stages.a, stages.b, stages.c), |cta, (a, b, c)| {
            let a = a.write(cta, |i| i as f32).to_async().sync(cta);
            let b = b.write(cta, |i| i as f32).to_async().sync(cta);
            let c = c.write(cta, |i| i as f32).to_async().sync(cta);
            let queue = bulk::reduce(cta, op::Add, a, sums(dst)).commit(cta);
            let queue = queue.then(cta, bulk::reduce(cta, op::Add, b, sums(dst)));
            let queue = queue.then(cta, bulk::reduce(cta, op::Add, c, sums(dst)));
            let (a, queue) = queue.wait_read_oldest(cta).sync(cta);
            let ((b, _), queue) = queue.wait_oldest(cta).sync(cta);
            let (c, _) = queue.wait(cta).sync(cta);
            (a, b.into_free(), c.into_free())
        });
    }
    raw_bulk_queue(base) {
        scope(|| {
            fill(base);
            fence_async();
            fill(base + BYTES);
            fence_async();
            fill(base + 2 * BYTES);
            fence_async();
            elect(|| raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES, cache_hint::None));
            elect(|| raw::cp_async_bulk_commit_group());
            elect(|| raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base + BYTES, BYTES, cache_hint::None));
            elect(|| raw::cp_async_bulk_commit_group());
            elect(|| raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base + 2 * BYTES, BYTES, cache_hint::None));
            elect(|| raw::cp_async_bulk_commit_group());
            elect(|| raw::cp_async_bulk_wait_group_read::<2>());
            sync();
            elect(|| raw::cp_async_bulk_wait_group::<1>());
            sync();
            elect(|| raw::cp_async_bulk_wait_group::<0>());
            sync();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_bulk_queue_wait(cta, stages) {
        cta.async_scope((stages.a, stages.b), |cta, (a, b)| {
            let a = a.write(cta, |i| i as f32).to_async().sync(cta);
            let b = b.write(cta, |i| i as f32).to_async().sync(cta);
            let queue = bulk::reduce(cta, op::Add, a, sums(dst)).commit(cta);
            let queue = queue.then(cta, bulk::reduce(cta, op::Add, b, sums(dst)));
            let ((a, _), (b, _)) = queue.wait(cta).sync(cta);
            (a.into_free(), b.into_free())
        });
    }
    raw_bulk_queue_wait(base) {
        scope(|| {
            fill(base);
            fence_async();
            fill(base + BYTES);
            fence_async();
            elect(|| raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES, cache_hint::None));
            elect(|| raw::cp_async_bulk_commit_group());
            elect(|| raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base + BYTES, BYTES, cache_hint::None));
            elect(|| raw::cp_async_bulk_commit_group());
            elect(|| raw::cp_async_bulk_wait_group::<0>());
            sync();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_bulk_store_two(cta, stages) {
        let (first, second) =
            unsafe { (GlobalMut::<_, N>::from_raw(dst, N), GlobalMut::<_, N>::from_raw(dst.add(N), N)) };
        if let Some(to_a) = mine(&cta, first) && let Some(to_b) = mine(&cta, second) {
            cta.async_scope((stages.a, stages.b), |cta, (a, b)| {
                let a = a.write(cta, |i| i as f32).to_async().sync(cta);
                let b = b.write(cta, |i| i as f32).to_async().sync(cta);
                let ((a, _), (b, _)) = bulk::store(cta, a, to_a).and(bulk::store(cta, b, to_b)).commit(cta).wait(cta).sync(cta);
                (a.into_free(), b.into_free())
            });
        }
    }
    raw_bulk_store_two(base) {
        if cta_rank() == 0 {
            scope(|| {
                fill(base);
                fence_async();
                fill(base + BYTES);
                fence_async();
                elect(|| raw::cp_async_bulk_global_shared_cta(dst.cast(), base, BYTES, cache_hint::None, cp_mask::None));
                elect(|| raw::cp_async_bulk_global_shared_cta(dst.add(N).cast(), base + BYTES, BYTES, cache_hint::None, cp_mask::None));
                elect(|| raw::cp_async_bulk_commit_group());
                elect(|| raw::cp_async_bulk_wait_group::<0>());
                sync();
            })
        }
    }
    (src, dst, out, n)
}

stages! {
    typed_bulk_and(cta, stages) {
        cta.async_scope((stages.a, stages.b), |cta, (a, b)| {
            let a = a.write(cta, |i| i as f32).to_async().sync(cta);
            let b = b.write(cta, |i| i as f32).to_async().sync(cta);
            let group = bulk::reduce(cta, op::Add, a, sums(dst)).and(bulk::reduce(cta, op::Add, b, sums(dst)));
            group.commit(cta).wait_read(cta).sync(cta)
        });
    }
    raw_bulk_and(base) {
        scope(|| {
            fill(base);
            fence_async();
            fill(base + BYTES);
            fence_async();
            elect(|| raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES, cache_hint::None));
            elect(|| raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base + BYTES, BYTES, cache_hint::None));
            elect(|| raw::cp_async_bulk_commit_group());
            elect(|| raw::cp_async_bulk_wait_group_read::<0>());
            sync();
        })
    }
    (src, dst, out, n)
}

#[cfg(feature = "sm_100")]
stages! {
    typed_bulk_store_masked(cta, stages) {
        if let Some(dst) = mine(&cta, unsafe { GlobalMut::<_, N>::from_raw(dst, N) }) {
            cta.async_scope(stages.a, |cta, a| {
                let a = a.write(cta, |i| i as f32).to_async().sync(cta);
                let low = ptx::mask::ByteMask::from_bits_retain(0x3333);
                let (a, dst) = bulk::store_masked(cta, a, dst, low).commit(cta).wait(cta).sync(cta);
                let policy = CachePolicy::evict_first();
                let (a, _) = bulk::store_masked(cta, a, dst.cache_hint(policy), low).commit(cta).wait(cta).sync(cta);
                a.into_free()
            });
        }
    }
    raw_bulk_store_masked(base) {
        if cta_rank() == 0 {
            scope(|| {
                let low = ptx::mask::ByteMask::from_bits_retain(0x3333);
                fill(base);
                fence_async();
                elect(|| raw::cp_async_bulk_global_shared_cta(dst.cast(), base, BYTES, cache_hint::None, cp_mask::Bytes(low)));
                elect(|| raw::cp_async_bulk_commit_group());
                elect(|| raw::cp_async_bulk_wait_group::<0>());
                sync();
                let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
                elect(|| {
                    raw::cp_async_bulk_global_shared_cta(dst.cast(), base, BYTES, cache_hint::Policy(policy), cp_mask::Bytes(low))
                });
                elect(|| raw::cp_async_bulk_commit_group());
                elect(|| raw::cp_async_bulk_wait_group::<0>());
                sync();
            })
        }
    }
    (src, dst, out, n)
}
