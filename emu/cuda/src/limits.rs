//! The limits of the emulated device, which are those of an H200.

pub use ptx_emu::device::SHARED_PER_BLOCK;

pub const MULTIPROCESSORS: u32 = 132;
pub const THREADS_PER_BLOCK: u32 = 1024;
pub const THREADS_PER_MULTIPROCESSOR: u32 = 2048;
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 32;
pub const SHARED_PER_MULTIPROCESSOR: u32 = 228 * 1024;
pub const SHARED_WITHOUT_OPT_IN: u32 = 48 * 1024;
/// The shared memory that the system reserves in each block.
pub const RESERVED_SHARED: u32 = 1024;
pub const PORTABLE_CLUSTER: u32 = 8;
pub const LARGEST_CLUSTER: u32 = 16;
pub const WARP: u32 = 32;
/// The registers of a thread. No compiler allocates any, and with this number all threads of a multiprocessor fit.
pub const REGISTERS: u32 = 32;
