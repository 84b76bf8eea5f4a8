// The gradients of a layer norm, of its input, weights and bias. Two rows per CTA at a time, by tickets; the sums of columns stay in
// registers.
#include "common.cuh"
#include "half.cuh"

constexpr uint32_t THREADS = 512, ROWS = 2;

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    layer_norm_backward(const __nv_bfloat16* __restrict__ dy, const __nv_bfloat16* __restrict__ x,
                        const float* __restrict__ means, const float* __restrict__ scales,
                        const __nv_bfloat16* __restrict__ weights, __nv_bfloat16* __restrict__ dx, float* dweights,
                        float* dbias, uint64_t* tickets, uint32_t rows, uint32_t columns) {
    using Vector = Eight<__nv_bfloat162>;
    __shared__ float4 sums_of_columns[2][2 * THREADS];
    __shared__ float2 of_warps[2][ROWS][THREADS / 32];
    __shared__ uint64_t drawn[2];
    const uint32_t vectors = columns / 8, own = threadIdx.x, groups = (rows + ROWS - 1) / ROWS;
    Vector next_dy[ROWS], next_x[ROWS];
    float next_mean[ROWS], next_scale[ROWS];
    const auto load = [&](uint64_t group) {
#pragma unroll
        for (uint32_t r = 0; r < ROWS; ++r) {
            const uint64_t row = group * ROWS + r;
            next_dy[r] = next_x[r] = {};
            next_mean[r] = next_scale[r] = 0.0f;
            if (row < rows) {
                if (own < vectors) {
                    next_dy[r] = read(reinterpret_cast<const Vector*>(dy + row * columns) + own);
                    next_x[r] = read(reinterpret_cast<const Vector*>(x + row * columns) + own);
                }
                next_mean[r] = means[row];
                next_scale[r] = scales[row];
            }
        }
    };
    // The first two rounds need no ticket.
    const auto draw = [&] { return 2 * gridDim.x + atomicAdd(reinterpret_cast<unsigned long long*>(tickets), 1); };
    uint64_t group = blockIdx.x, next = group + gridDim.x, ticket = 0;
    load(group);
    if (threadIdx.x == 0) {
        ticket = draw();
    }
    Vector of_weights = {};
    if (own < vectors) {
        of_weights = read(reinterpret_cast<const Vector*>(weights) + own);
    }
    float2 weight[4], dweight[4] = {}, bias[4] = {};
#pragma unroll
    for (uint32_t pair = 0; pair < 4; ++pair) {
        weight[pair] = to_floats(of_weights.pairs[pair]);
    }
    for (uint32_t half = 0; group < groups; half ^= 1) {
        Vector of_dy[ROWS], of_x[ROWS];
        float mean[ROWS], scale[ROWS], sum[ROWS] = {}, product[ROWS] = {};
        float2 gradient[ROWS][4], normalized[ROWS][4];
#pragma unroll
        for (uint32_t r = 0; r < ROWS; ++r) {
            of_dy[r] = next_dy[r];
            of_x[r] = next_x[r];
            mean[r] = next_mean[r];
            scale[r] = next_scale[r];
        }
        load(next);
#pragma unroll
        for (uint32_t r = 0; r < ROWS; ++r) {
            const float shift = -mean[r] * scale[r];
#pragma unroll
            for (uint32_t pair = 0; pair < 4; ++pair) {
                const float2 d = to_floats(of_dy[r].pairs[pair]), v = to_floats(of_x[r].pairs[pair]);
                float2 &g = gradient[r][pair], &n = normalized[r][pair];
                n = {fmaf(v.x, scale[r], shift), fmaf(v.y, scale[r], shift)};
                g = {d.x * weight[pair].x, d.y * weight[pair].y};
                sum[r] += g.x;
                sum[r] += g.y;
                product[r] = fmaf(g.x, n.x, product[r]);
                product[r] = fmaf(g.y, n.y, product[r]);
                dweight[pair] = {fmaf(d.x, n.x, dweight[pair].x), fmaf(d.y, n.y, dweight[pair].y)};
                bias[pair] = {bias[pair].x + d.x, bias[pair].y + d.y};
            }
        }
#pragma unroll
        for (uint32_t delta = 16; delta > 0; delta /= 2) {
#pragma unroll
            for (uint32_t r = 0; r < ROWS; ++r) {
                sum[r] += __shfl_xor_sync(0xffffffff, sum[r], delta);
                product[r] += __shfl_xor_sync(0xffffffff, product[r], delta);
            }
        }
        if (threadIdx.x % 32 == 0) {
#pragma unroll
            for (uint32_t r = 0; r < ROWS; ++r) {
                of_warps[half][r][threadIdx.x / 32] = {sum[r], product[r]};
            }
        }
        if (threadIdx.x == 0) {
            drawn[half] = ticket;
        }
        __syncthreads();
        // A barrier would wait for it.
        if (threadIdx.x == 0) {
            ticket = draw();
        }
        const uint64_t after = drawn[half];
#pragma unroll
        for (uint32_t r = 0; r < ROWS; ++r) {
            const float2 of_warp = of_warps[half][r][threadIdx.x % 16];
            sum[r] = of_warp.x;
            product[r] = of_warp.y;
        }
#pragma unroll
        for (uint32_t delta = 8; delta > 0; delta /= 2) {
#pragma unroll
            for (uint32_t r = 0; r < ROWS; ++r) {
                sum[r] += __shfl_xor_sync(0xffffffff, sum[r], delta);
                product[r] += __shfl_xor_sync(0xffffffff, product[r], delta);
            }
        }
#pragma unroll
        for (uint32_t r = 0; r < ROWS; ++r) {
            const uint64_t row = group * ROWS + r;
            const float factor = -scale[r] * (1.0f / columns), of_product = product[r] * factor, of_sum = sum[r] * factor;
            if (row < rows && own < vectors) {
                Vector to;
#pragma unroll
                for (uint32_t pair = 0; pair < 4; ++pair) {
                    const float2 g = gradient[r][pair], n = normalized[r][pair];
                    to.pairs[pair] = to_pair<__nv_bfloat162>(fmaf(g.x, scale[r], fmaf(n.x, of_product, of_sum)),
                                                             fmaf(g.y, scale[r], fmaf(n.y, of_product, of_sum)));
                }
                write(reinterpret_cast<Vector*>(dx + row * columns) + own, to);
            }
        }
        group = next;
        next = after;
    }
    // A warp adds to adjacent vectors.
#pragma unroll
    for (uint32_t h = 0; h < 2; ++h) {
        const float2 *w = dweight + 2 * h, *b = bias + 2 * h;
        sums_of_columns[0][2 * own + h] = make_float4(w[0].x, w[0].y, w[1].x, w[1].y);
        sums_of_columns[1][2 * own + h] = make_float4(b[0].x, b[0].y, b[1].x, b[1].y);
    }
    __syncthreads();
#pragma unroll
    for (uint32_t h = 0; h < 2; ++h) {
        const uint32_t i = own + h * THREADS;
        if (i < columns / 4) {
            atomicAdd(reinterpret_cast<float4*>(dweights) + i, sums_of_columns[0][i]);
            atomicAdd(reinterpret_cast<float4*>(dbias) + i, sums_of_columns[1][i]);
        }
    }
}
