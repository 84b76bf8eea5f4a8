//! A placeholder takes a name, not an expression.

pub fn kernel(x: (u32, u32)) {
    ptx::println!("{x.0}");
}
