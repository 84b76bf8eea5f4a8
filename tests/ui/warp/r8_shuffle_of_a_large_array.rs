//! Lanes pass at most 64 bytes to each other.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, values: [u32; 32]) -> u32 {
    let warp = cta.warp();
    #[cfg(not(fixed))]
    let [first, ..] = warp.shuffle(values, 0);
    #[cfg(fixed)]
    let first = warp.shuffle(values[0], 0);
    first
}
