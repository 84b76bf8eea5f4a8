//! The parameters of the kernel `axpy_bulk`.

/// The parameters that the kernel was built with, and the thread blocks per multiprocessor of its launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Threads per thread block.
    pub threads: u32,
    /// Stages of the pipeline. Each stage holds a tile of x and a tile of y.
    pub stages: u32,
    /// Size of a tile in bytes.
    pub tile_bytes: u32,
    /// Thread blocks per multiprocessor.
    pub ctas_per_sm: u32,
}

impl Shape {
    /// The parameters of the kernel in the bundle.
    pub const SHIPPED: Self = Self { threads: 256, stages: 2, tile_bytes: 14 * 1024, ctas_per_sm: 1 };

    /// Returns the dynamic shared memory per thread block, in bytes: two tiles and an mbarrier per stage. A sweep knows its
    /// shapes only at run time. For the known shapes, the tests compare the result with
    /// [`DynamicShared::bytes_for`](ptx::shared::DynamicShared::bytes_for).
    #[must_use]
    pub const fn dynamic_shared_bytes(&self) -> u32 {
        self.stages * (2 * self.tile_bytes + size_of::<u64>() as u32)
    }

    /// Returns the number of elements per tile.
    #[must_use]
    pub const fn tile_len(&self) -> usize {
        self.tile_bytes as usize / size_of::<f32>()
    }
}
