//! A proxy fence for asynchronous copies takes a state space.

use ptx::fence;
use ptx::qualifier::scope;

pub fn kernel() {
    fence::proxy_async(scope::Cta);
}
