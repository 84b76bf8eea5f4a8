//! The format is translated at compile time.

pub fn kernel(x: u32) {
    ptx::println!("{}", x);
}
