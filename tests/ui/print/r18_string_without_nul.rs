//! A string of Rust has no NUL at its end.

pub fn kernel(name: &str) {
    ptx::println!("{name}");
}
