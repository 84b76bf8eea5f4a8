// Column sums: each CTA adds up its rows in registers, then adds its sums to global memory by one bulk reduction.
#include "common.cuh"

constexpr uint32_t COLUMNS = 512;
constexpr uint32_t BYTES = COLUMNS * sizeof(uint32_t);

extern "C" __global__ void bulk_reduce_columns(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ alignas(128) uint4 sums[COLUMNS / 4];
    const uint4* vectors = reinterpret_cast<const uint4*>(input);
    const uint32_t step = gridDim.x * blockDim.x;
    uint4 sum = {};
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += step) {
        const uint4 words = vectors[i];
        sum.x += words.x;
        sum.y += words.y;
        sum.z += words.z;
        sum.w += words.w;
    }
    sums[threadIdx.x] = sum;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, output,
                                  reinterpret_cast<const uint32_t*>(sums), BYTES);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}
