//! C writes no sign before an unsigned number.

pub fn kernel(x: u32) {
    #[cfg(not(fixed))]
    ptx::println!("{x:+}");
    #[cfg(fixed)]
    ptx::println!("+{x}");
}
