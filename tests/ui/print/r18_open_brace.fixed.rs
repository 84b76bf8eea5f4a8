//! A brace that is printed is doubled.

pub fn kernel(x: u32) {
    ptx::println!("set {{{x}}}");
}
