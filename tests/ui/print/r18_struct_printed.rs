//! A struct has no conversion in C.

pub fn kernel(lane: ptx::mask::LaneMask) {
    ptx::println!("{lane:?}");
}
