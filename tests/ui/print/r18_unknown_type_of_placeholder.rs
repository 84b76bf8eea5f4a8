//! C has no binary numbers.

pub fn kernel(x: u32) {
    #[cfg(not(fixed))]
    ptx::println!("{x:#b}");
    #[cfg(fixed)]
    ptx::println!("{x:#x}");
}
