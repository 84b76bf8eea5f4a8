//! The part of one thread returns all handles that it holds.

use ptx::group::{Cta, Together};
use ptx::shared::{Fenced, Free, Shared};

pub fn kept<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>, b: Shared<'s, u32, 64, Free>) {
    #[cfg(not(fixed))]
    let mut kept = None;
    #[cfg(not(fixed))]
    let _ = cta
        .invoke_one((a, b), |_, (a, b)| {
            kept = Some(a);
            (b, b)
        })
        .sync(cta);
    #[cfg(fixed)]
    let _ = cta.invoke_one((a, b), |_, (a, b)| (a, b)).sync(cta);
}

#[cfg(not(fixed))]
pub fn handed_over_twice<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>) {
    let first = cta.invoke_one(a, |_, a| a);
    let second = cta.invoke_one(a, |_, a| a);
    _ = (first, second).sync(cta);
}

#[cfg(fixed)]
pub fn handed_over_twice<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Free>, b: Shared<'s, u32, 64, Free>) {
    let first = cta.invoke_one(a, |_, a| a);
    let second = cta.invoke_one(b, |_, b| b);
    _ = (first, second).sync(cta);
}

pub fn the_thread_leaves(cta: &mut Cta) {
    #[cfg(not(fixed))]
    let mut kept = None;
    #[cfg(not(fixed))]
    cta.invoke_one((), |thread, ()| kept = Some(thread));
    #[cfg(fixed)]
    let mut done = false;
    #[cfg(fixed)]
    cta.invoke_one((), |_, ()| done = true);
}

#[cfg(not(fixed))]
pub fn one_place_twice<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Fenced>) {
    _ = cta.invoke_one((a.into_free(), a), |_, both| both).sync(cta);
}

#[cfg(fixed)]
pub fn one_place_twice<'s>(cta: &mut Cta, a: Shared<'s, u32, 64, Fenced>, b: Shared<'s, u32, 64, Fenced>) {
    _ = cta.invoke_one((a.into_free(), b), |_, both| both).sync(cta);
}
