//! The handle of an mbarrier belongs to its thread: in another CTA, its address means something else.

use std::sync::Mutex;

use ptx::mbarrier::{Mbarrier, Ready};

#[cfg(not(fixed))]
static BAR: Mutex<Option<Mbarrier<Ready>>> = Mutex::new(None);

pub fn kernel(bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    if let Ok(mut slot) = BAR.lock() {
        *slot = Some(bar);
    }
    #[cfg(fixed)]
    let mut slot = None;
    #[cfg(fixed)]
    slot.replace(bar);
}
