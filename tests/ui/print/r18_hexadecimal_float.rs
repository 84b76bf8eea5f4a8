//! A float is no hexadecimal number.

pub fn kernel(x: f32) {
    ptx::println!("{x:x}");
}
