//! A string of Rust has no NUL at its end.

pub fn kernel(name: &core::ffi::CStr) {
    ptx::println!("{name}");
}
