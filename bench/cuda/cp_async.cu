// `cp.async`: windows that start at any element and are zero beyond the ends, in a stencil and in a shifted copy.
#include "common.cuh"

#include <cuda_pipeline.h>

constexpr uint32_t TILE = 512;
constexpr uint32_t WINDOW = TILE + 2;
constexpr uint32_t SHIFT = 3;

// Copies `LENGTH` elements from `first` on, zeros where there are none.
template <uint32_t LENGTH>
__device__ inline void load_window(uint32_t* window, const uint32_t* input, int64_t first, int64_t n) {
    for (uint32_t i = threadIdx.x; i < LENGTH; i += blockDim.x) {
        const int64_t at = first + i;
        const bool inside = at >= 0 && at < n;
        __pipeline_memcpy_async(window + i, input + (inside ? at : 0), 4, inside ? 0 : 4);
    }
}

extern "C" __global__ void cp_async_stencil(const uint32_t* __restrict__ input, uint32_t* __restrict__ output,
                                            uint32_t n) {
    __shared__ uint32_t windows[2][WINDOW];
    __shared__ alignas(128) uint32_t out[TILE];
    const uint32_t tiles = n / TILE;
    const auto load = [&](uint32_t window, uint32_t tile) {
        load_window<WINDOW>(windows[window], input, int64_t(tile) * TILE - 1, n);
        __pipeline_commit();
    };

    load(0, blockIdx.x);
    load(1, blockIdx.x + gridDim.x);
    uint32_t current = 0;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __pipeline_wait_prior(1);
        __syncthreads();
        const uint32_t* x = windows[current];
        for (uint32_t i = threadIdx.x; i < TILE; i += blockDim.x) {
            out[i] = x[i] + 2 * x[i + 1] + x[i + 2];
        }
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            store(output + size_t(tile) * TILE, out, sizeof(out));
        }
        load(current, tile + 2 * gridDim.x);
        current ^= 1;
        // Before the next barrier, after which `out` is written again.
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
    }

    const auto x = [&](uint32_t i) { return i < n ? input[i] : 0; };
    for (uint32_t i = tiles * TILE + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        output[i] = x(i - 1) + 2 * x(i) + x(i + 1);
    }
    // What is still under way into the windows ends before the CTA does.
    __pipeline_wait_prior(0);
}

extern "C" __global__ void cp_async_shift(const uint32_t* __restrict__ input, uint32_t* __restrict__ output,
                                          uint32_t n) {
    __shared__ alignas(128) uint32_t windows[2][TILE];
    __shared__ uint64_t full[2];
    const uint32_t tiles = n / TILE;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full[0], blockDim.x);
        ptx::mbarrier_init(&full[1], blockDim.x);
    }
    __syncthreads();
    const auto load = [&](uint32_t window, uint32_t tile) {
        load_window<TILE>(windows[window], input, int64_t(tile) * TILE + SHIFT, n);
        ptx::cp_async_mbarrier_arrive_noinc(&full[window]);
    };

    load(0, blockIdx.x);
    load(1, blockIdx.x + gridDim.x);
    uint32_t current = 0, parity = 0;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        wait(&full[current], parity);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            store(output + size_t(tile) * TILE, windows[current], sizeof(windows[current]));
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        __syncthreads();
        load(current, tile + 2 * gridDim.x);
        current ^= 1;
        parity ^= current == 0;
    }

    for (uint32_t i = tiles * TILE + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        output[i] = i + SHIFT < n ? input[i + SHIFT] : 0;
    }
    // What is still under way into the windows ends before the CTA does.
    __pipeline_commit();
    __pipeline_wait_prior(0);
}
