// Matrix-vector product with weights of four bits and a scale for each group of 128: four rows per warp.
#include "common.cuh"
#include "half.cuh"

// Returns two nibbles of a word as 1024 plus their value, in the fraction of an f16.
__device__ inline float2 nibbles(uint32_t word, uint32_t mask) {
    const uint32_t bits = (word & mask) | 0x64006400;
    __half2 pair;
    memcpy(&pair, &bits, sizeof(pair));
    return __half22float2(pair);
}

__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline void put(__half* to, float x) { *to = __float2half_rn(x); }
__device__ inline void put(__nv_bfloat16* to, float x) { *to = __float2bfloat16_rn(x); }

template <typename T, typename Pair>
__device__ inline void int4_matrix_vector(const uint32_t* __restrict__ weights, const T* __restrict__ scales,
                                          const T* __restrict__ x, T* y, uint32_t rows, uint32_t columns) {
    constexpr uint32_t ROWS = 4;
    const uint32_t lane = threadIdx.x % 32, vectors = columns / 32;
    const auto* xs = reinterpret_cast<const Eight<Pair>*>(x);
    for (size_t first = (size_t(blockIdx.x) * 8 + threadIdx.x / 32) * ROWS; first < rows; first += size_t(gridDim.x) * 8 * ROWS) {
        const uint4* of_row[ROWS];
        const T* scales_of_row[ROWS];
        float sums[ROWS] = {};
#pragma unroll
        for (uint32_t k = 0; k < ROWS; ++k) {
            const size_t row = min(first + k, size_t(rows) - 1);
            of_row[k] = reinterpret_cast<const uint4*>(weights + row * (columns / 8));
            scales_of_row[k] = scales + row * (columns / 128);
        }
        for (uint32_t v = lane; v < vectors; v += 32) {
            uint4 words[ROWS];
            float scale[ROWS], of_vector[ROWS] = {}, too_much = 0.0f;
#pragma unroll
            for (uint32_t k = 0; k < ROWS; ++k) {
                words[k] = of_row[k][v];
                scale[k] = to_float(scales_of_row[k][v / 4]);
            }
            Eight<Pair> of_x[4];
#pragma unroll
            for (uint32_t word = 0; word < 4; ++word) {
                of_x[word] = xs[4 * v + word];
            }
#pragma unroll
            for (uint32_t word = 0; word < 4; ++word) {
                float2 pairs[4];
#pragma unroll
                for (uint32_t pair = 0; pair < 4; ++pair) {
                    pairs[pair] = to_floats(of_x[word].pairs[pair]);
                    if (pair % 2) {
                        pairs[pair].x *= 1.0f / 16;
                        pairs[pair].y *= 1.0f / 16;
                    }
                    too_much = fmaf(pairs[pair].x, pair % 2 ? 1152.0f : 1032.0f, too_much);
                    too_much = fmaf(pairs[pair].y, pair % 2 ? 1152.0f : 1032.0f, too_much);
                }
#pragma unroll
                for (uint32_t k = 0; k < ROWS; ++k) {
                    const uint32_t of_words[4] = {words[k].x, words[k].y, words[k].z, words[k].w};
#pragma unroll
                    for (uint32_t pair = 0; pair < 4; ++pair) {
                        const float2 w = nibbles(of_words[word] >> (8 * (pair / 2)), pair % 2 ? 0x00f000f0 : 0x000f000f);
                        of_vector[k] = fmaf(w.x, pairs[pair].x, of_vector[k]);
                        of_vector[k] = fmaf(w.y, pairs[pair].y, of_vector[k]);
                    }
                }
            }
#pragma unroll
            for (uint32_t k = 0; k < ROWS; ++k) {
                sums[k] = fmaf(scale[k], of_vector[k] - too_much, sums[k]);
            }
        }
#pragma unroll
        for (uint32_t k = 0; k < ROWS; ++k) {
            float sum = sums[k];
#pragma unroll
            for (uint32_t delta = 16; delta > 0; delta /= 2) {
                sum += __shfl_xor_sync(0xffffffff, sum, delta);
            }
            if (lane == 0 && first + k < rows) {
                put(&y[first + k], sum);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 2)
    int4_matrix_vector_f16(const uint32_t* __restrict__ weights, const __half* __restrict__ scales,
                           const __half* __restrict__ x, __half* y, uint32_t rows, uint32_t columns) {
    int4_matrix_vector<__half, __half2>(weights, scales, x, y, rows, columns);
}

extern "C" __global__ void __launch_bounds__(256, 2)
    int4_matrix_vector_bf16(const uint32_t* __restrict__ weights, const __nv_bfloat16* __restrict__ scales,
                            const __nv_bfloat16* __restrict__ x, __nv_bfloat16* y, uint32_t rows, uint32_t columns) {
    int4_matrix_vector<__nv_bfloat16, __nv_bfloat162>(weights, scales, x, y, rows, columns);
}
