// Rotary position embedding of heads of 128 elements: elements i and i + 64 are rotated together. A token per CTA.
#include "common.cuh"
#include "half.cuh"

constexpr uint32_t THREADS = 128;

extern "C" __global__ void __launch_bounds__(THREADS)
    rotary_embedding(const uint32_t* __restrict__ positions, const __nv_bfloat16* __restrict__ cosines,
                     const __nv_bfloat16* __restrict__ sines, const __nv_bfloat16* __restrict__ input,
                     __nv_bfloat16* __restrict__ output, uint32_t tokens, uint32_t columns) {
    using Vector = Eight<__nv_bfloat162>;
    constexpr uint32_t VECTORS = 4;
    const uint32_t vectors = columns / 8, angles = threadIdx.x % 8;
    const bool is_second = threadIdx.x & 8;
    for (uint32_t token = blockIdx.x; token < tokens; token += gridDim.x) {
        const auto* from = reinterpret_cast<const Vector*>(input) + size_t(token) * vectors;
        auto* to = reinterpret_cast<Vector*>(output) + size_t(token) * vectors;
        Vector mine[VECTORS], other[VECTORS];
        const auto load = [&](uint32_t first) {
#pragma unroll
            for (uint32_t k = 0; k < VECTORS; ++k) {
                const uint32_t i = first + k * THREADS;
                if (i < vectors) {
                    mine[k] = read(from + i);
                    other[k] = read(from + (i ^ 8));
                }
            }
        };
        load(threadIdx.x);
        const size_t position = positions[token];
        const Vector of_cosines = read(reinterpret_cast<const Vector*>(cosines) + 8 * position + angles);
        const Vector of_sines = read(reinterpret_cast<const Vector*>(sines) + 8 * position + angles);
        float2 cosine[4], sine[4];
#pragma unroll
        for (uint32_t pair = 0; pair < 4; ++pair) {
            cosine[pair] = to_floats(of_cosines.pairs[pair]);
            sine[pair] = to_floats(is_second ? of_sines.pairs[pair] : __hneg2(of_sines.pairs[pair]));
        }
        for (uint32_t first = threadIdx.x; first < vectors; first += VECTORS * THREADS) {
#pragma unroll
            for (uint32_t k = 0; k < VECTORS; ++k) {
                const uint32_t i = first + k * THREADS;
                if (i < vectors) {
                    Vector rotated;
#pragma unroll
                    for (uint32_t pair = 0; pair < 4; ++pair) {
                        const float2 a = to_floats(mine[k].pairs[pair]), b = to_floats(other[k].pairs[pair]);
                        rotated.pairs[pair] =
                            to_pair<__nv_bfloat162>(fmaf(a.x, cosine[pair].x, b.x * sine[pair].x),
                                                    fmaf(a.y, cosine[pair].y, b.y * sine[pair].y));
                    }
                    write(to + i, rotated);
                }
            }
            load(first + VECTORS * THREADS);
        }
    }
}
