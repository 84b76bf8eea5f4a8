//! Only the calls of the crate make handles and their states.

use ptx::launch::Cta;
use ptx::shared::{Free, Published, Shared};

pub fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Free>) {
    let _published: Shared<'s, f32, 64, Published> = tile.write(cta, |_| 0.0).publish(cta);
}
