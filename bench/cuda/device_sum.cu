// The sum of a slice in one grid: the last CTA adds up the sums of all CTAs.
#include "common.cuh"

// Sums the values of all threads; thread 0 has the result.
__device__ inline float sum_of_block(float value, float* of_warps) {
    for (uint32_t delta = 16; delta > 0; delta /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, delta);
    }
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = of_warps[threadIdx.x % 8];
    for (uint32_t delta = 4; delta > 0; delta /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, delta);
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(256)
    device_sum(const float* __restrict__ input, float* partials, uint32_t* count, float* output, size_t n) {
    constexpr uint32_t LOADS = 8;
    __shared__ float of_warps[2][8];
    __shared__ bool is_last;
    const float4* vectors = reinterpret_cast<const float4*>(input);
    float4 sums = {0.0f, 0.0f, 0.0f, 0.0f};
    const auto add = [&](float4 v) {
        sums.x += v.x;
        sums.y += v.y;
        sums.z += v.z;
        sums.w += v.w;
    };
    size_t i = size_t(blockIdx.x) * LOADS * 256 + threadIdx.x;
    for (; i + (LOADS - 1) * 256 < n / 4; i += size_t(gridDim.x) * LOADS * 256) {
        float4 loaded[LOADS];
#pragma unroll
        for (uint32_t k = 0; k < LOADS; ++k) {
            loaded[k] = vectors[i + k * 256];
        }
#pragma unroll
        for (uint32_t k = 0; k < LOADS; ++k) {
            add(loaded[k]);
        }
    }
    for (; i < n / 4; i += 256) {
        add(vectors[i]);
    }
    float sum = (sums.x + sums.y) + (sums.z + sums.w);
    if (blockIdx.x == 0 && n / 4 * 4 + threadIdx.x < n) {
        sum += input[n / 4 * 4 + threadIdx.x];
    }

    sum = sum_of_block(sum, of_warps[0]);
    if (threadIdx.x == 0) {
        __stcg(&partials[blockIdx.x], sum);
        __threadfence();
        is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) {
        sum = 0.0f;
        for (uint32_t other = threadIdx.x; other < gridDim.x; other += 256) {
            sum += __ldcg(&partials[other]);
        }
        sum = sum_of_block(sum, of_warps[1]);
        if (threadIdx.x == 0) {
            output[0] = sum;
        }
    }
}
