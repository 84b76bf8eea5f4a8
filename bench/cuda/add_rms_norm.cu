// Residual addition and root-mean-square norm in half precision: a short row per warp, a long one per CTA, which stays in registers.
#include "common.cuh"
#include "half.cuh"

// Sums the values of `width` neighboring lanes, and returns the sum to all of them.
template <uint32_t width>
__device__ inline float sum_of_lanes(float value) {
#pragma unroll
    for (uint32_t delta = width / 2; delta > 0; delta /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, delta);
    }
    return value;
}

// Sums the values of the CTA's threads, and returns the sum to all of them.
template <uint32_t THREADS>
__device__ inline float sum_of_cta(float value, float* of_warps) {
    value = sum_of_lanes<32>(value);
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    return sum_of_lanes<THREADS / 32>(of_warps[threadIdx.x % (THREADS / 32)]);
}

// Adds row `r` of x to the residual, and norms it into the output, by `threads` threads, whose values `sum` adds up.
template <uint32_t threads, uint32_t VECTORS, typename Pair, typename Sum>
__device__ inline void add_and_norm(const void* x, void* residual, const void* weights, void* output, uint32_t r,
                                    uint32_t columns, float epsilon, Sum sum) {
    const uint32_t vectors = columns / 8, thread = threadIdx.x % threads;
    const auto* from = static_cast<const Eight<Pair>*>(x) + size_t(r) * vectors;
    auto* sums = static_cast<Eight<Pair>*>(residual) + size_t(r) * vectors;
    auto* to = static_cast<Eight<Pair>*>(output) + size_t(r) * vectors;
    Eight<Pair> row[VECTORS] = {}, loaded[VECTORS] = {};
    float squares = 0.0f;
#pragma unroll
    for (uint32_t k = 0; k < VECTORS; ++k) {
        const uint32_t i = thread + k * threads;
        if (i < vectors) {
            loaded[k] = from[i];
            row[k] = sums[i];
        }
    }
#pragma unroll
    for (uint32_t k = 0; k < VECTORS; ++k) {
        if (thread + k * threads < vectors) {
#pragma unroll
            for (uint32_t pair = 0; pair < 4; ++pair) {
                const Pair added = __hadd2(loaded[k].pairs[pair], row[k].pairs[pair]);
                const float2 wide = to_floats(added);
                squares = fmaf(wide.x, wide.x, squares);
                squares = fmaf(wide.y, wide.y, squares);
                row[k].pairs[pair] = added;
            }
        }
    }
    const float scale = rsqrtf(sum(squares) / columns + epsilon);
#pragma unroll
    for (uint32_t k = 0; k < VECTORS; ++k) {
        const uint32_t i = thread + k * threads;
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
#pragma unroll
    for (uint32_t k = 0; k < VECTORS; ++k) {
        const uint32_t i = thread + k * threads;
        if (i < vectors) {
            sums[i] = row[k];
        }
    }
}

template <typename Pair, uint32_t THREADS, uint32_t VECTORS>
__device__ inline void add_rms_norm(const void* x, void* residual, const void* weights, void* output, uint32_t rows,
                                    uint32_t columns, float epsilon) {
    __shared__ float of_warps[2][THREADS / 32];
    if (columns <= 32 * 8 * VECTORS) {
        constexpr uint32_t WARPS = THREADS / 32;
        for (uint32_t r = blockIdx.x * WARPS + threadIdx.x / 32; r < rows; r += gridDim.x * WARPS) {
            add_and_norm<32, VECTORS, Pair>(x, residual, weights, output, r, columns, epsilon, sum_of_lanes<32>);
        }
    } else {
        uint32_t half = 0;
        for (uint32_t r = blockIdx.x; r < rows; r += gridDim.x, half ^= 1) {
            const auto sum = [&](float value) { return sum_of_cta<THREADS>(value, of_warps[half]); };
            add_and_norm<THREADS, VECTORS, Pair>(x, residual, weights, output, r, columns, epsilon, sum);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 8)
    add_rms_norm_f16_128_4(const __half* __restrict__ x, __half* residual, const __half* __restrict__ weights,
                           __half* output, uint32_t rows, uint32_t columns, float epsilon) {
    add_rms_norm<__half2, 128, 4>(x, residual, weights, output, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(256, 4)
    add_rms_norm_f16_256_2(const __half* __restrict__ x, __half* residual, const __half* __restrict__ weights,
                           __half* output, uint32_t rows, uint32_t columns, float epsilon) {
    add_rms_norm<__half2, 256, 2>(x, residual, weights, output, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(512, 2)
    add_rms_norm_f16_512_2(const __half* __restrict__ x, __half* residual, const __half* __restrict__ weights,
                           __half* output, uint32_t rows, uint32_t columns, float epsilon) {
    add_rms_norm<__half2, 512, 2>(x, residual, weights, output, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(512, 2)
    add_rms_norm_f16_512_4(const __half* __restrict__ x, __half* residual, const __half* __restrict__ weights,
                           __half* output, uint32_t rows, uint32_t columns, float epsilon) {
    add_rms_norm<__half2, 512, 4>(x, residual, weights, output, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(128, 8)
    add_rms_norm_bf16_128_4(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* residual, const __nv_bfloat16* __restrict__ weights,
                           __nv_bfloat16* output, uint32_t rows, uint32_t columns, float epsilon) {
    add_rms_norm<__nv_bfloat162, 128, 4>(x, residual, weights, output, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(256, 4)
    add_rms_norm_bf16_256_2(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* residual, const __nv_bfloat16* __restrict__ weights,
                           __nv_bfloat16* output, uint32_t rows, uint32_t columns, float epsilon) {
    add_rms_norm<__nv_bfloat162, 256, 2>(x, residual, weights, output, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(512, 2)
    add_rms_norm_bf16_512_2(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* residual, const __nv_bfloat16* __restrict__ weights,
                           __nv_bfloat16* output, uint32_t rows, uint32_t columns, float epsilon) {
    add_rms_norm<__nv_bfloat162, 512, 2>(x, residual, weights, output, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(512, 2)
    add_rms_norm_bf16_512_4(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* residual, const __nv_bfloat16* __restrict__ weights,
                           __nv_bfloat16* output, uint32_t rows, uint32_t columns, float epsilon) {
    add_rms_norm<__nv_bfloat162, 512, 4>(x, residual, weights, output, rows, columns, epsilon);
}
