//! Calls by one thread or one warp of the CTA, with handles of its own. The blocks have 128 threads, so LLVM knows the threads of
//! a warp and the number of rounds of its loops.

use ptx::group::Together;
use ptx::launch::Block;
use ptx::qualifier::{cache_hint, cp_mask, op};

use super::*;

/// Loads a tile in one thread, and waits for it.
#[inline(always)]
unsafe fn load(base: u32, bar: u32, src: *const f32) {
    unsafe {
        let state = raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, BYTES);
        raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None);
        wait(bar, state);
    }
}

/// Loads a tile in one thread, on a new mbarrier.
#[inline(always)]
unsafe fn init_and_load(base: u32, bar: u32, src: *const f32) {
    unsafe {
        raw::mbarrier_init(space::SharedCta, bar, 1);
        raw::fence_mbarrier_init();
        raw::fence_proxy_async(space::SharedCta);
        load(base, bar, src);
    }
}

/// Adds a tile to another in one thread, which may then load the tile again: a proxy fence stands after what it has read.
#[inline(always)]
unsafe fn reduce(base: u32, dst: *mut f32) {
    unsafe {
        raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES, cache_hint::None);
        raw::cp_async_bulk_commit_group();
        raw::fence_proxy_async(space::SharedCta);
        raw::cp_async_bulk_wait_group_read::<0>();
    }
}

stages! {
    @enter [Cta::enter_with::<Stages, Block<128>>]
    typed_invoke_one(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let lent = cta.invoke_one((a, stages.bar), |thread, (a, bar)| {
                let (bar, a, _) = bulk::load(thread, bar.init(thread).sync(thread), a, tile(src)).wait(thread);
                unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
                let a = bulk::reduce(thread, op::Add, a, sums(dst)).commit(thread).wait_read(thread);
                (a.sync(thread), bar.inval(thread))
            });
            lent.sync(cta).0
        });
    }
    raw_invoke_one(base) {
        scope(|| {
            let bar = base + 3 * BYTES;
            if elected() {
                init_and_load(base, bar, src);
                out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
                reduce(base, dst);
                raw::mbarrier_inval(space::SharedCta, bar);
            }
            sync();
        })
    }
    (src, dst, out, n)
}

// One thread has read a tile: a proxy fence stands before the next copy into the tile, and before the CTA's barrier.
stages! {
    @enter [Cta::enter_with::<Stages, Block<128>>]
    typed_invoke_one_release(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let lent = cta.invoke_one((a, stages.bar), |thread, (a, bar)| {
                let (bar, a, _) = bulk::load(thread, bar.init(thread).sync(thread), a, tile(src)).wait(thread);
                unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
                let (bar, a, _) = bulk::load(thread, bar, a.release().sync(thread), tile(src)).wait(thread);
                (a.release().sync(thread), bar.inval(thread))
            });
            lent.sync(cta).0
        });
    }
    raw_invoke_one_release(base) {
        scope(|| {
            let bar = base + 3 * BYTES;
            if elected() {
                raw::mbarrier_init(space::SharedCta, bar, 1);
                raw::fence_mbarrier_init();
                raw::fence_proxy_async(space::SharedCta);
                load(base, bar, src);
                out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
                raw::fence_proxy_async(space::SharedCta);
                load(base, bar, src);
                raw::fence_proxy_async(space::SharedCta);
                raw::mbarrier_inval(space::SharedCta, bar);
            }
            sync();
        })
    }
    (src, dst, out, n)
}

// One thread runs a part at a barrier that another transition shares, and a part at the end of the kernel.
stages! {
    @enter [Cta::enter_with::<Stages, Block<128>>]
    typed_finish_one(cta, stages) {
        if let Some(to) = mine(&cta, unsafe { GlobalMut::from_raw(dst, N) }) {
            cta.finish((stages.a, stages.b), |cta, (a, b)| {
                let b = b.write(cta, |i| i as f32);
                let a = cta.invoke_one(a, |thread, a| a.write(thread, |_| 0.0).to_async().sync(thread).into_free());
                let (a, b) = (a, b.to_async()).sync(cta);
                let (a, (), b) = cta.finish_one((a, stages.bar, b), |thread, (a, bar, b)| {
                    let store = bulk::store(thread, b, to).commit(thread);
                    let load = bulk::load_with(thread, bar.init(thread).sync(thread), a, tile(src), store.wait_read(thread));
                    let (_, a, _, b) = load.wait(thread);
                    (a.end(), (), b.end())
                });
                (a, b)
            });
        }
    }
    raw_finish_one(base) {
        if cta_rank() == 0 {
            scope(|| {
                let bar = base + 3 * BYTES;
                each_own(BYTES / 16, |v| {
                    let bits = |lane: usize| ((4 * v as usize + lane) as f32).to_bits();
                    let addr = base + BYTES + 16 * v;
                    raw::st_weak_v4(space::SharedCta, ty::B32, addr, [bits(0), bits(1), bits(2), bits(3)]);
                });
                if elected() {
                    let mut v = 0;
                    while v < BYTES / 16 {
                        raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, [0; 4]);
                        v += 1;
                    }
                    raw::fence_proxy_async(space::SharedCta);
                }
                raw::fence_proxy_async(space::SharedCta);
                sync();
                if elected() {
                    raw::cp_async_bulk_global_shared_cta(dst.cast(), base + BYTES, BYTES, cache_hint::None, cp_mask::None);
                    raw::cp_async_bulk_commit_group();
                    raw::mbarrier_init(space::SharedCta, bar, 1);
                    raw::fence_mbarrier_init();
                    raw::fence_proxy_async(space::SharedCta);
                    raw::fence_proxy_async(space::SharedCta);
                    raw::cp_async_bulk_wait_group_read::<0>();
                    let state = raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, BYTES);
                    raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None);
                    wait(bar, state);
                }
            })
        }
    }
    (src, dst, out, n)
}

