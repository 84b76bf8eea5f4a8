//! The format is translated at compile time.

pub fn kernel(x: u32) {
    #[cfg(not(fixed))]
    let format = "{}";
    #[cfg(not(fixed))]
    ptx::println!(format, x);
    #[cfg(fixed)]
    ptx::println!("{}", x);
}
