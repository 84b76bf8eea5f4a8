//! A thread gets only groups that contain it: a mask without the thread is undefined behavior.

use ptx::group::Cta;
use ptx::mask::LaneMask;
use ptx::warp::{LaneSubset, Lanes};

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, value: u32) -> u32 {
    let _ = cta;
    let lower: Lanes<LaneSubset> = Lanes { members: LaneSubset(LaneMask::lane(0).bits()), _scope: Default::default() };
    lower.reduce_add(value)
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, value: u32) -> Option<u32> {
    let warp = cta.warp();
    let lower = warp.filter(warp.lane() < 16)?;
    Some(lower.reduce_add(value))
}
