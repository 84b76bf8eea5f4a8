//! A placeholder takes a name, not an expression.

pub fn kernel(x: (u32, u32)) {
    #[cfg(not(fixed))]
    ptx::println!("{x.0}");
    #[cfg(fixed)]
    ptx::println!("{}", x.0);
}
