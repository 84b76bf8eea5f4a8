// A radix sort of words: one kernel counts the digits of all passes, and each pass reads and writes the keys once ("onesweep").
#include <cuda/atomic>

#include "common.cuh"

constexpr uint32_t BINS = 256;

extern "C" __global__ void __launch_bounds__(256)
    radix_histogram(const uint32_t* __restrict__ input, uint32_t* counts, size_t n) {
    constexpr uint32_t LOADS = 4;
    __shared__ uint32_t bins[4][BINS];
    for (uint32_t pass = 0; pass < 4; ++pass) {
        bins[pass][threadIdx.x] = 0;
    }
    __syncthreads();
    const auto count = [&](uint32_t key) {
#pragma unroll
        for (uint32_t pass = 0; pass < 4; ++pass) {
            atomicAdd(&bins[pass][key >> (8 * pass) & 255], 1);
        }
    };
    const auto count_all = [&](uint4 keys) {
        count(keys.x);
        count(keys.y);
        count(keys.z);
        count(keys.w);
    };
    const uint4* vectors = reinterpret_cast<const uint4*>(input);
    size_t i = size_t(blockIdx.x) * LOADS * 256 + threadIdx.x;
    for (; i + (LOADS - 1) * 256 < n / 4; i += size_t(gridDim.x) * LOADS * 256) {
        uint4 loaded[LOADS];
#pragma unroll
        for (uint32_t k = 0; k < LOADS; ++k) {
            loaded[k] = vectors[i + k * 256];
        }
#pragma unroll
        for (uint32_t k = 0; k < LOADS; ++k) {
            count_all(loaded[k]);
        }
    }
    for (; i < n / 4; i += 256) {
        count_all(vectors[i]);
    }
    if (blockIdx.x == 0 && n / 4 * 4 + threadIdx.x < n) {
        count(input[n / 4 * 4 + threadIdx.x]);
    }
    __syncthreads();
    for (uint32_t pass = 0; pass < 4; ++pass) {
        atomicAdd(&counts[pass * BINS + threadIdx.x], bins[pass][threadIdx.x]);
    }
}

constexpr uint32_t SORTING = 384, WARPS = SORTING / 32, KEYS = 22, SORTED_TILE = SORTING * KEYS, LOOKS = 4;
// A tag in the upper two bits and a number of keys in the others.
constexpr uint32_t OF_SORTED = 1u << 30, UP_TO_SORTED = 2u << 30;

using Count = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

struct Sorting {
    uint32_t counts[WARPS][BINS];
    // For each warp and digit, the lanes whose key has the digit.
    uint32_t lanes[WARPS][BINS];
    uint32_t keys[SORTED_TILE];
};

// Returns the sum of the values of all threads before this one.
__device__ inline uint64_t sum_before(uint64_t value, uint64_t* of_warps) {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t upto = value;
    for (uint32_t delta = 1; delta < 32; delta *= 2) {
        const uint64_t lower = __shfl_up_sync(0xffffffff, upto, delta);
        upto += lane >= delta ? lower : 0;
    }
    if (lane == 31) {
        of_warps[warp] = upto;
    }
    __syncthreads();
    uint64_t of_lower = lane < warp ? of_warps[lane] : 0;
    for (uint32_t mask = 16; mask > 0; mask /= 2) {
        of_lower += __shfl_xor_sync(0xffffffff, of_lower, mask);
    }
    return of_lower + upto - value;
}

