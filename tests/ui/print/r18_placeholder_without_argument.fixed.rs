//! Each placeholder has an argument.

pub fn kernel(x: u32) {
    ptx::println!("{} of {}", x, 2 * x);
}
