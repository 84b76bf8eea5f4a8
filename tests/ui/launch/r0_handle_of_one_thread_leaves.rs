//! The handles of one thread stay in its part, and come back in the state in which they were handed over.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Fenced, Free, Loaded, Published, Shared, SharedArray, FreeGeneric};

pub fn of_another_call<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>, b: Shared<'s, u32, 64, Free>) {
    _ = cta.invoke_warp(a, |warp, a| {
        _ = warp.invoke_one(a, |_, _| b);
        a
    });
}

pub fn in_another_state<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Fenced> {
    cta.invoke_one(a, |thread, a| a.write(thread, |_| 0).to_async(thread))
}

pub fn before_the_barrier<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Free> {
    cta.invoke_one_at_sync(a, |_, a| a)
}

pub fn still_read<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Loaded> {
    cta.invoke_one(a, |_, a| a)
}

pub fn read_by_the_others<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Published>, b: Shared<'s, u32, 64, Loaded>) {
    _ = cta.invoke_warp(a, |_, a| a);
    _ = cta.invoke_warp_at_sync(b.into_fenced(), |_, b| b);
}

pub fn an_mbarrier_of_all(cta: &mut Cta, bar: Mbarrier<Ready>) {
    _ = cta.invoke_one(bar, |_, bar| bar);
}

pub fn not_ended(cta: Cta, a: SharedArray<u32, 64>, b: SharedArray<u32, 64>, c: SharedArray<u32, 64>) {
    cta.async_scope_last((a, b, c), |cta, (a, b, c)| {
        let a = cta.invoke_one_last(a, |_, a| a);
        let b = cta.invoke_warp_last(b, |_, b| b);
        let c = cta.invoke_warp_last(c, |warp, c| warp.invoke_one_last(c, |_, c| c));
        (a, b, c)
    });
}

pub fn of_a_larger_group<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>, b: Shared<'s, u32, 64, Free>) {
    _ = cta.invoke_warp(a, |warp, a| {
        _ = warp.invoke_one(b, |_, b| b);
        a
    });
}

pub fn not_fenced<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, FreeGeneric>) {
    _ = cta.invoke_one(a, |_, a| a);
}
