//! An integer of 128 bits has no conversion in C.

pub fn kernel(x: u128) {
    #[cfg(not(fixed))]
    ptx::println!("{x}");
    #[cfg(fixed)]
    ptx::println!("{:#x} {:016x}", (x >> 64) as u64, x as u64);
}
