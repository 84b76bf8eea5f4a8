//! A value in `AfterSync::ready` comes out after the barrier, as all values that wait for it.

use ptx::launch::{AfterSync, Cta};
use ptx::shared::{Published, Shared};

pub fn kernel<'s>(_cta: &Cta, words: Shared<'s, u32, 64, Published>) -> Option<u32> {
    AfterSync::<_, Cta>::ready(words).get(0)
}
