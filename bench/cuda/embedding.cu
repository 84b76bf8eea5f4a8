// Rows of a table by their indices: the embedding of tokens, and its gradient.
#include "common.cuh"
#include "half.cuh"

extern "C" __global__ void __launch_bounds__(128)
    embedding_gather(const uint32_t* __restrict__ tokens, const __nv_bfloat16* __restrict__ table,
                     __nv_bfloat16* __restrict__ output, uint32_t rows, uint32_t columns) {
    constexpr uint32_t LOADS = 4;
    const uint32_t vectors = columns / 8;
    for (uint32_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const uint4* from = reinterpret_cast<const uint4*>(table) + size_t(tokens[row]) * vectors;
        uint4* to = reinterpret_cast<uint4*>(output) + size_t(row) * vectors;
        for (uint32_t first = threadIdx.x; first < vectors; first += LOADS * 128) {
            uint4 loaded[LOADS];
#pragma unroll
            for (uint32_t k = 0; k < LOADS; ++k) {
                if (first + k * 128 < vectors) {
                    loaded[k] = from[first + k * 128];
                }
            }
#pragma unroll
            for (uint32_t k = 0; k < LOADS; ++k) {
                if (first + k * 128 < vectors) {
                    to[first + k * 128] = loaded[k];
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(128)
    embedding_scatter_add(const uint32_t* __restrict__ tokens, const __nv_bfloat16* __restrict__ gradients,
                          __nv_bfloat16* table, uint32_t rows, uint32_t columns) {
    constexpr uint32_t LOADS = 4;
    const uint32_t vectors = columns / 8;
    for (uint32_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const auto* from = reinterpret_cast<const Eight<__nv_bfloat162>*>(gradients) + size_t(row) * vectors;
        auto* to = reinterpret_cast<Eight<__nv_bfloat162>*>(table) + size_t(tokens[row]) * vectors;
        for (uint32_t first = threadIdx.x; first < vectors; first += LOADS * 128) {
            Eight<__nv_bfloat162> loaded[LOADS];
#pragma unroll
            for (uint32_t k = 0; k < LOADS; ++k) {
                if (first + k * 128 < vectors) {
                    loaded[k] = from[first + k * 128];
                }
            }
#pragma unroll
            for (uint32_t k = 0; k < LOADS; ++k) {
                if (first + k * 128 < vectors) {
#pragma unroll
                    for (uint32_t pair = 0; pair < 4; ++pair) {
                        atomicAdd(&to[first + k * 128].pairs[pair], loaded[k].pairs[pair]);
                    }
                }
            }
        }
    }
}
