//! The lanes of `activemask` may differ at the next instruction: they make no group.

use ptx::group::Cta;
use ptx::warp::{LaneSubset, Lanes, active_mask};

pub fn kernel(cta: &Cta, value: u32) -> Option<u32> {
    #[cfg(not(fixed))]
    {
        let _ = cta.warp();
        if value > 3 {
            let group: Lanes<LaneSubset> = active_mask();
            return Some(group.reduce_add(value));
        }
        None
    }
    #[cfg(fixed)]
    {
        let group = cta.warp().filter(value > 3)?;
        Some(group.reduce_add(value))
    }
}
