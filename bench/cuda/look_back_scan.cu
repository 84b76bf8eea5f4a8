// An exclusive scan in one pass by look-back: sums are published two rounds before they are needed.
#include <cuda/atomic>

#include "common.cuh"

constexpr uint32_t THREADS = 512, WARPS = THREADS / 32, VECTORS = 5, TILE = 4 * VECTORS * THREADS, STAGES = 5, AHEAD = 2;
// A tag in the upper half and a sum in the lower one.
constexpr uint64_t PUBLISHED = uint64_t(1) << 32;

using Sum = cuda::atomic_ref<uint64_t, cuda::thread_scope_device>;

struct alignas(128) Stages {
    uint4 vectors[STAGES][TILE / 4];
    uint64_t full[STAGES];
    // The index of each stage's tile.
    uint64_t tiles[STAGES];
};

__device__ inline uint32_t inclusive_sum(uint32_t value) {
    for (uint32_t delta = 1; delta < 32; delta *= 2) {
        const uint32_t lower = __shfl_up_sync(0xffffffff, value, delta);
        value += threadIdx.x % 32 >= delta ? lower : 0;
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    look_back_scan(const uint32_t* __restrict__ input, uint64_t* sums, uint64_t* tickets, uint32_t* output, size_t n) {
    extern __shared__ __align__(128) unsigned char memory[];
    Stages& stages = *reinterpret_cast<Stages*>(memory);
    // In turns: the sums of the warps, and what they have found of other tiles.
    __shared__ uint32_t of_warps[2][WARPS], of_others[2][WARPS];
    const uint32_t thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const size_t whole = n / TILE;
    uint32_t turn = 0;

    uint64_t ticket = 0;
    const auto draw = [&] { ticket = atomicAdd(reinterpret_cast<unsigned long long*>(tickets), 1); };
    const auto refill = [&](uint32_t stage) {
        stages.tiles[stage] = ticket;
        if (ticket < whole) {
            expect(&stages.full[stage], 4 * TILE);
            load(stages.vectors[stage], input + ticket * TILE, 4 * TILE, &stages.full[stage]);
        } else {
            ptx::mbarrier_arrive(&stages.full[stage]);
        }
    };
    if (thread == 0) {
        for (uint32_t stage = 0; stage < STAGES; ++stage) {
            ptx::mbarrier_init(&stages.full[stage], 1);
        }
        publish_barriers();
        for (uint32_t stage = 0; stage < STAGES - 1; ++stage) {
            draw();
            refill(stage);
        }
    }
    __syncthreads();

    // The sums of the words of the threads before this one, and of the words of each tile.
    uint32_t before[AHEAD + 1], of_tile[AHEAD + 1];
    // Publishes the sum of a stage's tile, and returns the sum of `others` of all threads.
    const auto publish = [&](uint32_t stage, uint32_t parity, uint32_t others, uint32_t ahead) {
        wait(&stages.full[stage], parity);
        const uint64_t tile = stages.tiles[stage];
        uint32_t own = 0;
        if (tile < whole) {
#pragma unroll
            for (uint32_t v = 0; v < VECTORS; ++v) {
                const uint4 words = stages.vectors[stage][VECTORS * thread + v];
                own += words.x + words.y + words.z + words.w;
            }
        }
        const uint32_t upto = inclusive_sum(own);
        others = __reduce_add_sync(0xffffffff, others);
        if (lane == 31) {
            of_warps[turn][warp] = upto;
            of_others[turn][warp] = others;
        }
        __syncthreads();
        const uint32_t upto_warps = inclusive_sum(lane < WARPS ? of_warps[turn][lane] : 0);
        others = __reduce_add_sync(0xffffffff, lane < WARPS ? of_others[turn][lane] : 0);
        const uint32_t lower = __shfl_sync(0xffffffff, upto_warps, warp - 1);
        before[ahead] = (warp > 0 ? lower : 0) + upto - own;
        of_tile[ahead] = __shfl_sync(0xffffffff, upto_warps, WARPS - 1);
        turn ^= 1;
        if (thread == 0 && tile < whole) {
            Sum(sums[tile]).store(PUBLISHED | of_tile[ahead], cuda::memory_order_relaxed);
        }
        return others;
    };
    // The tiles that this thread looks at: the first is loaded ahead.
    size_t at = thread, end = 0;
    uint64_t first = PUBLISHED;
    const auto look = [&] {
        first = at < end ? Sum(sums[at]).load(cuda::memory_order_relaxed) : PUBLISHED;
    };
    const auto sum_of_others = [&] {
        uint32_t sum = 0;
        while (at < end) {
            if (first >= PUBLISHED) {
                sum += uint32_t(first);
                at += THREADS;
            }
            look();
        }
        return sum;
    };

#pragma unroll
    for (uint32_t ahead = 0; ahead < AHEAD; ++ahead) {
        publish(ahead, 0, 0, ahead);
    }
    // The sum of all tiles below tile `from`.
    size_t from = 0;
    uint32_t below = 0;
    uint32_t stage = 0, publishing = AHEAD, parity = 0;
    uint64_t tile = stages.tiles[0];
    end = tile < whole ? tile : 0;
    look();
    while (tile < whole) {
        if (thread == 0) {
            draw();
        }
        below += publish(publishing, parity, sum_of_others(), AHEAD);
        from = tile + 1;
        const uint32_t next = stage + 1 == STAGES ? 0 : stage + 1;
        const uint64_t next_tile = stages.tiles[next];
        at = from + thread;
        end = next_tile < whole ? next_tile : 0;
        look();

        uint32_t upto = below + before[0];
#pragma unroll
        for (uint32_t v = 0; v < VECTORS; ++v) {
            uint4& place = stages.vectors[stage][VECTORS * thread + v];
            const uint4 words = place;
            const uint32_t x = upto, y = x + words.x, z = y + words.y, w = z + words.z;
            upto = w + words.w;
            place = make_uint4(x, y, z, w);
        }
        below += of_tile[0];
        ptx::fence_proxy_async(ptx::space_shared);
        if (thread == 0) {
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        __syncthreads();
        if (thread == 0) {
            store(output + tile * TILE, stages.vectors[stage], 4 * TILE);
            // The stage of the round before is stored.
            refill(stage == 0 ? STAGES - 1 : stage - 1);
        }
        tile = next_tile;
        stage = next;
        if (++publishing == STAGES) {
            publishing = 0;
            parity ^= 1;
        }
#pragma unroll
        for (uint32_t ahead = 0; ahead < AHEAD; ++ahead) {
            before[ahead] = before[ahead + 1];
            of_tile[ahead] = of_tile[ahead + 1];
        }
    }
    if (thread == 0) {
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }

    if (blockIdx.x == gridDim.x - 1 && n > whole * TILE) {
        at = from + thread;
        end = whole;
        look();
        uint32_t others = __reduce_add_sync(0xffffffff, sum_of_others());
        for (size_t i = whole * TILE; i < n; i += THREADS) {
            const uint32_t word = i + thread < n ? input[i + thread] : 0;
            const uint32_t upto = inclusive_sum(word);
            __syncthreads();
            if (lane == 31) {
                of_warps[0][warp] = upto;
                of_others[0][warp] = others;
            }
            __syncthreads();
            const uint32_t upto_warps = inclusive_sum(lane < WARPS ? of_warps[0][lane] : 0);
            below += __reduce_add_sync(0xffffffff, lane < WARPS ? of_others[0][lane] : 0);
            const uint32_t lower = __shfl_sync(0xffffffff, upto_warps, warp - 1);
            if (i + thread < n) {
                output[i + thread] = below + (warp > 0 ? lower : 0) + upto - word;
            }
            below += __shfl_sync(0xffffffff, upto_warps, WARPS - 1);
            others = 0;
        }
    }
}
