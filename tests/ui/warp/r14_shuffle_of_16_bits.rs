//! A shuffle moves 32 bits, or twice.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: u16) -> u16 {
    cta.warp().shuffle(value, 0)
}
