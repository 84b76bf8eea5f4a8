//! A value in `AfterSync::ready` comes out after the barrier, as all values that wait for it.

use ptx::group::{AfterSync, Cta};
use ptx::shared::{Published, Shared};

#[cfg(not(fixed))]
pub fn kernel<'s>(_cta: &Cta, words: Shared<'s, u32, 64, Published>) -> Option<u32> {
    AfterSync::<_, Cta>::ready(words).get(0)
}

#[cfg(fixed)]
pub fn kernel<'s>(cta: &Cta, words: Shared<'s, u32, 64, Published>) -> Option<u32> {
    AfterSync::ready(words).sync(cta).get(0)
}
