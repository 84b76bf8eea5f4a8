//! A proxy fence for asynchronous copies takes a state space.

use ptx::fence;
use ptx::qualifier::space;

pub fn kernel() {
    fence::proxy_async(space::SharedCta);
}
