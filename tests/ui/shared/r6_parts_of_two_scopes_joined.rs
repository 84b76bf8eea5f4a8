//! Parts that are joined belong to one scope.

use ptx::shared::{Free, Shared};

type Part<'s> = Shared<'s, u32, 32, Free>;

#[cfg(not(fixed))]
pub fn body<'c, 'd>(first: Part<'c>, second: Part<'d>) -> Result<Shared<'c, u32, 64, Free>, (Part<'c>, Part<'c>)> {
    first.join(second)
}

#[cfg(fixed)]
pub fn body<'c>(first: Part<'c>, second: Part<'c>) -> Result<Shared<'c, u32, 64, Free>, (Part<'c>, Part<'c>)> {
    first.join(second)
}
