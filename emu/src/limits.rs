//! The limits of the device, which are those of an H200.

/// The multiprocessors of the device.
pub const MULTIPROCESSORS: u32 = 132;
/// The most threads of a block.
pub const THREADS_PER_BLOCK: u32 = 1024;
/// The most threads that a multiprocessor runs at the same time.
pub const THREADS_PER_MULTIPROCESSOR: u32 = 2048;
/// The most blocks that a multiprocessor runs at the same time.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 32;
/// The shared memory of a multiprocessor.
pub const SHARED_PER_MULTIPROCESSOR: u32 = 228 * 1024;
/// The shared memory of a block, static and dynamic.
pub const SHARED_PER_BLOCK: u32 = 227 * 1024;
/// The static shared memory of a block, and all of it for a kernel that did not ask for more.
pub const SHARED_WITHOUT_OPT_IN: u32 = 48 * 1024;
/// The most blocks of a grid along each dimension.
pub const GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
/// The most threads of a block along each dimension.
pub const BLOCK: [u32; 3] = [1024, 1024, 64];
/// The shared memory that the system reserves in each block.
pub const RESERVED_SHARED: u32 = 1024;
/// The most blocks of a cluster of a kernel that did not ask for more.
pub const PORTABLE_CLUSTER: u32 = 8;
/// The most blocks of a cluster.
pub const LARGEST_CLUSTER: u32 = 16;
/// The threads of a warp.
pub const WARP: u32 = 32;
/// Returns the number of blocks that a multiprocessor runs at the same time. `shared` is the shared memory of a block.
#[must_use]
pub fn blocks_per_multiprocessor(threads: u32, shared: u64) -> u32 {
    if threads == 0 || threads > THREADS_PER_BLOCK || shared > SHARED_PER_BLOCK.into() {
        return 0;
    }
    let by_threads = THREADS_PER_MULTIPROCESSOR / threads.next_multiple_of(WARP);
    let by_shared = u64::from(SHARED_PER_MULTIPROCESSOR) / (shared + u64::from(RESERVED_SHARED));
    by_threads.min(by_shared as u32).min(BLOCKS_PER_MULTIPROCESSOR)
}

/// The registers of a thread. No compiler allocates any, and with this number all threads of a multiprocessor fit.
pub const REGISTERS: u32 = 32;

/// The bytes of the device's memory: few enough for the machine that emulates the device.
pub const GLOBAL_MEMORY: usize = 16 << 30;
