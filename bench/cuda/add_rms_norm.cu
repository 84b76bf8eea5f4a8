// Residual addition and root-mean-square norm in half precision: a row per CTA, which stays in registers.
#include "common.cuh"
#include "half.cuh"

// Sums the values of the CTA's 256 threads, and returns the sum to all of them.
__device__ inline float sum_of_cta(float value, float* of_warps) {
#pragma unroll
    for (uint32_t delta = 16; delta > 0; delta /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, delta);
    }
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = of_warps[threadIdx.x % 8];
#pragma unroll
    for (uint32_t delta = 4; delta > 0; delta /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, delta);
    }
    return value;
}

template <typename Pair>
__device__ inline void add_rms_norm(const void* x, void* residual, const void* weights, void* output, uint32_t rows,
                                    uint32_t columns, float epsilon) {
    constexpr uint32_t VECTORS = 8, LOADS = 4;
    __shared__ float of_warps[2][8];
    const uint32_t vectors = columns / 8;
    uint32_t half = 0;
    for (uint32_t r = blockIdx.x; r < rows; r += gridDim.x, half ^= 1) {
        const auto* from = static_cast<const Eight<Pair>*>(x) + size_t(r) * vectors;
        auto* sums = static_cast<Eight<Pair>*>(residual) + size_t(r) * vectors;
        auto* to = static_cast<Eight<Pair>*>(output) + size_t(r) * vectors;
        Eight<Pair> row[VECTORS];
        float squares = 0.0f;
#pragma unroll
        for (uint32_t first = 0; first < VECTORS; first += LOADS) {
            Eight<Pair> loaded[LOADS];
#pragma unroll
            for (uint32_t k = 0; k < LOADS; ++k) {
                const uint32_t i = threadIdx.x + (first + k) * 256;
                if (i < vectors) {
                    loaded[k] = from[i];
                    row[first + k] = sums[i];
                }
            }
#pragma unroll
            for (uint32_t k = 0; k < LOADS; ++k) {
                const uint32_t i = threadIdx.x + (first + k) * 256;
                if (i < vectors) {
#pragma unroll
                    for (uint32_t pair = 0; pair < 4; ++pair) {
                        const Pair sum = __hadd2(loaded[k].pairs[pair], row[first + k].pairs[pair]);
                        const float2 wide = to_floats(sum);
                        squares = fmaf(wide.x, wide.x, squares);
                        squares = fmaf(wide.y, wide.y, squares);
                        row[first + k].pairs[pair] = sum;
                    }
                    sums[i] = row[first + k];
                }
            }
        }
        const float scale = rsqrtf(sum_of_cta(squares, of_warps[half]) / columns + epsilon);
#pragma unroll
        for (uint32_t k = 0; k < VECTORS; ++k) {
            const uint32_t i = threadIdx.x + k * 256;
            if (i < vectors) {
                const Eight<Pair> weight = static_cast<const Eight<Pair>*>(weights)[i];
                Eight<Pair> scaled;
#pragma unroll
                for (uint32_t pair = 0; pair < 4; ++pair) {
                    const float2 a = to_floats(row[k].pairs[pair]), b = to_floats(weight.pairs[pair]);
                    scaled.pairs[pair] = to_pair<Pair>(a.x * scale * b.x, a.y * scale * b.y);
                }
                to[i] = scaled;
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
    add_rms_norm_f16(const __half* __restrict__ x, __half* residual, const __half* __restrict__ weights, __half* output,
                     uint32_t rows, uint32_t columns, float epsilon) {
    add_rms_norm<__half2>(x, residual, weights, output, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(256)
    add_rms_norm_bf16(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* residual,
                      const __nv_bfloat16* __restrict__ weights, __nv_bfloat16* output, uint32_t rows, uint32_t columns,
                      float epsilon) {
    add_rms_norm<__nv_bfloat162>(x, residual, weights, output, rows, columns, epsilon);
}