stages! {
    @enter [Cta::enter_with::<Stages, Block<128>>]
    typed_invoke_warp(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let lent = cta.invoke_warp((a, stages.bar), |warp, (a, bar)| {
                let a = a.write(warp, |i| i as f32);
                let (bar, a) = (bar.init(warp), a.publish()).sync(warp);
                unsafe { out.write(warp.warp().ballot(a.get(3).is_some()).bits()) };
                let (bar, a) = bar.arrive_with(warp, a.to_async()).wait(warp);
                let a = warp.invoke_one(a, |thread, a| {
                    let (a, _) = bulk::reduce(thread, op::Add, a, sums(dst)).commit(thread).wait(thread).sync(thread);
                    a
                });
                (a.sync(warp).into_free(), bar.inval(warp))
            });
            let (a, _) = lent.sync(cta);
            let a = cta.invoke_warp(a, |warp, a| a.write(warp, |_| 0.0).to_async().sync(warp).into_free());
            a.sync(cta)
        });
    }
    raw_invoke_warp(base) {
        scope(|| {
            let bar = base + 3 * BYTES;
            let (rank, threads) = (thread_rank(), thread_count().min(32));
            let warp_sync = || raw::bar_warp_sync(u32::MAX);
            let fill = |base: u32, value: fn(usize) -> u32| {
                let mut first = 0;
                while first + threads <= BYTES / 16 {
                    let v = first + rank;
                    raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, [0, 1, 2, 3].map(|lane| value(4 * v as usize + lane)));
                    first += threads;
                }
                if first + rank < BYTES / 16 {
                    let v = first + rank;
                    raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, [0, 1, 2, 3].map(|lane| value(4 * v as usize + lane)));
                }
            };
            if rank < 32 {
                fill(base, |i| (i as f32).to_bits());
                if rank != 0 {
                } else {
                    raw::mbarrier_init(space::SharedCta, bar, threads);
                    raw::fence_mbarrier_init();
                    raw::fence_proxy_async(space::SharedCta);
                }
                warp_sync();
                raw::ld_weak(space::SharedCta, ty::B32, base + 12);
                out.write(raw::vote_sync_ballot(true, u32::MAX));
                raw::fence_proxy_async(space::SharedCta);
                wait(bar, raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One));
                if rank != 0 {
                } else {
                    raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES, cache_hint::None);
                    raw::cp_async_bulk_commit_group();
                    raw::cp_async_bulk_wait_group::<0>();
                }
                warp_sync();
                warp_sync();
                if rank != 0 {
                } else {
                    raw::mbarrier_inval(space::SharedCta, bar);
                }
                warp_sync();
            }
            sync();
            // In this form, LLVM branches as in the typed twin.
            if rank > 31 {
            } else {
                fill(base, |_| 0);
                raw::fence_proxy_async(space::SharedCta);
                warp_sync();
            }
            sync();
        })
    }
    (src, dst, out, n)
}

// The threads of a warp have read a tile: each has a proxy fence before the warp's barrier.
stages! {
    @enter [Cta::enter_with::<Stages, Block<128>>]
    typed_invoke_warp_release(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let lent = cta.invoke_warp((a, stages.bar), |warp, (a, bar)| {
                let (bar, a, _) = bulk::load(warp, bar.init(warp).sync(warp), a, tile(src)).wait(warp);
                unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
                let (bar, a, _) = bulk::load(warp, bar, a.release().sync(warp), tile(src)).wait(warp);
                let a = a.release().sync(warp);
                (a, bar.inval(warp))
            });
            lent.sync(cta).0
        });
    }
    raw_invoke_warp_release(base) {
        scope(|| {
            let bar = base + 3 * BYTES;
            let (rank, threads) = (thread_rank(), thread_count().min(32));
            let warp_sync = || raw::bar_warp_sync(u32::MAX);
            let load = || {
                wait(bar, arrive_with(bar, BYTES, || {
                    raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None)
                }))
            };
            if rank < 32 {
                if rank == 0 {
                    raw::mbarrier_init(space::SharedCta, bar, threads);
                    raw::fence_mbarrier_init();
                    raw::fence_proxy_async(space::SharedCta);
                }
                warp_sync();
                load();
                out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
                raw::fence_proxy_async(space::SharedCta);
                warp_sync();
                load();
                raw::fence_proxy_async(space::SharedCta);
                warp_sync();
                warp_sync();
                if rank == 0 {
                    raw::mbarrier_inval(space::SharedCta, bar);
                }
                warp_sync();
            }
            sync();
        })
    }
    (src, dst, out, n)
}

