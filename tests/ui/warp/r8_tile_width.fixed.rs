//! A tile of a warp is a segment of a shuffle, a power of two.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: u32) -> u32 {
    cta.warp().tiles::<16>().reduce_add(value)
}
