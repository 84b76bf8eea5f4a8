//! The handle of an mbarrier belongs to its thread: its address means nothing to another CTA.

use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(bar: Mbarrier<Ready>) {
    let mut slot = None;
    slot.replace(bar);
}
