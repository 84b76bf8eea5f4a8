// An exclusive scan in one pass by decoupled look-back.
#include <cuda/atomic>

#include "common.cuh"

constexpr uint32_t ROUNDS = 4, TILE = 256 * ROUNDS * 4;
// A tag in the upper half and a sum in the lower one.
constexpr uint64_t OF_TILE = uint64_t(1) << 32, UP_TO_TILE = uint64_t(2) << 32;

using Sum = cuda::atomic_ref<uint64_t, cuda::thread_scope_device>;

__device__ inline uint32_t inclusive_sum(uint32_t value) {
    for (uint32_t delta = 1; delta < 32; delta *= 2) {
        const uint32_t lower = __shfl_up_sync(0xffffffff, value, delta);
        value += threadIdx.x % 32 >= delta ? lower : 0;
    }
    return value;
}

// Returns the sum of all tiles below `tile`, by a warp.
__device__ inline uint32_t sum_below(uint64_t* sums, size_t tile) {
    const uint32_t lane = threadIdx.x % 32;
    uint32_t below = 0;
    for (size_t end = tile; end > 0;) {
        const uint64_t published =
            lane < end ? Sum(sums[end - 1 - lane]).load(cuda::memory_order_relaxed) : UP_TO_TILE;
        const uint32_t last = __ffs(__ballot_sync(0xffffffff, published >= UP_TO_TILE)) - 1;
        const bool counts = lane <= last;
        if (__any_sync(0xffffffff, counts && published < OF_TILE)) {
            continue;
        }
        below += __reduce_add_sync(0xffffffff, counts ? uint32_t(published) : 0);
        if (last < 32) {
            break;
        }
        end -= 32;
    }
    return below;
}

extern "C" __global__ void __launch_bounds__(256)
    look_back_scan(const uint32_t* __restrict__ input, uint64_t* sums, uint64_t* tickets, uint32_t* output, size_t n) {
    __shared__ uint32_t of_warps[8];
    __shared__ uint64_t ticket;
    __shared__ uint32_t of_lower_tiles;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t whole = n / TILE;
    for (;;) {
        if (threadIdx.x == 0) {
            ticket = atomicAdd(reinterpret_cast<unsigned long long*>(tickets), 1);
        }
        __syncthreads();
        const size_t tile = ticket;
        if (tile >= whole) {
            break;
        }
        const size_t first = tile * (TILE / 4) + warp * ROUNDS * 32 + lane;
        uint4 vectors[ROUNDS];
#pragma unroll
        for (uint32_t r = 0; r < ROUNDS; ++r) {
            vectors[r] = reinterpret_cast<const uint4*>(input)[first + 32 * r];
        }
        uint32_t before[ROUNDS], of_warp = 0;
#pragma unroll
        for (uint32_t r = 0; r < ROUNDS; ++r) {
            const uint32_t own = vectors[r].x + vectors[r].y + vectors[r].z + vectors[r].w;
            const uint32_t upto = inclusive_sum(own);
            before[r] = of_warp + upto - own;
            of_warp += __shfl_sync(0xffffffff, upto, 31);
        }
        if (lane == 0) {
            of_warps[warp] = of_warp;
        }
        __syncthreads();
        const uint32_t upto_warps = inclusive_sum(lane < 8 ? of_warps[lane] : 0);
        const uint32_t of_tile = __shfl_sync(0xffffffff, upto_warps, 7);
        const uint32_t of_lower_warps = __shfl_sync(0xffffffff, upto_warps, warp) - of_warp;
        if (warp == 0) {
            if (lane == 0) {
                Sum(sums[tile]).store((tile == 0 ? UP_TO_TILE : OF_TILE) | of_tile, cuda::memory_order_relaxed);
            }
            const uint32_t below = sum_below(sums, tile);
            if (lane == 0) {
                Sum(sums[tile]).store(UP_TO_TILE | uint32_t(below + of_tile), cuda::memory_order_relaxed);
                of_lower_tiles = below;
            }
        }
        __syncthreads();
        const uint32_t below = of_lower_tiles + of_lower_warps;
#pragma unroll
        for (uint32_t r = 0; r < ROUNDS; ++r) {
            const uint4 v = vectors[r];
            const uint32_t at = below + before[r];
            reinterpret_cast<uint4*>(output)[first + 32 * r] =
                make_uint4(at, at + v.x, at + v.x + v.y, at + v.x + v.y + v.z);
        }
    }
    if (blockIdx.x == gridDim.x - 1 && n > whole * TILE) {
        uint32_t below = sum_below(sums, whole);
        for (size_t i = whole * TILE; i < n; i += 256) {
            const uint32_t word = i + threadIdx.x < n ? input[i + threadIdx.x] : 0;
            const uint32_t upto = inclusive_sum(word);
            __syncthreads();
            if (lane == 31) {
                of_warps[warp] = upto;
            }
            __syncthreads();
            const uint32_t upto_warps = inclusive_sum(lane < 8 ? of_warps[lane] : 0);
            const uint32_t lower = warp > 0 ? __shfl_sync(0xffffffff, upto_warps, warp - 1) : 0;
            if (i + threadIdx.x < n) {
                output[i + threadIdx.x] = below + lower + upto - word;
            }
            below += __shfl_sync(0xffffffff, upto_warps, 7);
        }
    }
}
