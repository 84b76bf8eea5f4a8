//! Free memory is readable only after threads have written and published it again.

use ptx::group::Cta;
use ptx::shared::{Free, Published, Shared};

pub fn kernel<'s>(cta: &Cta, words: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Published> {
    #[cfg(not(fixed))]
    {
        words.into_free_generic().publish().sync(cta)
    }
    #[cfg(fixed)]
    {
        words.into_free_generic().write(cta, |i| i as u32).publish().sync(cta)
    }
}

pub fn loaded<'s>(cta: &Cta, words: Shared<'s, u32, 64, Free>) {
    let words = words.into_free_generic();
    #[cfg(not(fixed))]
    let _ = words.into_free_generic();
    #[cfg(fixed)]
    let _ = words;
    cta.sync();
}
