// Plain kernels of library quality, by vector loads and stores: the yardstick for the kernels that show an instruction.
#include "common.cuh"

// y ← a·x + y by 16-byte vectors. `x` and `y` are 16-byte aligned. Grids of any size.
extern "C" __global__ void axpy(float a, const float* __restrict__ x, float* __restrict__ y, size_t n) {
    const float4* xs = reinterpret_cast<const float4*>(x);
    float4* ys = reinterpret_cast<float4*>(y);
    const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x, step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = first; i < n / 4; i += step) {
        const float4 u = xs[i];
        float4 v = ys[i];
        v.x = fmaf(a, u.x, v.x);
        v.y = fmaf(a, u.y, v.y);
        v.z = fmaf(a, u.z, v.z);
        v.w = fmaf(a, u.w, v.w);
        ys[i] = v;
    }
    for (size_t i = n / 4 * 4 + first; i < n; i += step) {
        y[i] = fmaf(a, x[i], y[i]);
    }
}

// output[0] ← output[0] + the sum of `input`: the reference of `pipeline_sum`. Each thread keeps four vectors in flight, and each
// CTA makes one atomic addition. `input` is 16-byte aligned. CTAs of 256 threads, grids of any size.
extern "C" __global__ void __launch_bounds__(256) sum(const uint32_t* __restrict__ input, uint32_t* output, uint32_t n) {
    __shared__ uint32_t of_warps[8];
    const uint4* vectors = reinterpret_cast<const uint4*>(input);
    const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    uint32_t total = 0;
#pragma unroll 4
    for (uint32_t i = first; i < n / 4; i += step) {
        const uint4 v = vectors[i];
        total += (v.x + v.y) + (v.z + v.w);
    }
    for (uint32_t i = n / 4 * 4 + first; i < n; i += step) {
        total += input[i];
    }
    total = __reduce_add_sync(0xffffffff, total);
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = total;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        total = __reduce_add_sync(0xffffffff, threadIdx.x < 8 ? of_warps[threadIdx.x] : 0);
        if (threadIdx.x == 0) {
            atomicAdd(output, total);
        }
    }
}

// output[c] ← output[c] + the sum of column c of `input`: the reference of `bulk_reduce_columns`. Each thread adds up four
// columns of its CTA's rows in registers, and the CTA adds to the output once. CTAs of 512 threads, four rows at a time, grids of
// any size.
extern "C" __global__ void __launch_bounds__(512)
    column_sums(const uint32_t* __restrict__ input, uint32_t* output, uint32_t n) {
    constexpr uint32_t VECTORS = 512 / 4, ROWS = 512 / VECTORS;
    __shared__ uint4 parts[ROWS][VECTORS];
    const uint32_t vector = threadIdx.x % VECTORS, row_in_cta = threadIdx.x / VECTORS, rows = n / 512;
    const uint4* vectors = reinterpret_cast<const uint4*>(input);
    const auto add = [](uint4& sum, uint4 v) {
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    };

    uint4 sum = make_uint4(0, 0, 0, 0);
#pragma unroll 4
    for (uint32_t row = blockIdx.x * ROWS + row_in_cta; row < rows; row += gridDim.x * ROWS) {
        add(sum, vectors[size_t(row) * VECTORS + vector]);
    }
    parts[row_in_cta][vector] = sum;
    __syncthreads();
    if (row_in_cta == 0) {
        for (uint32_t r = 1; r < ROWS; ++r) {
            add(sum, parts[r][vector]);
        }
        atomicAdd(&output[4 * vector], sum.x);
        atomicAdd(&output[4 * vector + 1], sum.y);
        atomicAdd(&output[4 * vector + 2], sum.z);
        atomicAdd(&output[4 * vector + 3], sum.w);
    }
}

// Adds the number of occurrences of each byte to `output`. Each thread loads 16 bytes at a time and counts in its warp's bins in
// shared memory. `input` is 16-byte aligned. CTAs of 256 threads, grids of any size.
extern "C" __global__ void __launch_bounds__(256)
    byte_histogram(const uint8_t* __restrict__ input, uint32_t* output, size_t n) {
    constexpr uint32_t BINS = 256, WARPS = 8;
    __shared__ uint32_t bins[WARPS][BINS];
    uint32_t* mine = bins[threadIdx.x / 32];
    for (uint32_t w = 0; w < WARPS; ++w) {
        bins[w][threadIdx.x] = 0;
    }
    __syncthreads();

    const uint4* vectors = reinterpret_cast<const uint4*>(input);
    const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x, step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = first; i < n / 16; i += step) {
        const uint4 v = vectors[i];
        for (uint32_t word : {v.x, v.y, v.z, v.w}) {
            atomicAdd(&mine[word & 255], 1);
            atomicAdd(&mine[word >> 8 & 255], 1);
            atomicAdd(&mine[word >> 16 & 255], 1);
            atomicAdd(&mine[word >> 24], 1);
        }
    }
    for (size_t i = n / 16 * 16 + first; i < n; i += step) {
        atomicAdd(&mine[input[i]], 1);
    }
    __syncthreads();
    uint32_t count = 0;
    for (uint32_t w = 0; w < WARPS; ++w) {
        count += bins[w][threadIdx.x];
    }
    atomicAdd(&output[threadIdx.x], count);
}

