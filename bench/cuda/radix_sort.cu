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

constexpr uint32_t SORTING = 384, WARPS = SORTING / 32, KEYS = 16, SORTED_TILE = SORTING * KEYS;
// A tag in the upper two bits and a number of keys in the others.
constexpr uint32_t OF_SORTED = 1u << 30, UP_TO_SORTED = 2u << 30;

using Count = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

// Returns the sum of the values of all threads before this one.
__device__ inline uint32_t sum_before(uint32_t value, uint32_t* of_warps) {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t upto = value;
    for (uint32_t delta = 1; delta < 32; delta *= 2) {
        const uint32_t lower = __shfl_up_sync(0xffffffff, upto, delta);
        upto += lane >= delta ? lower : 0;
    }
    if (lane == 31) {
        of_warps[warp] = upto;
    }
    __syncthreads();
    const uint32_t of_lower = __reduce_add_sync(0xffffffff, lane < warp ? of_warps[lane] : 0);
    return of_lower + upto - value;
}

extern "C" __global__ void __launch_bounds__(384, 2)
    radix_pass(const uint32_t* __restrict__ input, const uint32_t* __restrict__ counts, uint32_t* sums, uint32_t* tickets,
               uint32_t* output, uint32_t n, uint32_t pass) {
    // First the counts of each warp, then the keys of the tile in the order of their digits.
    __shared__ union {
        uint32_t counts[WARPS][BINS];
        uint32_t keys[SORTED_TILE];
    } memory;
    __shared__ uint32_t places[BINS], of_warps[2][WARPS], ticket;
    const uint32_t thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const bool has_digit = thread < BINS;
    const auto digit = [&](uint32_t key) { return key >> (8 * pass) & 255; };
    if (thread == 0) {
        ticket = atomicAdd(tickets, 1);
    }
#pragma unroll
    for (uint32_t i = thread; i < WARPS * BINS; i += SORTING) {
        (&memory.counts[0][0])[i] = 0;
    }
    __syncthreads();
    const uint32_t tile = ticket;
    if (tile * SORTED_TILE >= n) {
        return;
    }
    const uint32_t first = tile * SORTED_TILE + warp * KEYS * 32 + lane;
    uint32_t keys[KEYS], ranks[KEYS];
#pragma unroll
    for (uint32_t row = 0; row < KEYS; ++row) {
        keys[row] = first + 32 * row < n ? input[first + 32 * row] : 0xffffffff;
    }
#pragma unroll
    for (uint32_t row = 0; row < KEYS; ++row) {
        const uint32_t d = digit(keys[row]);
        uint32_t lanes = 0xffffffff;
#pragma unroll
        for (uint32_t bit = 0; bit < 8; ++bit) {
            const bool is_set = d >> bit & 1;
            const uint32_t set = __ballot_sync(0xffffffff, is_set);
            lanes &= is_set ? set : ~set;
        }
        const uint32_t last = 31 - __clz(lanes);
        uint32_t before = 0;
        if (lane == last) {
            before = memory.counts[warp][d];
            memory.counts[warp][d] = before + __popc(lanes);
        }
        __syncwarp();
        ranks[row] = __shfl_sync(0xffffffff, before, last) + __popc(lanes & ((1u << lane) - 1));
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
    const uint32_t in_tile = sum_before(count, of_warps[0]);
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
        ranks[row] += memory.counts[warp][digit(keys[row])];
    }
    __syncthreads();
#pragma unroll
    for (uint32_t row = 0; row < KEYS; ++row) {
        memory.keys[ranks[row]] = keys[row];
    }

    const uint32_t first_place = sum_before(has_digit ? counts[pass * BINS + thread] : 0, of_warps[1]);
    if (has_digit) {
        uint32_t before = 0;
        for (uint32_t end = tile; end > 0;) {
            const uint32_t published = Count(sums[(end - 1) * BINS + thread]).load(cuda::memory_order_relaxed);
            if (published >= OF_SORTED) {
                before += published & (OF_SORTED - 1);
                end = published >= UP_TO_SORTED ? 0 : end - 1;
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
