//! The format is translated at compile time.

pub fn kernel(x: u32) {
    let format = "{}";
    ptx::println!(format, x);
}
