// `cp.async`: windows that start at any element and are zero-filled outside the input, in a stencil and in a shifted copy.
#include "common.cuh"

#include <cuda_pipeline.h>

constexpr uint32_t TILE = 1024;
// One more 16-byte vector on each side.
constexpr uint32_t WINDOW = TILE + 8;
constexpr uint32_t SHIFT = 3;
constexpr uint32_t SHIFTED = 512;

// Copies the window that starts at element `first`, by vectors of 16 bytes. Elements outside the input become zero.
__device__ inline void load_vectors(uint32_t* window, const uint32_t* input, int64_t first, int64_t n) {
    for (uint32_t i = 4 * threadIdx.x; i < WINDOW; i += 4 * blockDim.x) {
        const int64_t at = first + i, left = n - at;
        const size_t inside = at < 0 || left <= 0 ? 0 : left < 4 ? 4 * left : 16;
        __pipeline_memcpy_async(window + i, input + (inside > 0 ? at : 0), 16, 16 - inside);
    }
}

// Copies `LENGTH` elements from `first` on. Elements outside the input become zero.
template <uint32_t LENGTH>
__device__ inline void load_window(uint32_t* window, const uint32_t* input, int64_t first, int64_t n) {
    for (uint32_t i = threadIdx.x; i < LENGTH; i += blockDim.x) {
        const int64_t at = first + i;
        const bool inside = at >= 0 && at < n;
        __pipeline_memcpy_async(window + i, input + (inside ? at : 0), 4, inside ? 0 : 4);
    }
}

// libcu++ 13.3 writes this instruction with a shared address and without `.shared`, by which the address would be generic (PTX ISA
// 9.7.13.15.15).
__device__ inline void arrive_noinc(uint64_t* barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(uint32_t(__cvta_generic_to_shared(barrier)))
                 : "memory");
}

extern "C" __global__ void cp_async_stencil(const uint32_t* __restrict__ input, uint32_t* __restrict__ output,
                                            uint32_t n) {
    __shared__ alignas(16) uint32_t windows[2][WINDOW];
    __shared__ alignas(128) uint32_t out[TILE];
    const uint32_t tiles = n / TILE;
    const auto load = [&](uint32_t window, uint32_t tile) {
        load_vectors(windows[window], input, int64_t(tile) * TILE - 4, n);
        __pipeline_commit();
    };

    load(0, blockIdx.x);
    load(1, blockIdx.x + gridDim.x);
    uint32_t current = 0;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __pipeline_wait_prior(1);
        __syncthreads();
        const uint32_t* x = windows[current];
        for (uint32_t i = 4 * threadIdx.x; i < TILE; i += 4 * blockDim.x) {
            const uint4 y = *reinterpret_cast<const uint4*>(x + i + 4);
            *reinterpret_cast<uint4*>(out + i) = make_uint4(x[i + 3] + 2 * y.x + y.y, y.x + 2 * y.y + y.z,
                                                            y.y + 2 * y.z + y.w, y.z + 2 * y.w + x[i + 8]);
        }
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            store(output + size_t(tile) * TILE, out, sizeof(out));
        }
        load(current, tile + 2 * gridDim.x);
        current ^= 1;
        // `out` is written again after the next barrier, so the store has to have read it.
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
    }

    const auto x = [&](uint32_t i) { return i < n ? input[i] : 0; };
    for (uint32_t i = tiles * TILE + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        output[i] = x(i - 1) + 2 * x(i) + x(i + 1);
    }
    // The copies in flight complete before the CTA exits.
    __pipeline_wait_prior(0);
}

extern "C" __global__ void cp_async_shift(const uint32_t* __restrict__ input, uint32_t* __restrict__ output,
                                          uint32_t n) {
    __shared__ alignas(128) uint32_t windows[2][SHIFTED];
    __shared__ uint64_t full[2];
    const uint32_t tiles = n / SHIFTED;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full[0], blockDim.x);
        ptx::mbarrier_init(&full[1], blockDim.x);
    }
    __syncthreads();
    const auto load = [&](uint32_t window, uint32_t tile) {
        load_window<SHIFTED>(windows[window], input, int64_t(tile) * SHIFTED + SHIFT, n);
        arrive_noinc(&full[window]);
    };

    load(0, blockIdx.x);
    load(1, blockIdx.x + gridDim.x);
    uint32_t current = 0, parity = 0;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        wait(&full[current], parity);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            store(output + size_t(tile) * SHIFTED, windows[current], sizeof(windows[current]));
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        __syncthreads();
        load(current, tile + 2 * gridDim.x);
        current ^= 1;
        parity ^= current == 0;
    }

    for (uint32_t i = tiles * SHIFTED + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        output[i] = i + SHIFT < n ? input[i + SHIFT] : 0;
    }
    // The copies in flight complete before the CTA exits.
    __pipeline_commit();
    __pipeline_wait_prior(0);
}
