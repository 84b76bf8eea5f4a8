//! Transitions that share a barrier or the phase of a load, and the ends of the last scope.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::cp_async;
use ptx::group::AfterSync;
use ptx::group::Together;
use ptx::qualifier::{cache_hint, cp_mask, op, prefetch_size, zfill};

use super::*;

#[inline(always)]
pub fn fill(base: u32) {
    each_own(BYTES / 16, |v| {
        let bits = |lane: usize| ((4 * v as usize + lane) as f32).to_bits();
        let addr = base + 16 * v;
        unsafe { raw::st_weak_v4(space::SharedCta, ty::B32, addr, [bits(0), bits(1), bits(2), bits(3)]) };
    });
}

#[inline(always)]
fn elect(f: impl FnOnce()) {
    if elected() {
        f()
    }
}

#[inline(always)]
pub unsafe fn store(dst: *mut f32, base: u32) {
    elect(|| unsafe {
        raw::cp_async_bulk_global_shared_cta(dst.cast(), base, BYTES, cache_hint::None, cp_mask::None)
    });
    elect(|| unsafe { raw::cp_async_bulk_commit_group() });
}

#[inline(always)]
pub unsafe fn reduce(dst: *mut f32, base: u32) {
    elect(|| unsafe {
        raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES, cache_hint::None)
    });
    elect(|| unsafe { raw::cp_async_bulk_commit_group() });
}

#[inline(always)]
unsafe fn copy(base: u32, src: *const f32) {
    each_own(BYTES / 16, |v| unsafe {
        let src = src.cast::<u8>().wrapping_add(16 * v as usize);
        raw::cp_async_cg(prefetch_size::None, base + 16 * v, src, zfill::None, cache_hint::None)
    });
    unsafe { raw::cp_async_commit_group() };
}

