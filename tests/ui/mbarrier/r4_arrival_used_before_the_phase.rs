//! Transitions that end at a phase return their handles after the phase.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready, Uninit};
use ptx::shared::{Fenced, Free, Loaded, Shared, Written};

pub fn arrived<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Shared<'s, f32, 64, Loaded>) -> Shared<'s, f32, 64, Free> {
    #[cfg(not(fixed))]
    {
        bar.arrive_with(cta, tile.release())
    }
    #[cfg(fixed)]
    {
        bar.arrive_with(cta, tile.release()).wait(cta).1
    }
}

pub fn not_a_transition<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Shared<'s, f32, 64, Written>) -> Shared<'s, f32, 64, Fenced> {
    #[cfg(not(fixed))]
    {
        bar.arrive_with(cta, tile).wait(cta).1
    }
    #[cfg(fixed)]
    {
        bar.arrive_with(cta, tile.to_async()).wait(cta).1
    }
}

pub fn initialized(cta: &Cta, bar: Mbarrier<Uninit>) {
    #[cfg(not(fixed))]
    let _ = bar.init(cta).arrive(cta);
    #[cfg(fixed)]
    let _ = bar.init(cta).sync(cta).arrive(cta);
}