extern "C" __global__ void __launch_bounds__(384, 3)
    radix_pass(const uint32_t* __restrict__ input, const uint32_t* __restrict__ counts, uint32_t* sums, uint32_t* tickets,
               uint32_t* output, uint32_t n, uint32_t pass) {
    extern __shared__ __align__(128) unsigned char dynamic[];
    Sorting& memory = *reinterpret_cast<Sorting*>(dynamic);
    __shared__ uint64_t of_warps[WARPS];
    __shared__ uint32_t places[BINS], ticket;
    const uint32_t thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const bool has_digit = thread < BINS;
    const auto digit = [&](uint32_t key) { return key >> (8 * pass) & 255; };
    if (thread == 0) {
        ticket = atomicAdd(tickets, 1);
    }
#pragma unroll
    for (uint32_t i = thread; i < 2 * WARPS * BINS; i += SORTING) {
        (&memory.counts[0][0])[i] = 0;
    }
    const uint32_t of_digit = has_digit ? counts[pass * BINS + thread] : 0;
    __syncthreads();
    const uint32_t tile = ticket;
    if (tile * SORTED_TILE >= n) {
        return;
    }
    const uint32_t first = tile * SORTED_TILE + warp * KEYS * 32 + lane;
    uint32_t keys[KEYS];
#pragma unroll
    for (uint32_t row = 0; row < KEYS; ++row) {
        keys[row] = first + 32 * row < n ? input[first + 32 * row] : 0xffffffff;
    }
    // The counts come first, so that other CTAs need not wait for the ranks.
#pragma unroll
    for (uint32_t row = 0; row < KEYS; ++row) {
        atomicAdd(&memory.counts[warp][digit(keys[row])], 1);
    }
    __syncthreads();
    uint32_t count = 0;
    if (has_digit) {
#pragma unroll
        for (uint32_t w = 0; w < WARPS; ++w) {
            count += memory.counts[w][thread];
        }
        Count(sums[tile * BINS + thread])
            .store((tile == 0 ? UP_TO_SORTED : OF_SORTED) | count, cuda::memory_order_relaxed);
    }
    // The place of the first key with this digit, in the tile and in the output.
    const uint64_t before_digit = sum_before(count | uint64_t(of_digit) << 32, of_warps);
    const uint32_t in_tile = uint32_t(before_digit), first_place = uint32_t(before_digit >> 32);
    if (has_digit) {
        uint32_t at = in_tile;
#pragma unroll
        for (uint32_t w = 0; w < WARPS; ++w) {
            const uint32_t of_warp = memory.counts[w][thread];
            memory.counts[w][thread] = at;
            at += of_warp;
        }
    }
    __syncthreads();
#pragma unroll
    for (uint32_t row = 0; row < KEYS; ++row) {
        const uint32_t d = digit(keys[row]);
        atomicOr(&memory.lanes[warp][d], 1u << lane);
        __syncwarp();
        const uint32_t lanes = memory.lanes[warp][d], last = 31 - __clz(lanes);
        const uint32_t of_last = lane == last ? atomicAdd(&memory.counts[warp][d], __popc(lanes)) : 0;
        __syncwarp();
        memory.lanes[warp][d] = 0;
        memory.keys[__shfl_sync(0xffffffff, of_last, last) + __popc(lanes & ((1u << lane) - 1))] = keys[row];
        __syncwarp();
    }

    if (has_digit) {
        uint32_t before = 0;
        for (uint32_t end = tile; end > 0;) {
            uint32_t published[LOOKS];
#pragma unroll
            for (uint32_t i = 0; i < LOOKS; ++i) {
                published[i] =
                    i < end ? Count(sums[(end - 1 - i) * BINS + thread]).load(cuda::memory_order_relaxed) : UP_TO_SORTED;
            }
            // Up to the first tile that has published nothing, or includes all tiles below.
            bool goes_on = true;
#pragma unroll
            for (uint32_t i = 0; i < LOOKS; ++i) {
                goes_on = goes_on && published[i] >= OF_SORTED;
                if (goes_on) {
                    before += published[i] & (OF_SORTED - 1);
                    end = published[i] >= UP_TO_SORTED ? 0 : end - 1;
                    goes_on = end > 0;
                }
            }
        }
        if (tile > 0) {
            Count(sums[tile * BINS + thread]).store(UP_TO_SORTED | (before + count), cuda::memory_order_relaxed);
        }
        places[thread] = first_place + before - in_tile;
    }
    __syncthreads();
    const uint32_t present = n - tile * SORTED_TILE;
#pragma unroll
    for (uint32_t i = 0; i < KEYS; ++i) {
        const uint32_t place = thread + i * SORTING, key = memory.keys[place];
        if (place < present) {
            output[places[digit(key)] + place] = key;
        }
    }
}
