//! C centers no text.

pub fn kernel(x: u32) {
    #[cfg(not(fixed))]
    ptx::println!("{x:^8}");
    #[cfg(fixed)]
    ptx::println!("{x:8}");
}
