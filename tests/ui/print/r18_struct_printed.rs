//! A struct has no conversion in C.

pub fn kernel(lane: ptx::mask::LaneMask) {
    #[cfg(not(fixed))]
    ptx::println!("{lane:?}");
    #[cfg(fixed)]
    ptx::println!("{:#x}", lane.bits());
}
