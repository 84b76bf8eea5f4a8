//! A width is a number.

pub fn kernel(x: u32, width: usize) {
    #[cfg(not(fixed))]
    ptx::println!("{x:width$}");
    #[cfg(fixed)]
    ptx::println!("{x:8}");
    let _ = width;
}
