//! The lanes of `activemask` may differ at the next instruction: they make no group.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: u32) -> Option<u32> {
    let group = cta.warp().filter(value > 3)?;
    Some(group.reduce_add(value))
}
