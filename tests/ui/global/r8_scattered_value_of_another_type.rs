//! All stores into an element have its size.

use ptx::global::GlobalScatter;

pub fn kernel(sorted: GlobalScatter<u32>, key: u64) {
    #[cfg(not(fixed))]
    sorted.write(0, key);
    #[cfg(fixed)]
    sorted.write(0, key as u32);
}
