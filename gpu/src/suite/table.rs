//! What a suite is: the kernels of a crate, and what each has to compute.

/// The kernels of a crate under `tests/device`.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// Folder of the crate. The images are `<name>-*.ptx` and `<name>-*.cubin`.
    pub name: &'static str,
    /// All kernels of the crate.
    pub kernels: &'static [Kernel],
}

/// A kernel `fn(out: *mut u32, seed: u32)`, launched as one block of [`THREADS`] threads.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// Name of the kernel.
    pub name: &'static str,
    /// Returns the expected `out`. Its length is the length of `out`.
    pub expected: fn(seed: u32) -> Vec<u32>,
}

/// Makes an entry of a suite.
pub const fn kernel(name: &'static str, expected: fn(u32) -> Vec<u32>) -> Kernel {
    Kernel { name, expected }
}

/// Threads per block.
pub const THREADS: u32 = 128;
