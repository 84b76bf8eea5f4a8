//! A fence takes a scope; its name says the order.

use ptx::fence;
use ptx::qualifier::scope;

pub fn kernel() {
    fence::acq_rel(scope::Gpu);
    fence::acquire(scope::Gpu);
    fence::release(scope::Cta);
    fence::sc(scope::Sys);
    fence::proxy_tensormap_release(scope::Gpu);
}
