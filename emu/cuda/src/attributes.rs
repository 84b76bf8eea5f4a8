//! The attributes of the device and its kernels.

use cudarc::driver::sys::CUdevice_attribute_enum as device;
use cudarc::driver::sys::CUfunction_attribute_enum as function;
use cudarc::driver::sys::CUresult::*;

use crate::boundary::{Result, fail};
use crate::driver::{Driver, Function, Handle};
use ptx_emu::limits::*;

pub const NAME: &str = "ptx-emu (emulated H200)";
pub const CAPABILITY: (i32, i32) = (9, 0);
pub const REGISTERS_PER_MULTIPROCESSOR: i32 = 65536;

/// Returns an attribute of the device. Attributes that are not listed are 0: no, or none.
pub fn of_device(attribute: u32) -> Result<i32> {
    use device::*;
    const VALUES: &[(device, i32)] = &[
        (CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, THREADS_PER_BLOCK as i32),
        (CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024),
        (CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024),
        (CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64),
        (CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, i32::MAX),
        (CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535),
        (CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535),
        (CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, SHARED_WITHOUT_OPT_IN as i32),
        (CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536),
        (CU_DEVICE_ATTRIBUTE_WARP_SIZE, WARP as i32),
        (CU_DEVICE_ATTRIBUTE_MAX_PITCH, i32::MAX),
        (CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, REGISTERS_PER_MULTIPROCESSOR),
        (CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1_980_000),
        (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512),
        (CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1),
        (CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, MULTIPROCESSORS as i32),
        (CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512),
        (CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1),
        (CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1),
        (CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3_201_000),
        (CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144),
        (CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 60 << 20),
        (CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, THREADS_PER_MULTIPROCESSOR as i32),
        (CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3),
        (CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1),
        (CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CAPABILITY.0),
        (CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, CAPABILITY.1),
        (CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1),
        (CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1),
        (CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1),
        (CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, SHARED_PER_MULTIPROCESSOR as i32),
        (CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, REGISTERS_PER_MULTIPROCESSOR),
        (CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2),
        (CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1),
        (CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, SHARED_PER_BLOCK as i32),
        (CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1),
        (CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, BLOCKS_PER_MULTIPROCESSOR as i32),
        (CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, RESERVED_SHARED as i32),
        (CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1),
        (CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1),
        (CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, 4),
        (CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 1),
        (CU_DEVICE_ATTRIBUTE_NUMA_ID, -1),
        (CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, -1),
    ];
    // A newer program may ask for attributes after those that are known here.
    if attribute == 0 || attribute > 2 * CU_DEVICE_ATTRIBUTE_MAX as u32 {
        return Err(CUDA_ERROR_INVALID_VALUE.into());
    }
    Ok(VALUES.iter().find(|(known, _)| *known as u32 == attribute).map_or(0, |(_, value)| *value))
}

impl Driver {
    /// Returns an attribute of a kernel.
    pub fn function_attribute(&self, handle: Handle, attribute: u32) -> Result<i32> {
        use function::*;
        let of = self.functions.get(handle)?;
        let module = self.modules.get(of.module)?;
        let required = of.attributes.required_cluster.unwrap_or_default();
        let values = [
            (CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, of.max_threads() as i32),
            (CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, of.attributes.static_shared as i32),
            (CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 0),
            (CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, of.attributes.local as i32),
            (
                CU_FUNC_ATTRIBUTE_NUM_REGS,
                module.max_registers.map_or(REGISTERS, |most| most.min(REGISTERS)) as i32,
            ),
            (CU_FUNC_ATTRIBUTE_PTX_VERSION, 10 * CAPABILITY.0 + CAPABILITY.1),
            (CU_FUNC_ATTRIBUTE_BINARY_VERSION, 10 * CAPABILITY.0 + CAPABILITY.1),
            (CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 0),
            (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, of.max_dynamic_shared as i32),
            (CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, of.carveout),
            (
                CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
                (of.attributes.explicit_cluster && of.attributes.required_cluster.is_none()).into(),
            ),
            (CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, required[0] as i32),
            (CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, required[1] as i32),
            (CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, required[2] as i32),
            (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, of.large_clusters.into()),
            (CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 0),
        ];
        let found = values.iter().find(|(known, _)| *known as u32 == attribute);
        found.map(|(_, value)| *value).ok_or_else(|| CUDA_ERROR_INVALID_VALUE.into())
    }

    /// Sets an attribute of a kernel.
    pub fn set_function_attribute(&mut self, handle: Handle, attribute: u32, value: i32) -> Result {
        use function::*;
        let of: &mut Function = self.functions.get_mut(handle)?;
        let is = |known: function| attribute == known as u32;
        if is(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
            let most = SHARED_PER_BLOCK.saturating_sub(of.attributes.static_shared);
            of.max_dynamic_shared = match u32::try_from(value) {
                Ok(bytes) if bytes <= most => bytes,
                _ => {
                    return fail(
                        CUDA_ERROR_INVALID_VALUE,
                        format!("{value} bytes of shared memory; {most} are left"),
                    );
                }
            };
        } else if is(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
            of.carveout = value;
        } else if is(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
            of.large_clusters = value != 0;
        } else if !is(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE) {
            return fail(
                CUDA_ERROR_INVALID_VALUE,
                format!("attribute {attribute} of a kernel cannot be set here"),
            );
        }
        Ok(())
    }
}
