//! `ptx::cp_async` and its queues.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::cp_async;
use ptx::group::Together;
use ptx::qualifier::{arrivals, cache_hint, cp_size, prefetch_size, space, zfill};

use super::*;

/// Calls `f` with the byte offset of each of this thread's vectors of a tile.
#[inline(always)]
fn vectors(mut f: impl FnMut(u32)) {
    each_own(BYTES / 16, |v| {
        f(16 * v);
    });
}

#[inline(always)]
unsafe fn copy(dst: u32, src: *const u8) {
    vectors(|at| unsafe {
        raw::cp_async_cg(
            prefetch_size::None,
            dst + at,
            src.wrapping_add(at as usize),
            zfill::None,
            cache_hint::None,
        )
    })
}

#[inline(always)]
fn tiles(src: *const f32) -> ptx::global::Tiles<f32, N> {
    unsafe { Global::from_raw(src, 4 * N).tiles::<N>().0 }
}

/// Returns tile `i`, which the slice has.
#[inline(always)]
fn tile(src: *const f32, i: usize) -> GlobalTile<f32, N> {
    match tiles(src).get(i) {
        Some(tile) => tile,
        None => ptx::trap(),
    }
}

stages! {
    typed_cp_async_load(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let (a, _) = cp_async::load(cta, a, tile(src, 0)).commit(cta).wait().sync(cta);
            unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
            a.to_async().sync(cta).into_free()
        });
    }
    raw_cp_async_load(base) {
        scope(|| {
            copy(base, src.cast());
            raw::cp_async_commit_group();
            raw::cp_async_wait_group::<0>();
            sync();
            out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
            fence_async();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_cp_async_load_cache_hint(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let policy = CachePolicy::evict_first();
            let (a, _) = cp_async::load(cta, a, tile(src, 0).cache_hint(policy)).commit(cta).wait().sync(cta);
            a.to_async().sync(cta).into_free()
        });
    }
    raw_cp_async_load_cache_hint(base) {
        scope(|| {
            let src: *const u8 = src.cast();
            let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
            vectors(|at| {
                let src = src.wrapping_add(at as usize);
                raw::cp_async_cg(prefetch_size::None, base + at, src, zfill::None, cache_hint::Policy(policy))
            });
            raw::cp_async_commit_group();
            raw::cp_async_wait_group::<0>();
            sync();
            fence_async();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_cp_async_load_window(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let slice = unsafe { Global::from_raw(src, n) };
            let (a, _) = cp_async::load_window(cta, a, slice.window(-1)).commit(cta).wait().sync(cta);
            a.to_async().sync(cta).into_free()
        });
    }
    raw_cp_async_load_window(base) {
        scope(|| {
            // The window starts one element before the slice.
            let (at, len) = (-1_i64, n as i64);
            let before = at.min(0).unsigned_abs().min(N as u64) as u32;
            let upto = len.saturating_sub(at).clamp(0, N as i64) as u32;
            let first = src.wrapping_offset(at as isize);
            crate::each_own(N as u32, |i| {
                let inside = (i >= before) & (i < upto);
                let size = 4 * u32::from(inside);
                let from = if inside { first.wrapping_add(i as usize) } else { src };
                let to = base + 4 * i;
                raw::cp_async_ca(prefetch_size::None, cp_size::B4, to, from.cast(), zfill::SrcSize(size), cache_hint::None);
            });
            raw::cp_async_commit_group();
            raw::cp_async_wait_group::<0>();
            sync();
            fence_async();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_cp_async_load_window_cache_hint(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let slice = unsafe { Global::from_raw(src, n) };
            let window = slice.window(-1).cache_hint(CachePolicy::evict_last());
            let (a, _) = cp_async::load_window(cta, a, window).commit(cta).wait().sync(cta);
            a.to_async().sync(cta).into_free()
        });
    }
    raw_cp_async_load_window_cache_hint(base) {
        scope(|| {
            let policy = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
            // The window starts one element before the slice.
            let (at, len) = (-1_i64, n as i64);
            let before = at.min(0).unsigned_abs().min(N as u64) as u32;
            let upto = len.saturating_sub(at).clamp(0, N as i64) as u32;
            let first = src.wrapping_offset(at as isize);
            crate::each_own(N as u32, |i| {
                let inside = (i >= before) & (i < upto);
                let size = 4 * u32::from(inside);
                let from = if inside { first.wrapping_add(i as usize) } else { src };
                let to = base + 4 * i;
                raw::cp_async_ca(prefetch_size::None, cp_size::B4, to, from.cast(), zfill::SrcSize(size), cache_hint::Policy(policy));
            });
            raw::cp_async_commit_group();
            raw::cp_async_wait_group::<0>();
            sync();
            fence_async();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_cp_async_load_vector_window(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let slice = unsafe { Global::from_raw(src, n) };
            let (a, _) = cp_async::load_window(cta, a, slice.vector_window(-1)).commit(cta).wait().sync(cta);
            a.to_async().sync(cta).into_free()
        });
    }
    raw_cp_async_load_vector_window(base) {
        scope(|| {
            // The window starts one vector before the slice.
            let (at, len) = (-1_i64, (4 * n) as i64);
            let upto = len.saturating_sub(16 * at).clamp(0, 4 * N as i64) as u32;
            let first = src.cast::<u8>().wrapping_offset(16 * at as isize);
            vectors(|at| {
                let size = if at < 16 { 0 } else { upto.saturating_sub(at).min(16) };
                let from = if size > 0 { first.wrapping_add(at as usize) } else { src.cast() };
                raw::cp_async_cg(prefetch_size::None, base + at, from, zfill::SrcSize(size), cache_hint::None)
            });
            raw::cp_async_commit_group();
            raw::cp_async_wait_group::<0>();
            sync();
            fence_async();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_cp_async_load_vector_window_cache_hint(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let slice = unsafe { Global::from_raw(src, n) };
            let (a, _) = cp_async::load_window(cta, a, slice.vector_window(-1).cache_hint(CachePolicy::evict_last())).commit(cta).wait().sync(cta);
            a.to_async().sync(cta).into_free()
        });
    }
    raw_cp_async_load_vector_window_cache_hint(base) {
        scope(|| {
            let policy = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
            // The window starts one vector before the slice.
            let (at, len) = (-1_i64, (4 * n) as i64);
            let upto = len.saturating_sub(16 * at).clamp(0, 4 * N as i64) as u32;
            let first = src.cast::<u8>().wrapping_offset(16 * at as isize);
            vectors(|at| {
                let size = if at < 16 { 0 } else { upto.saturating_sub(at).min(16) };
                let from = if size > 0 { first.wrapping_add(at as usize) } else { src.cast() };
                raw::cp_async_cg(prefetch_size::None, base + at, from, zfill::SrcSize(size), cache_hint::Policy(policy))
            });
            raw::cp_async_commit_group();
            raw::cp_async_wait_group::<0>();
            sync();
            fence_async();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_cp_async_and(cta, stages) {
        cta.async_scope((stages.a, stages.b), |cta, (a, b)| {
            let group = cp_async::load(cta, a, tile(src, 0)).and(cp_async::load(cta, b, tile(src, 1)));
            let ((a, _), (b, _)) = group.commit(cta).wait().sync(cta);
            (a.to_async().sync(cta).into_free(), b.to_async().sync(cta).into_free())
        });
    }
    raw_cp_async_and(base) {
        scope(|| {
            copy(base, src.cast());
            copy(base + BYTES, src.add(N).cast());
            raw::cp_async_commit_group();
            raw::cp_async_wait_group::<0>();
            sync();
            fence_async();
            fence_async();
        })
    }
    (src, dst, out, n)
}

ptx::shared_memory! {
    struct Twice { tile: SharedArray<f32, N>, bar: Mbarrier<Uninit, 2> }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_cp_async_arrive_on_noinc(src: *const f32, out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Twice>() };
    let bar = smem.bar.init(&cta).sync(&cta);
    cta.async_scope(smem.tile, |cta, a| {
        let copy = cp_async::load(cta, a, tile(src, 0)).arrive_on_noinc(cta, bar);
        let (bar, (a, _)) = copy.wait(cta);
        a.to_async().sync(cta).into_free()
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_cp_async_arrive_on_noinc(src: *const f32, out: *mut u32) {
    unsafe {
        let (_, smem, _) = Cta::enter::<Twice>();
        let (base, bar) = (smem.bar.addr() - BYTES, smem.bar.addr());
        let arrivals = thread_count() * 2;
        if elected() {
            raw::mbarrier_init(space::SharedCta, bar, arrivals);
            raw::fence_mbarrier_init();
            raw::fence_proxy_async(space::SharedCta);
        }
        sync();
        scope(|| {
            copy(base, src.cast());
            raw::cp_async_mbarrier_arrive_noinc(space::SharedCta, bar);
            let state = raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One);
            wait(bar, state);
            fence_async();
        })
    }
}

stages! {
    typed_cp_async_queue(cta, stages) {
        cta.async_scope((stages.a, stages.b, stages.c), |cta, (a, b, c)| {
            let queue = cp_async::load(cta, a, tile(src, 0)).commit(cta);
            let queue = queue.then(cta, cp_async::load(cta, b, tile(src, 1)));
            let queue = queue.then(cta, cp_async::load(cta, c, tile(src, 2)));
            let ((a, _), queue) = queue.wait_oldest().sync(cta);
            unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
            let (((b, _), queue), a) = (queue.wait_oldest(), a.release()).sync(cta);
            let queue = queue.then(cta, cp_async::load(cta, a, tile(src, 3)));
            let ((c, _), (a, _)) = queue.wait().sync(cta);
            (a.to_async().sync(cta).into_free(), b.to_async().sync(cta).into_free(), c.to_async().sync(cta).into_free())
        });
    }
    raw_cp_async_queue(base) {
        scope(|| {
            copy(base, src.cast());
            raw::cp_async_commit_group();
            copy(base + BYTES, src.add(N).cast());
            raw::cp_async_commit_group();
            copy(base + 2 * BYTES, src.add(2 * N).cast());
            raw::cp_async_commit_group();
            raw::cp_async_wait_group::<2>();
            sync();
            out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
            raw::cp_async_wait_group::<1>();
            sync();
            copy(base, src.add(3 * N).cast());
            raw::cp_async_commit_group();
            raw::cp_async_wait_group::<0>();
            sync();
            fence_async();
            fence_async();
            fence_async();
        })
    }
    (src, dst, out, n)
}

// The queue has the same type in each round of a loop.
stages! {
    typed_cp_async_pipeline(cta, stages) {
        cta.async_scope((stages.a, stages.b), |cta, (a, b)| {
            let queue = cp_async::load(cta, a, tile(src, 0)).commit(cta);
            let mut queue = queue.then(cta, cp_async::load(cta, b, tile(src, 1)));
            let mut i = 0;
            while i < n {
                let ((a, _), newer) = queue.wait_oldest().sync(cta);
                unsafe { out.add(i).write(a.get(3).map_or(0, f32::to_bits)) };
                queue = newer.then(cta, cp_async::load(cta, a.release().sync(cta), tile(src, 2)));
                i += 1;
            }
            let ((a, _), (b, _)) = queue.wait().sync(cta);
            (a.to_async().sync(cta).into_free(), b.to_async().sync(cta).into_free())
        });
    }
    raw_cp_async_pipeline(base) {
        let (a, b) = (base, base + BYTES);
        scope(|| {
            copy(a, src.cast());
            raw::cp_async_commit_group();
            copy(b, src.wrapping_add(N).cast());
            raw::cp_async_commit_group();
            let (mut i, mut oldest, mut newest) = (0, a, b);
            while i < n {
                raw::cp_async_wait_group::<1>();
                sync();
                out.add(i).write(raw::ld_weak(space::SharedCta, ty::B32, oldest + 12));
                sync();
                copy(oldest, src.wrapping_add(2 * N).cast());
                raw::cp_async_commit_group();
                (oldest, newest) = (newest, oldest);
                i += 1;
            }
            raw::cp_async_wait_group::<0>();
            sync();
            fence_async();
            fence_async();
        })
    }
    (src, dst, out, n)
}

stages! {
    typed_shared_release_write(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let a = a.write(cta, |i| i as f32).publish().sync(cta).release().sync(cta);
            a.write(cta, |i| i as f32 + 1.0).publish().sync(cta).release().sync(cta).to_async().sync(cta).into_free()
        });
    }
    raw_shared_release_write(base) {
        scope(|| {
            let value = |at: u32, lane: usize| (at as usize / 4 + lane) as f32;
            vectors(|at| {
                let bits = |lane| value(at, lane).to_bits();
                raw::st_weak_v4(space::SharedCta, ty::B32, base + at, [bits(0), bits(1), bits(2), bits(3)]);
            });
            sync();
            sync();
            vectors(|at| {
                let bits = |lane| (value(at, lane) + 1.0).to_bits();
                raw::st_weak_v4(space::SharedCta, ty::B32, base + at, [bits(0), bits(1), bits(2), bits(3)]);
            });
            sync();
            sync();
            fence_async();
        })
    }
    (src, dst, out, n)
}
