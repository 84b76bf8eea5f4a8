//! A float is no hexadecimal number.

pub fn kernel(x: f32) {
    #[cfg(not(fixed))]
    ptx::println!("{x:x}");
    #[cfg(fixed)]
    ptx::println!("{:x}", x.to_bits());
}
