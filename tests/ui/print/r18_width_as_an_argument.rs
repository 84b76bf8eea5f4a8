//! A width is a number.

pub fn kernel(x: u32, width: usize) {
    ptx::println!("{x:width$}");
    let _ = width;
}
