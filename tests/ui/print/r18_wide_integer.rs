//! An integer of 128 bits has no conversion in C.

pub fn kernel(x: u128) {
    ptx::println!("{x}");
}
