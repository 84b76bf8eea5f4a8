//! A proxy fence takes only the state spaces that copies access.

use ptx::fence;
use ptx::qualifier::space;

pub fn kernel() {
    #[cfg(not(fixed))]
    fence::proxy_async(space::Local);
    #[cfg(fixed)]
    fence::proxy_async(space::All);
}
