//! The handle of an mbarrier belongs to its thread: its address means nothing to another CTA.

use std::sync::Mutex;

use ptx::mbarrier::{Mbarrier, Ready};

static BAR: Mutex<Option<Mbarrier<Ready>>> = Mutex::new(None);

pub fn kernel(bar: Mbarrier<Ready>) {
    if let Ok(mut slot) = BAR.lock() {
        *slot = Some(bar);
    }
}
