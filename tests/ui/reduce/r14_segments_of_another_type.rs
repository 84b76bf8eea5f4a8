//! The memory of a segmented scan holds values of one type.

use ptx::group::Cta;
use ptx::reduce::SegmentMemory;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, segments: &mut SegmentMemory<u32>, value: f32, is_head: bool) -> f32 {
    segments.inclusive_scan(cta, value, is_head, |a, b| a + b).0
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, segments: &mut SegmentMemory<f32>, value: f32, is_head: bool) -> f32 {
    segments.inclusive_scan(cta, value, is_head, |a, b| a + b).0
}
