//! The handle of an mbarrier belongs to its thread: in another CTA, its address means something else.

use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(bar: Mbarrier<Ready>) {
    let mut slot = None;
    slot.replace(bar);
}
