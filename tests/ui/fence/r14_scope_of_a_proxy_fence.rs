//! A proxy fence for asynchronous copies takes a state space.

use ptx::fence;
use ptx::qualifier::{scope, space};

pub fn kernel() {
    #[cfg(not(fixed))]
    fence::proxy_async(scope::Cta);
    #[cfg(fixed)]
    fence::proxy_async(space::SharedCta);
}
