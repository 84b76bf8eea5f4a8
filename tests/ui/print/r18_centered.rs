//! C centers no text.

pub fn kernel(x: u32) {
    ptx::println!("{x:^8}");
}