stages! {
    @enter [Cta::enter_with::<Stages, Block<128>>]
    typed_finish_warp(cta, stages) {
        cta.finish(stages.a, |cta, a| {
            cta.finish_warp((a, stages.bar), |warp, (a, bar)| {
                let a = a.write(warp, |_| 0.0);
                let a = a.to_async().sync(warp);
                let a = warp.invoke_one(a, |thread, a| a.into_free().write(thread, |_| 1.0).to_async().sync(thread));
                let a = a.sync(warp).into_free();
                warp.finish_one((a, bar), |thread, (a, bar)| {
                    let (_, a, _) = bulk::load(thread, bar.init(thread).sync(thread), a, tile(src)).wait(thread);
                    (bulk::reduce(thread, op::Add, a, sums(dst)).commit(thread).wait_read(thread).end(), ())
                })
            }).0
        });
    }
    raw_finish_warp(base) {
        scope(|| {
            let (rank, threads) = (thread_rank(), thread_count().min(32));
            if rank < 32 {
                let mut first = 0;
                while first + threads <= BYTES / 16 {
                    raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * (first + rank), [0; 4]);
                    first += threads;
                }
                if first + rank < BYTES / 16 {
                    raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * (first + rank), [0; 4]);
                }
                raw::fence_proxy_async(space::SharedCta);
                raw::bar_warp_sync(u32::MAX);
                if rank == 0 {
                    let mut v = 0;
                    while v < BYTES / 16 {
                        raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, [1.0_f32.to_bits(); 4]);
                        v += 1;
                    }
                    raw::fence_proxy_async(space::SharedCta);
                }
                raw::bar_warp_sync(u32::MAX);
                if rank == 0 {
                    init_and_load(base, base + 3 * BYTES, src);
                    reduce(base, dst);
                }
            }
        })
    }
    (src, dst, out, n)
}

stages! {
    @enter [Cta::enter_with::<Stages, Block<128>>]
    typed_mbarrier_arrive_with(cta, stages) {
        cta.async_scope((stages.a, stages.b), |cta, (a, b)| {
            let a = a.write(cta, |i| i as f32);
            let (a, bar) = (a.publish(), stages.bar.init(cta)).sync(cta);
            unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
            let (_, a) = bar.arrive_with(cta, a.to_async()).wait(cta);
            (a.into_free(), b)
        });
    }
    raw_mbarrier_arrive_with(base) {
        scope(|| {
            let bar = base + 3 * BYTES;
            each_own(BYTES / 16, |v| {
                let bits = |lane: usize| ((4 * v as usize + lane) as f32).to_bits();
                raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, [bits(0), bits(1), bits(2), bits(3)]);
            });
            init(bar);
            out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
            raw::fence_proxy_async(space::SharedCta);
            wait(bar, raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One));
        })
    }
    (src, dst, out, n)
}

// The threads of a warp have read a tile that the warp stores: each has a proxy fence before the warp's barrier.
stages! {
    @enter [Cta::enter_with::<Stages, Block<128>>]
    typed_invoke_warp_store(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let lent = cta.invoke_warp((a, stages.bar), |warp, (a, bar)| {
                let (bar, a, _) = bulk::load(warp, bar.init(warp).sync(warp), a, tile(src)).wait(warp);
                unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
                let a = bulk::reduce(warp, op::Add, a, sums(dst)).commit(warp).wait_read(warp).sync(warp);
                let (bar, a, _) = bulk::load(warp, bar, a, tile(src)).wait(warp);
                (a.release().sync(warp), bar.inval(warp))
            });
            lent.sync(cta).0
        });
    }
    raw_invoke_warp_store(base) {
        scope(|| {
            let bar = base + 3 * BYTES;
            let (rank, threads) = (thread_rank(), thread_count().min(32));
            let warp_sync = || raw::bar_warp_sync(u32::MAX);
            let load = || {
                wait(bar, arrive_with(bar, BYTES, || {
                    raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None)
                }))
            };
            if rank < 32 {
                if rank == 0 {
                    raw::mbarrier_init(space::SharedCta, bar, threads);
                    raw::fence_mbarrier_init();
                    raw::fence_proxy_async(space::SharedCta);
                }
                warp_sync();
                load();
                out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
                if rank == 0 {
                    raw::cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES, cache_hint::None);
                }
                if rank == 0 {
                    raw::cp_async_bulk_commit_group();
                }
                raw::fence_proxy_async(space::SharedCta);
                if rank == 0 {
                    raw::cp_async_bulk_wait_group_read::<0>();
                }
                warp_sync();
                load();
                raw::fence_proxy_async(space::SharedCta);
                warp_sync();
                warp_sync();
                if rank == 0 {
                    raw::mbarrier_inval(space::SharedCta, bar);
                }
                warp_sync();
            }
            sync();
        })
    }
    (src, dst, out, n)
}
