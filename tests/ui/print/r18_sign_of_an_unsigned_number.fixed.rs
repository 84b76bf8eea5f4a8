//! C writes no sign before an unsigned number.

pub fn kernel(x: u32) {
    ptx::println!("+{x}");
}
