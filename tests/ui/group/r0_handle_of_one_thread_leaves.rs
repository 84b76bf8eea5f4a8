//! The handles of one thread stay in its part, and come back in the state in which they were handed over.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready, Uninit};
use ptx::shared::{Free, FreeGeneric, Loaded, Published, Shared, SharedArray};

pub fn of_another_call<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>, b: Shared<'s, u32, 64, Free>) {
    #[cfg(not(fixed))]
    let _ = cta.invoke_warp(a, |warp, a| {
        _ = warp.invoke_one(a, |_, _| b).sync(warp);
        a
    }).sync(cta);
    #[cfg(fixed)]
    let _ = cta.invoke_warp((a, b), |warp, (a, b)| warp.invoke_one((a, b), |_, (a, b)| (a, b)).sync(warp)).sync(cta);
}

pub fn in_another_state<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    {
        cta.invoke_one(a, |thread, a| a.write(thread, |_| 0).to_async().sync(thread)).sync(cta)
    }
    #[cfg(fixed)]
    {
        cta.invoke_one(a, |thread, a| a.write(thread, |_| 0).to_async().sync(thread).into_free()).sync(cta)
    }
}

pub fn before_the_barrier<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    {
        cta.invoke_one(a, |_, a| a)
    }
    #[cfg(fixed)]
    {
        let a = cta.invoke_one(a, |_, a| a);
        a.sync(cta)
    }
}

#[cfg(not(fixed))]
pub fn still_read<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Loaded> {
    cta.invoke_one(a, |_, a| a).sync(cta)
}

#[cfg(fixed)]
pub fn still_read<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Free> {
    cta.invoke_one(a.release().sync(cta), |_, a| a).sync(cta)
}

pub fn read_by_the_others<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Published>) {
    #[cfg(not(fixed))]
    let _ = cta.invoke_warp(a, |_, a| a).sync(cta);
    #[cfg(fixed)]
    let _ = cta.invoke_warp(a.to_async().sync(cta), |_, a| a).sync(cta);
}

#[cfg(not(fixed))]
pub fn an_mbarrier_of_all(cta: &mut Cta, bar: Mbarrier<Ready>) {
    _ = cta.invoke_one(bar, |_, bar| bar).sync(cta);
}

#[cfg(fixed)]
pub fn an_mbarrier_of_all(cta: &mut Cta, bar: Mbarrier<Uninit>) {
    _ = cta.invoke_one(bar, |_, bar| bar).sync(cta).init(cta).sync(cta);
}

pub fn not_ended(cta: Cta, a: SharedArray<u32, 64>, b: SharedArray<u32, 64>, c: SharedArray<u32, 64>) {
    cta.finish((a, b, c), |cta, (a, b, c)| {
        #[cfg(not(fixed))]
        let a = cta.finish_one(a, |_, a| a);
        #[cfg(not(fixed))]
        let b = cta.finish_warp(b, |_, b| b);
        #[cfg(not(fixed))]
        let c = cta.finish_warp(c, |warp, c| warp.finish_one(c, |_, c| c));
        #[cfg(fixed)]
        let a = cta.finish_one(a, |_, a| a.end());
        #[cfg(fixed)]
        let b = cta.finish_warp(b, |_, b| b.end());
        #[cfg(fixed)]
        let c = cta.finish_warp(c, |warp, c| warp.finish_one(c, |_, c| c.end()));
        (a, b, c)
    });
}

pub fn of_a_larger_group<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>, b: Shared<'s, u32, 64, Free>) {
    #[cfg(not(fixed))]
    let _ = cta.invoke_warp(a, |warp, a| {
        _ = warp.invoke_one(b, |_, b| b).sync(warp);
        a
    }).sync(cta);
    #[cfg(fixed)]
    let _ = cta.invoke_warp((a, b), |warp, (a, b)| (a, warp.invoke_one(b, |_, b| b).sync(warp))).sync(cta);
}

pub fn not_fenced<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, FreeGeneric>) {
    #[cfg(not(fixed))]
    let _ = cta.invoke_one(a, |_, a| a).sync(cta);
    #[cfg(fixed)]
    let _ = cta.invoke_one(a.to_async().sync(cta), |_, a| a).sync(cta);
}
