// The gradients of a layer norm, of its input, weights and bias. A row per CTA at a time; the sums of columns stay in registers.
#include "common.cuh"
#include "half.cuh"

extern "C" __global__ void __launch_bounds__(512, 2)
    layer_norm_backward(const __nv_bfloat16* __restrict__ dy, const __nv_bfloat16* __restrict__ x,
                        const float* __restrict__ means, const float* __restrict__ scales,
                        const __nv_bfloat16* __restrict__ weights, __nv_bfloat16* __restrict__ dx, float* dweights,
                        float* dbias, uint32_t rows, uint32_t columns) {
    using Vector = Eight<__nv_bfloat162>;
    constexpr uint32_t VECTORS = 1;
    __shared__ float2 of_warps[2][16];
    const uint32_t vectors = columns / 8;
    const auto load = [&](Vector (&loaded)[VECTORS], const __nv_bfloat16* from) {
#pragma unroll
        for (uint32_t k = 0; k < VECTORS; ++k) {
            const uint32_t i = threadIdx.x + k * 512;
            loaded[k] = {};
            if (i < vectors) {
                loaded[k] = reinterpret_cast<const Vector*>(from)[i];
            }
        }
    };
    Vector weight[VECTORS], next_dy[VECTORS], next_x[VECTORS];
    float of_weights[VECTORS][8] = {}, of_bias[VECTORS][8] = {};
    load(weight, weights);
    if (blockIdx.x < rows) {
        load(next_dy, dy + size_t(blockIdx.x) * columns);
        load(next_x, x + size_t(blockIdx.x) * columns);
    }
    uint32_t half = 0;
    for (uint32_t row = blockIdx.x; row < rows; row += gridDim.x, half ^= 1) {
        const float mean = means[row], scale = scales[row], shift = -mean * scale;
        Vector of_dy[VECTORS], of_x[VECTORS];
#pragma unroll
        for (uint32_t k = 0; k < VECTORS; ++k) {
            of_dy[k] = next_dy[k];
            of_x[k] = next_x[k];
        }
        if (row + gridDim.x < rows) {
            load(next_dy, dy + size_t(row + gridDim.x) * columns);
            load(next_x, x + size_t(row + gridDim.x) * columns);
        }
        float sum = 0.0f, product = 0.0f;
#pragma unroll
        for (uint32_t k = 0; k < VECTORS; ++k) {
#pragma unroll
            for (uint32_t pair = 0; pair < 4; ++pair) {
                const float2 d = to_floats(of_dy[k].pairs[pair]), v = to_floats(of_x[k].pairs[pair]);
                const float2 w = to_floats(weight[k].pairs[pair]);
                const float2 normalized = {fmaf(v.x, scale, shift), fmaf(v.y, scale, shift)};
                sum += d.x * w.x;
                sum += d.y * w.y;
                product = fmaf(d.x * w.x, normalized.x, product);
                product = fmaf(d.y * w.y, normalized.y, product);
                of_weights[k][2 * pair] = fmaf(d.x, normalized.x, of_weights[k][2 * pair]);
                of_weights[k][2 * pair + 1] = fmaf(d.y, normalized.y, of_weights[k][2 * pair + 1]);
                of_bias[k][2 * pair] += d.x;
                of_bias[k][2 * pair + 1] += d.y;
            }
        }
#pragma unroll
        for (uint32_t delta = 16; delta > 0; delta /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, delta);
            product += __shfl_xor_sync(0xffffffff, product, delta);
        }
        if (threadIdx.x % 32 == 0) {
            of_warps[half][threadIdx.x / 32] = {sum, product};
        }
        __syncthreads();
        const float2 of_warp = of_warps[half][threadIdx.x % 16];
        sum = of_warp.x;
        product = of_warp.y;
#pragma unroll
        for (uint32_t delta = 8; delta > 0; delta /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, delta);
            product += __shfl_xor_sync(0xffffffff, product, delta);
        }
        sum *= 1.0f / columns;
        product *= 1.0f / columns;
#pragma unroll
        for (uint32_t k = 0; k < VECTORS; ++k) {
            const uint32_t i = threadIdx.x + k * 512;
            if (i < vectors) {
                Vector to;
#pragma unroll
                for (uint32_t pair = 0; pair < 4; ++pair) {
                    const float2 d = to_floats(of_dy[k].pairs[pair]), v = to_floats(of_x[k].pairs[pair]);
                    const float2 w = to_floats(weight[k].pairs[pair]);
                    to.pairs[pair] = to_pair<__nv_bfloat162>(
                        scale * (d.x * w.x - fmaf(fmaf(v.x, scale, shift), product, sum)),
                        scale * (d.y * w.y - fmaf(fmaf(v.y, scale, shift), product, sum)));
                }
                reinterpret_cast<Vector*>(dx + size_t(row) * columns)[i] = to;
            }
        }
    }
#pragma unroll
    for (uint32_t k = 0; k < VECTORS; ++k) {
        const uint32_t i = threadIdx.x + k * 512;
        if (i < vectors) {
#pragma unroll
            for (uint32_t h = 0; h < 2; ++h) {
                const float* w = of_weights[k] + 4 * h;
                const float* b = of_bias[k] + 4 * h;
                atomicAdd(reinterpret_cast<float4*>(dweights) + 2 * i + h, make_float4(w[0], w[1], w[2], w[3]));
                atomicAdd(reinterpret_cast<float4*>(dbias) + 2 * i + h, make_float4(b[0], b[1], b[2], b[3]));
            }
        }
    }
}