// Reduces the values of the CTA's threads by `op`, and returns the result to all of them.
template <typename Op>
__device__ inline float reduce_block(float value, float identity, float* of_warps, Op op) {
    for (uint32_t delta = 16; delta > 0; delta /= 2) {
        value = op(value, __shfl_xor_sync(0xffffffff, value, delta));
    }
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = threadIdx.x % 32 < blockDim.x / 32 ? of_warps[threadIdx.x % 32] : identity;
    for (uint32_t delta = 16; delta > 0; delta /= 2) {
        value = op(value, __shfl_xor_sync(0xffffffff, value, delta));
    }
    return value;
}

// Each row of `output` ← the softmax of that row of `input`. Rows are contiguous and 16-byte aligned, and `columns` is a multiple
// of 4. A CTA holds a row in 4 · columns bytes of dynamic shared memory. CTAs of whole warps, grids of any size.
extern "C" __global__ void row_softmax(const float* __restrict__ input, float* __restrict__ output, uint32_t rows,
                                       uint32_t columns) {
    extern __shared__ float4 cached[];
    __shared__ float maxima[32], sums[32];
    const uint32_t vectors = columns / 4;
    for (uint32_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float4* from = reinterpret_cast<const float4*>(input + size_t(row) * columns);
        float4* to = reinterpret_cast<float4*>(output + size_t(row) * columns);

        float greatest = -INFINITY;
        for (uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) {
            const float4 v = from[i];
            cached[i] = v;
            greatest = fmaxf(greatest, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        }
        greatest = reduce_block(greatest, -INFINITY, maxima, [](float a, float b) { return fmaxf(a, b); });

        float sum = 0.0f;
        for (uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) {
            float4 v = cached[i];
            v.x = __expf(v.x - greatest);
            v.y = __expf(v.y - greatest);
            v.z = __expf(v.z - greatest);
            v.w = __expf(v.w - greatest);
            cached[i] = v;
            sum += (v.x + v.y) + (v.z + v.w);
        }
        sum = reduce_block(sum, 0.0f, sums, [](float a, float b) { return a + b; });

        const float scale = 1.0f / sum;
        for (uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) {
            const float4 v = cached[i];
            to[i] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
        }
    }
}

// Each row of `output` ← that row of `input`, divided by its root mean square, times the weights. One bulk async copy loads a
// row. Rows are contiguous and 16-byte aligned; `columns` is a multiple of 4, from 4 to 8192. CTAs of 256 threads, grids of any
// size.
extern "C" __global__ void __launch_bounds__(256)
    rms_norm(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output,
             uint32_t rows, uint32_t columns, float epsilon) {
    __shared__ alignas(128) float4 cached[8192 / 4];
    __shared__ uint64_t loaded;
    __shared__ float sums[32];
    const uint32_t vectors = columns / 4, bytes = columns * sizeof(float);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&loaded, 1);
        publish_barriers();
    }
    __syncthreads();
    uint32_t parity = 0;
    for (uint32_t row = blockIdx.x; row < rows; row += gridDim.x) {
        float4* to = reinterpret_cast<float4*>(output + size_t(row) * columns);
        if (threadIdx.x == 0) {
            expect(&loaded, bytes);
            load(cached, input + size_t(row) * columns, bytes, &loaded);
        }
        wait(&loaded, parity);
        parity ^= 1;
        float sum = 0.0f;
        for (uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) {
            const float4 v = cached[i];
            sum = fmaf(v.x, v.x, fmaf(v.y, v.y, fmaf(v.z, v.z, fmaf(v.w, v.w, sum))));
        }
        sum = reduce_block(sum, 0.0f, sums, [](float a, float b) { return a + b; });
        const float scale = rsqrtf(sum / columns + epsilon);
        for (uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) {
            const float4 v = cached[i], w = reinterpret_cast<const float4*>(weights)[i];
            to[i] = make_float4(v.x * scale * w.x, v.y * scale * w.y, v.z * scale * w.z, v.w * scale * w.w);
        }
        // All threads have read the row and the partial sums; both may be overwritten.
        __syncthreads();
    }
}

