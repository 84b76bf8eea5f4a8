//! What waits for a barrier is handles: no value of a user's type that runs code where it is dropped.

use ptx::launch::{AfterSync, Cta};

pub struct Word(pub u32);

pub fn kernel(cta: &Cta) {
    _ = cta.sync_with(AfterSync::ready(Word(1)));
}
