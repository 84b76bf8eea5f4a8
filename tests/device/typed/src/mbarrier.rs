//! Mbarriers at which a thread arrives several times in a phase.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{arrivals, scope, sem, space, suspend_time_hint};
use ptx::raw;

use super::{elected, thread_count};

ptx::shared_memory! {
    struct Smem { bar: Mbarrier<Uninit, 3> }
}

#[inline(always)]
unsafe fn init() -> u32 {
    let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
    let bar = smem.bar.addr();
    if elected() {
        unsafe { raw::mbarrier_init(space::SharedCta, bar, thread_count() * 3) };
        raw::fence_mbarrier_init();
        raw::fence_proxy_async(space::SharedCta);
    }
    unsafe { super::sync() };
    bar
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_mbarrier_arrive_count(out: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let bar = smem.bar.init(&cta).sync(&cta).arrive(&cta).wait(&cta);
    unsafe { out.write(bar.addr()) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_mbarrier_arrive_count(out: *mut u32) {
    unsafe {
        let bar = init();
        let state = raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::Count(3));
        while !raw::mbarrier_try_wait(
            sem::Acquire,
            scope::Cta,
            space::SharedCta,
            bar,
            state,
            suspend_time_hint::None,
        ) {}
        out.write(bar);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_mbarrier_arrive_no_complete(out: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let bar = smem.bar.init(&cta).sync(&cta).arrive_no_complete::<2>(&cta);
    let bar = bar.arrive(&cta).wait(&cta);
    unsafe { out.write(bar.addr()) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_mbarrier_arrive_no_complete(out: *mut u32) {
    unsafe {
        let bar = init();
        raw::mbarrier_arrive_no_complete(space::SharedCta, bar, 2);
        let state = raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One);
        while !raw::mbarrier_try_wait(
            sem::Acquire,
            scope::Cta,
            space::SharedCta,
            bar,
            state,
            suspend_time_hint::None,
        ) {}
        out.write(bar);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_mbarrier_arrive_drop(out: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let bar: Mbarrier<_, 1> = smem.bar.init(&cta).sync(&cta).arrive_drop::<1>(&cta).wait(&cta);
    let bar = bar.arrive(&cta).wait(&cta);
    unsafe { out.write(bar.addr()) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_mbarrier_arrive_drop(out: *mut u32) {
    unsafe {
        let bar = init();
        raw::mbarrier_arrive_drop_no_complete(space::SharedCta, bar, 2);
        let state = raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One);
        while !raw::mbarrier_try_wait(
            sem::Acquire,
            scope::Cta,
            space::SharedCta,
            bar,
            state,
            suspend_time_hint::None,
        ) {}
        let state = raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One);
        while !raw::mbarrier_try_wait(
            sem::Acquire,
            scope::Cta,
            space::SharedCta,
            bar,
            state,
            suspend_time_hint::None,
        ) {}
        out.write(bar);
    }
}
