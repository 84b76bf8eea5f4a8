//! A thread gets only groups that contain it: a mask without the thread is undefined behavior.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: u32) -> Option<u32> {
    let warp = cta.warp();
    let lower = warp.filter(warp.lane() < 16)?;
    Some(lower.reduce_add(value))
}
