//! A proxy fence takes no space that copies do not reach.

use ptx::fence;
use ptx::qualifier::space;

pub fn kernel() {
    fence::proxy_async(space::All);
}
