//! A proxy fence takes only the state spaces that copies access.

use ptx::fence;
use ptx::qualifier::space;

pub fn kernel() {
    fence::proxy_async(space::All);
}
