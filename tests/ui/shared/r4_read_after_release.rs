//! Released memory is not readable: the next copy may already be in flight.

use ptx::launch::Cta;
use ptx::shared::{Loaded, Published, Shared};

pub fn kernel<'s>(cta: &Cta, loaded: Shared<'s, f32, 64, Loaded>, published: Shared<'s, f32, 64, Published>) {
    #[cfg(not(fixed))]
    let (_free, _spent) = (loaded.release(cta), published.release(cta));
    let _ = (loaded.get(0), published.get(0));
    #[cfg(fixed)]
    let (_free, _spent) = (loaded.release(cta), published.release(cta));
}
