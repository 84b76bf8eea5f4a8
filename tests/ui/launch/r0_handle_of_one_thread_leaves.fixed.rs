//! The handles of one thread stay in its part, and come back in the state in which they were handed over.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::{Fenced, Free, Loaded, Published, Shared, SharedArray, FreeGeneric};

pub fn of_another_call<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>, b: Shared<'s, u32, 64, Free>) {
    _ = cta.invoke_warp((a, b), |warp, (a, b)| warp.invoke_one((a, b), |_, (a, b)| (a, b)));
}

pub fn in_another_state<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Fenced> {
    cta.invoke_one(a.into_fenced(), |thread, a| a.into_free().write(thread, |_| 0).to_async(thread))
}

pub fn before_the_barrier<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Free> {
    let a = cta.invoke_one_at_sync(a, |_, a| a);
    cta.sync_with(a)
}

pub fn still_read<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Free> {
    cta.invoke_one(a.release(cta), |_, a| a)
}

pub fn read_by_the_others<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Published>, b: Shared<'s, u32, 64, Loaded>) {
    let a = cta.invoke_warp(a.to_async(cta), |_, a| a);
    let b = b.release(cta).into_fenced();
    let b = cta.invoke_warp_at_sync(b, |_, b| b);
    _ = cta.sync_with(b);
    _ = a;
}

pub fn an_mbarrier_of_all(cta: &mut Cta, bar: Mbarrier<Uninit>) {
    _ = cta.invoke_one(bar, |_, bar| bar).init(cta);
}

pub fn not_ended(cta: Cta, a: SharedArray<u32, 64>, b: SharedArray<u32, 64>, c: SharedArray<u32, 64>) {
    cta.async_scope_last((a, b, c), |cta, (a, b, c)| {
        let a = cta.invoke_one_last(a, |_, a| a.end());
        let b = cta.invoke_warp_last(b, |_, b| b.end());
        let c = cta.invoke_warp_last(c, |warp, c| warp.invoke_one_last(c, |_, c| c.end()));
        (a, b, c)
    });
}

pub fn of_a_larger_group<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>, b: Shared<'s, u32, 64, Free>) {
    _ = cta.invoke_warp((a, b), |warp, (a, b)| (a, warp.invoke_one(b, |_, b| b)));
}

pub fn not_fenced<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, FreeGeneric>) {
    _ = cta.invoke_one(a.to_async(cta), |_, a| a);
}
