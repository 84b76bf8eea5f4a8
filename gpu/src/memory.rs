//! Device memory.

use ptx_host::cudarc::driver::DevicePtr;

/// Returns the address of device memory, for a launch that takes a `u64`. All work is on one stream, so the memory is freed after
/// the launch if it lives when the launch is put on the stream.
pub fn address<T>(memory: &impl DevicePtr<T>) -> u64 {
    memory.device_ptr(memory.stream()).0
}
