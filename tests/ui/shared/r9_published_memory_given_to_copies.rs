//! `publish` is for threads, `to_async` for copies: a copy does not overwrite memory that is only published.

use ptx::group::Cta;
use ptx::shared::{Free, Shared, Written};

pub fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Written>) -> Shared<'s, f32, 64, Free> {
    #[cfg(not(fixed))]
    {
        tile.publish().sync(cta).into_free()
    }
    #[cfg(fixed)]
    {
        tile.publish().sync(cta).to_async().sync(cta).into_free()
    }
}