stages! {
    typed_transitions_bulk(cta, stages) {
        cta.async_scope((stages.a, stages.b, stages.c), |cta, (a, b, c)| {
            let (a, b, c) = (a.write(cta, |i| i as f32), b.write(cta, |i| i as f32), c.write(cta, |i| i as f32));
            let (a, b) = (a.to_async(), b.to_async()).sync(cta);
            let queue = bulk::reduce(cta, op::Add, a, sums(dst)).commit(cta);
            let queue = queue.then(cta, bulk::reduce(cta, op::Add, b, sums(dst)));
            let ((a, queue), c) = (queue.wait_read_oldest(cta), c.to_async()).sync(cta);
            let queue = queue.then(cta, bulk::reduce(cta, op::Add, c, sums(dst)));
            let ((b, _), queue) = queue.wait_oldest(cta).sync(cta);
            let (c, written) = queue.wait_read_split(cta).sync(cta);
            written.wait(cta).sync(cta);
            (a, b.into_free(), c)
        });
    }
    raw_transitions_bulk(base) {
        scope(|| {
            fill(base);
            fill(base + BYTES);
            fill(base + 2 * BYTES);
            raw::fence_proxy_async(space::SharedCta);
            raw::fence_proxy_async(space::SharedCta);
            sync();
            reduce(dst, base);
            reduce(dst, base + BYTES);
            elect(|| raw::cp_async_bulk_wait_group_read::<1>());
            raw::fence_proxy_async(space::SharedCta);
            sync();
            reduce(dst, base + 2 * BYTES);
            elect(|| raw::cp_async_bulk_wait_group::<1>());
            sync();
            elect(|| raw::cp_async_bulk_wait_group_read::<0>());
            sync();
            elect(|| raw::cp_async_bulk_wait_group::<0>());
            sync();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_transitions_ready(cta, stages) {
        cta.async_scope((stages.a, stages.b), |cta, (a, b)| {
            let (a, written) =
                (AfterSync::ready(a), b.into_free_generic().write(cta, |i| i as f32).to_async()).sync(cta);
            let read = bulk::reduce(cta, op::Add, written, sums(dst)).commit(cta).wait_read(cta);
            (a, read.sync(cta))
        });
    }
    raw_transitions_ready(base) {
        scope(|| {
            fill(base + BYTES);
            raw::fence_proxy_async(space::SharedCta);
            sync();
            reduce(dst, base + BYTES);
            elect(|| raw::cp_async_bulk_wait_group_read::<0>());
            sync();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_transitions_cp_async(cta, stages) {
        cta.async_scope((stages.a, stages.b, stages.c), |cta, (a, b, c)| {
            let queue = cp_async::load(cta, a, tile(src)).commit(cta);
            let queue = queue.then(cta, cp_async::load(cta, b, tile(src)));
            let queue = queue.then(cta, cp_async::load(cta, c, tile(src)));
            let ((a, _), queue) = queue.wait_oldest().sync(cta);
            let (((b, _), (c, _)), a) = (queue.wait(), a.release()).sync(cta);
            let again = cp_async::load(cta, a, tile(src)).commit(cta);
            let ((a, _), b, c) =
                (again.wait(), b.to_async(), c.to_async()).sync(cta);
            unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
            (a.to_async().sync(cta).into_free(), b.into_free(), c.into_free())
        });
    }
    raw_transitions_cp_async(base) {
        scope(|| {
            copy(base, src);
            copy(base + BYTES, src);
            copy(base + 2 * BYTES, src);
            raw::cp_async_wait_group::<2>();
            sync();
            raw::cp_async_wait_group::<0>();
            sync();
            copy(base, src);
            raw::cp_async_wait_group::<0>();
            raw::fence_proxy_async(space::SharedCta);
            raw::fence_proxy_async(space::SharedCta);
            sync();
            out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
            fence_async();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_transitions_load_with(cta, stages) {
        let bar = stages.bar.init(&cta).sync(&cta);
        if let Some(dst) = mine(&cta, unsafe { GlobalMut::from_raw(dst, N) }) {
            cta.async_scope((stages.a, stages.b), |cta, (a, b)| {
                let b = b.write(cta, |i| i as f32).to_async().sync(cta);
                let store = bulk::store(cta, b, dst).commit(cta);
                let load = bulk::load_with(cta, bar, a, tile(src), store.wait(cta));
                let (bar, a, _, (b, _)) = load.wait(cta);
                let b = b.into_loaded();
                unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
                unsafe { out.add(1).write(b.get(5).map_or(0, f32::to_bits)) };
                let (a, b) = (a.release(), b.release()).sync(cta);
                (a, b)
            });
        }
    }
    raw_transitions_load_with(base) {
        let bar = base + 3 * BYTES;
        init(bar);
        if cta_rank() == 0 {
            scope(|| {
                fill(base + BYTES);
                fence_async();
                store(dst, base + BYTES);
                elect(|| raw::cp_async_bulk_wait_group::<0>());
                wait(bar, arrive_with(bar, BYTES, || {
                    raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None)
                }));
                out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
                out.add(1).write(raw::ld_weak(space::SharedCta, ty::B32, base + BYTES + 20));
                sync();
            })
        }
    }
    (src, dst, out, n)
}

stages! {
    typed_transitions_end(cta, stages) {
        if let Some(dst) = mine(&cta, unsafe { GlobalMut::from_raw(dst, N) }) {
            cta.finish((stages.a, stages.b, stages.c), |cta, (a, b, c)| {
                let a = a.write(cta, |i| i as f32).to_async().sync(cta);
                let store = bulk::store(cta, a, dst).commit(cta);
                let (b, ()) = cp_async::load(cta, b, tile(src)).commit(cta).wait().end();
                (store.wait_read(cta).end(), b, c.end())
            });
        }
    }
    raw_transitions_end(base) {
        if cta_rank() == 0 {
            scope(|| {
                fill(base);
                fence_async();
                store(dst, base);
                copy(base + BYTES, src);
                raw::cp_async_wait_group::<0>();
                elect(|| raw::cp_async_bulk_wait_group_read::<0>());
            })
        }
    }
    (src, dst, out, n)
}

// This kernel loads a slice whose length is known at run time.
stages! {
    typed_bulk_load_slice(cta, stages) {
        let bar = stages.bar.init(&cta).sync(&cta);
        if let Some(slice) = unsafe { Global::from_raw(src, 2 * N) }.slice::<N>(4, n) {
            cta.finish(stages.a, |cta, a| {
                let slice = slice.cache_hint(CachePolicy::evict_first());
                let (_, a, slice) = bulk::load(cta, bar, a, slice).wait(cta);
                unsafe { out.write(slice.len() as u32 ^ a.get(3).map_or(0, f32::to_bits)) };
                a.end()
            });
        }
    }
    raw_bulk_load_slice(base) {
        let bar = base + 3 * BYTES;
        init(bar);
        if n.is_multiple_of(4) && (1..=N).contains(&n) {
            scope(|| {
                let bytes = n as u32 * 4;
                let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
                wait(bar, arrive_with(bar, bytes, || {
                    raw::cp_async_bulk_shared_cta_global(base, src.add(4).cast(), bytes, bar, cache_hint::Policy(policy))
                }));
                out.write(n as u32 ^ raw::ld_weak(space::SharedCta, ty::B32, base + 12));
            })
        }
    }
    (src, dst, out, n)
}
