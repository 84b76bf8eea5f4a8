//! Each argument has a placeholder.

pub fn kernel(x: u32, y: u32) {
    #[cfg(not(fixed))]
    ptx::println!("x = {}", x, y);
    #[cfg(fixed)]
    ptx::println!("x = {}, y = {}", x, y);
}
