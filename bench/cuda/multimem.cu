// All-reduce over the GPUs of a multicast object (NVLink SHARP): the switch adds, and each element is stored once, to all GPUs.
#include <cuda/atomic>

#include <cstdint>

// `cuda::ptx` lacks this instruction for `f32`.
__device__ inline float4 load_sum(const float4* at) {
    float4 v;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(at)
                 : "memory");
    return v;
}

__device__ inline void store_all(float4* at, float4 v) {
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(v.x), "f"(v.y),
                 "f"(v.z), "f"(v.w)
                 : "memory");
}

__device__ inline float load_sum(const float* at) {
    float v;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(v) : "l"(at) : "memory");
    return v;
}

__device__ inline void store_all(float* at, float v) {
    asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(at), "f"(v) : "memory");
}

// Waits until the CTAs of this rank have made `until` calls. Earlier writes of their threads are then visible.
__device__ inline void meet(uint32_t* arrived, uint32_t* arrived_here, uint32_t until) {
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("multimem.red.release.sys.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
        // A proxy fence: the loop reads the same counter at another address.
        asm volatile("fence.proxy.alias;" ::: "memory");
        cuda::atomic_ref<uint32_t, cuda::thread_scope_system> here(*arrived_here);
        while (here.load(cuda::memory_order_acquire) < until) {
        }
    }
    __syncthreads();
}

extern "C" __global__ void multimem_all_reduce(float* values, uint32_t* arrived, uint32_t* arrived_here, uint32_t n,
                                               uint32_t gpu, uint32_t gpus) {
    meet(arrived + blockIdx.x, arrived_here + blockIdx.x, gpus);
    float4* vectors = reinterpret_cast<float4*>(values);
    const uint32_t first = (gpu * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    const uint32_t step = gpus * gridDim.x * blockDim.x;
    for (uint32_t v = first; v < n / 4; v += step) {
        store_all(vectors + v, load_sum(vectors + v));
    }
    for (uint32_t i = n / 4 * 4 + first; i < n; i += step) {
        store_all(values + i, load_sum(values + i));
    }
    meet(arrived + blockIdx.x, arrived_here + blockIdx.x, 2 * gpus);
}
