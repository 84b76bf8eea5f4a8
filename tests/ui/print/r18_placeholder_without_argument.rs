//! Each placeholder has an argument.

pub fn kernel(x: u32) {
    #[cfg(not(fixed))]
    ptx::println!("{} of {}", x);
    #[cfg(fixed)]
    ptx::println!("{} of {}", x, 2 * x);
}
