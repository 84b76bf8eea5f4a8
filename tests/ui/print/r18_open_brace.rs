//! A brace that is printed is doubled.

pub fn kernel(x: u32) {
    #[cfg(not(fixed))]
    ptx::println!("set {x");
    #[cfg(fixed)]
    ptx::println!("set {{{x}}}");
}
