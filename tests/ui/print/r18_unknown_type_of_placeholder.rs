//! C has no binary numbers.

pub fn kernel(x: u32) {
    ptx::println!("{x:#b}");
}
