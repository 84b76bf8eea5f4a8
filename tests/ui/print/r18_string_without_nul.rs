//! A string of Rust has no NUL at its end.

#[cfg(not(fixed))]
pub fn kernel(name: &str) {
    ptx::println!("{name}");
}

#[cfg(fixed)]
pub fn kernel(name: &core::ffi::CStr) {
    ptx::println!("{name}");
}