// y ← matrix · x, one warp per row. The matrix and x are 16-byte aligned, `columns` is a multiple of 4. Grids of any size.
extern "C" __global__ void matrix_vector(const float* __restrict__ matrix, const float* __restrict__ x,
                                         float* __restrict__ y, uint32_t rows, uint32_t columns) {
    const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    const float4* xs = reinterpret_cast<const float4*>(x);
    for (uint32_t row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += warps) {
        const float4* from = reinterpret_cast<const float4*>(matrix + size_t(row) * columns);
        float sum = 0.0f;
#pragma unroll 4
        for (uint32_t i = lane; i < columns / 4; i += 32) {
            const float4 a = from[i], b = xs[i];
            sum = fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
        }
        for (uint32_t delta = 16; delta > 0; delta /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, delta);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}

// c ← a · b, row-major: a is m × k, b is k × n. `m` and `n` are multiples of 128, `k` of 8; all addresses are 16-byte aligned.
// Each thread holds 8 × 8 elements of c in registers; tiles are double-buffered. A grid of n / 128 by m / 128 CTAs of 256
// threads.
extern "C" __global__ void __launch_bounds__(256)
    matrix_product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, uint32_t m,
                   uint32_t n, uint32_t k) {
    constexpr uint32_t TILE = 128, DEPTH = 8, MINE = 8;
    __shared__ float as[2][DEPTH][TILE + 4];
    __shared__ float bs[2][DEPTH][TILE];
    const uint32_t t = threadIdx.x;
    // Each thread loads one vector per tile: of a, four elements along k, which it stores in four rows; of b, four along n.
    const uint32_t a_row = t / 2, a_column = t % 2 * 4, b_row = t / 32, b_column = t % 32 * 4;
    const float* from_a = a + size_t(blockIdx.y * TILE + a_row) * k + a_column;
    const float* from_b = b + size_t(b_row) * n + blockIdx.x * TILE + b_column;
    const uint32_t row = t / 16 * 4, column = t % 16 * 4;
    float sums[MINE][MINE] = {};

    const auto put = [&](uint32_t buffer, float4 u, float4 v) {
        as[buffer][a_column][a_row] = u.x;
        as[buffer][a_column + 1][a_row] = u.y;
        as[buffer][a_column + 2][a_row] = u.z;
        as[buffer][a_column + 3][a_row] = u.w;
        *reinterpret_cast<float4*>(&bs[buffer][b_row][b_column]) = v;
    };
    put(0, *reinterpret_cast<const float4*>(from_a), *reinterpret_cast<const float4*>(from_b));
    __syncthreads();

    for (uint32_t depth = 0, buffer = 0; depth < k; depth += DEPTH, buffer ^= 1) {
        const bool more = depth + DEPTH < k;
        float4 u, v;
        if (more) {
            from_a += DEPTH;
            from_b += size_t(DEPTH) * n;
            u = *reinterpret_cast<const float4*>(from_a);
            v = *reinterpret_cast<const float4*>(from_b);
        }
#pragma unroll
        for (uint32_t d = 0; d < DEPTH; ++d) {
            float x[MINE], y[MINE];
            // Two vectors of each matrix. The threads of a warp read adjacent vectors.
            *reinterpret_cast<float4*>(x) = *reinterpret_cast<const float4*>(&as[buffer][d][row]);
            *reinterpret_cast<float4*>(x + 4) = *reinterpret_cast<const float4*>(&as[buffer][d][row + 64]);
            *reinterpret_cast<float4*>(y) = *reinterpret_cast<const float4*>(&bs[buffer][d][column]);
            *reinterpret_cast<float4*>(y + 4) = *reinterpret_cast<const float4*>(&bs[buffer][d][column + 64]);
#pragma unroll
            for (uint32_t i = 0; i < MINE; ++i) {
#pragma unroll
                for (uint32_t j = 0; j < MINE; ++j) {
                    sums[i][j] = fmaf(x[i], y[j], sums[i][j]);
                }
            }
        }
        if (more) {
            put(buffer ^ 1, u, v);
            __syncthreads();
        }
    }

#pragma unroll
    for (uint32_t i = 0; i < MINE; ++i) {
        float* to = c + size_t(blockIdx.y * TILE + row + i % 4 + i / 4 * 64) * n + blockIdx.x * TILE + column;
        *reinterpret_cast<float4*>(to) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        *reinterpret_cast<float4*>(to + 64) = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
    }
}
