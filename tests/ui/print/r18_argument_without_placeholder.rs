//! Each argument has a placeholder.

pub fn kernel(x: u32, y: u32) {
    ptx::println!("x = {}", x, y);
}
