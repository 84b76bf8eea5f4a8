// The greatest elements of each row of a matrix, in descending order: a row per warp.
#include "common.cuh"

constexpr uint32_t QUEUE = 32 + 4 * 32;

// The float in the upper half, so that greater floats are greater numbers; the complement of the column in the lower half.
__device__ inline uint64_t ranked(float value, uint32_t column) {
    const uint32_t bits = __float_as_uint(value), sign = int32_t(bits) >> 31;
    return uint64_t(bits ^ (sign | 0x80000000)) << 32 | uint32_t(~column);
}

__device__ inline uint64_t exchange(uint64_t mine, uint32_t distance, bool keeps_greater) {
    const uint64_t other = __shfl_xor_sync(0xffffffff, mine, distance);
    return (mine > other) == keeps_greater ? mine : other;
}

__device__ inline uint64_t sort_bitonic(uint64_t mine, bool descending) {
#pragma unroll
    for (uint32_t distance = 16; distance > 0; distance /= 2) {
        mine = exchange(mine, distance, ((threadIdx.x & distance) == 0) == descending);
    }
    return mine;
}

// Sorts the numbers of the lanes, ascending.
__device__ inline uint64_t sort(uint64_t mine) {
#pragma unroll
    for (uint32_t size = 2; size <= 32; size *= 2) {
#pragma unroll
        for (uint32_t distance = size / 2; distance > 0; distance /= 2) {
            const bool ascends = (threadIdx.x % 32 & size) == 0;
            mine = exchange(mine, distance, ((threadIdx.x & distance) == 0) != ascends);
        }
    }
    return mine;
}

// Puts the numbers of the lanes among the 64 greatest: first those of `upper`, by lane, then those of `lower`.
__device__ inline void insert(uint64_t& upper, uint64_t& lower, uint64_t mine) {
    const uint64_t kept = sort_bitonic(max(lower, sort(mine)), false);
    const uint64_t least = min(upper, kept);
    upper = sort_bitonic(max(upper, kept), true);
    lower = sort_bitonic(least, true);
}

extern "C" __global__ void __launch_bounds__(256)
    top_k(const float* __restrict__ input, float* values, uint32_t* columns_of, uint32_t rows, uint32_t columns,
          uint32_t k) {
    __shared__ uint64_t queues[8][QUEUE];
    const uint32_t lane = threadIdx.x % 32, vectors = columns / 4;
    volatile uint64_t* queue = queues[threadIdx.x / 32];
    for (size_t row = size_t(blockIdx.x) * 8 + threadIdx.x / 32; row < rows; row += size_t(gridDim.x) * 8) {
        const float4* from = reinterpret_cast<const float4*>(input + row * columns);
        const auto vector = [&](uint32_t i) { return i < vectors ? from[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f); };
        uint64_t upper = 0, lower = 0, least = 0;
        uint32_t count = 0;
        float4 a = vector(lane), b = vector(lane + 32), c = vector(lane + 64);
        for (uint32_t i = lane; i - lane < vectors; i += 32) {
            const float4 d = vector(i + 96);
            const float elements[4] = {a.x, a.y, a.z, a.w};
#pragma unroll
            for (uint32_t element = 0; element < 4; ++element) {
                const uint64_t mine = i < vectors ? ranked(elements[element], 4 * i + element) : 0;
                const bool waits = mine > least;
                const uint32_t waiting = __ballot_sync(0xffffffff, waits);
                if (waits) {
                    queue[count + __popc(waiting & ((1u << lane) - 1))] = mine;
                }
                count += __popc(waiting);
            }
            while (count >= 32) {
                count -= 32;
                __syncwarp();
                const uint64_t mine = queue[count + lane];
                __syncwarp();
                insert(upper, lower, mine);
                least = __shfl_sync(0xffffffff, k - 1 < 32 ? upper : lower, (k - 1) % 32);
            }
            a = b;
            b = c;
            c = d;
        }
        __syncwarp();
        const uint64_t rest = lane < count ? queue[lane] : 0;
        __syncwarp();
        insert(upper, lower, rest);
        const auto put = [&](uint32_t rank, uint64_t mine) {
            if (rank < k) {
                const uint32_t bits = mine >> 32, sign = int32_t(bits) >> 31;
                values[row * k + rank] = __uint_as_float(bits ^ (~sign | 0x80000000));
                columns_of[row * k + rank] = ~uint32_t(mine);
            }
        };
        put(lane, upper);
        put(32 + lane, lower);
    }
}
