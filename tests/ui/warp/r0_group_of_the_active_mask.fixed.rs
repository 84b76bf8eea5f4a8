//! What is active now need not be in the next instruction: `activemask` makes no group.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: u32) -> Option<u32> {
    let group = cta.warp().filter(value > 3)?;
    Some(group.reduce_add(value))
}
