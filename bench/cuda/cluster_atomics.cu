// Atomic operations on DSMEM: all threads of a cluster change the shared memory of each of its 4 CTAs.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/std/bit>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace cg = cooperative_groups;

constexpr uint32_t SIZE = 4;
constexpr uint32_t THREADS = 128;

using Unsigned = unsigned long long;
using Signed = long long;

struct alignas(16) Pair {
    uint64_t lo, hi;
};

// In the order of the results, except the sum of doubles.
struct Smem {
    // One bit for each word.
    Unsigned set[24], clear[24];
    Unsigned sum, checksum, least[8], greatest[8];
    Signed total, parity, lowest[8], highest[8];
    uint32_t words, again;
    float odd;
    __half2 halves;
    __nv_bfloat162 brains[8];
    unsigned short count[2];
    double wide;
    Pair pair;
};

// Replaces a value by `next` of it, and returns the old value. On DSMEM, `atomicAnd`, `atomicOr`, `atomicXor`, `atomicMin` and
// `atomicMax` of 64 bits and `atomicAdd` of two halves are not atomic; `atomicCAS` is.
template <class T, class Next>
__device__ inline T update(T* address, Next next) {
    using Bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;
    Bits* bits = reinterpret_cast<Bits*>(address);
    // nvcc makes a weak load of a volatile one where it knows the state space; a weak load races with the atomic operations.
    Bits now = cuda::atomic_ref<Bits, cuda::thread_scope_device>{*bits}.load(cuda::memory_order_relaxed), before;
    do {
        before = now;
        now = atomicCAS(bits, before, cuda::std::bit_cast<Bits>(next(cuda::std::bit_cast<T>(before))));
    } while (now != before);
    return cuda::std::bit_cast<T>(before);
}

extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) __launch_bounds__(THREADS)
    cluster_atomics(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ Smem smem;
    cg::cluster_group cluster = cg::this_cluster();
    const uint32_t t = threadIdx.x;

    if (t < 24) {
        smem.set[t] = 0;
        smem.clear[t] = ~0ull;
    }
    if (t < 8) {
        smem.least[t] = ~0ull;
        smem.greatest[t] = 0;
        smem.lowest[t] = INT64_MAX;
        smem.highest[t] = INT64_MIN;
        smem.brains[t] = __floats2bfloat162_rn(0, 0);
    }
    if (t == 0) {
        smem.sum = smem.checksum = 0;
        smem.total = smem.parity = 0;
        smem.words = smem.again = 0;
        smem.odd = 0;
        smem.halves = __floats2half2_rn(0, 0);
        smem.count[0] = smem.count[1] = 0;
        smem.wide = 0;
        smem.pair = Pair{0, 0};
    }
    cluster.sync();

    for (uint32_t i = cluster.block_rank() * THREADS + t; i < n; i += SIZE * THREADS) {
        const uint32_t word = input[i], flag = word & 1;
        const Unsigned hash = (Unsigned(word) + 1) * 0x9e3779b97f4a7c15;
        const Signed number = Signed(hash);
        const Unsigned bit = 1ull << (i % 64);
        const __half2 halves = __floats2half2_rn(1, flag);
        const __nv_bfloat162 brains = __floats2bfloat162_rn(flag, 1);
        for (uint32_t rank = 0; rank < SIZE; ++rank) {
            Smem* peer = cluster.map_shared_rank(&smem, rank);
            const Unsigned set = update(&peer->set[i / 64], [=](Unsigned seen) { return seen | bit; });
            const Unsigned clear = update(&peer->clear[i / 64], [=](Unsigned seen) { return seen & ~bit; });
            atomicAdd(&peer->sum, hash);
            update(&peer->checksum, [=](Unsigned seen) { return seen ^ hash; });
            const Unsigned least = update(&peer->least[i % 8], [=](Unsigned seen) { return min(seen, hash); });
            const Unsigned greatest = update(&peer->greatest[i % 8], [=](Unsigned seen) { return max(seen, hash); });
            atomicAdd(reinterpret_cast<Unsigned*>(&peer->total), hash);
            update(&peer->parity, [=](Signed seen) { return seen ^ number; });
            update(&peer->lowest[i % 8], [=](Signed seen) { return min(seen, number); });
            update(&peer->highest[i % 8], [=](Signed seen) { return max(seen, number); });

            // Counts bits that have changed before, minima that rise and maxima that fall: the result is 0.
            uint32_t again = 0;
            if (i % 2 == 1) {
                again += (set & bit) != 0;
                again += (clear & bit) == 0;
                again += least < update(&peer->least[i % 8], [](Unsigned seen) { return min(seen, ~0ull); });
                again += greatest > update(&peer->greatest[i % 8], [](Unsigned seen) { return max(seen, 0ull); });
            }
            atomicAdd(&peer->words, word);
            atomicAdd(&peer->again, again);
            atomicAdd(&peer->odd, float(flag));
            atomicAdd(&peer->wide, double(word));
            update(&peer->halves, [=](__half2 seen) { return __hadd2(seen, halves); });
            update(&peer->brains[i % 8], [=](__nv_bfloat162 seen) { return __hadd2(seen, brains); });

            unsigned short count = 0, counted;
            while ((counted = atomicCAS(&peer->count[0], count, count + 1)) != count) {
                count = counted;
            }
            Pair pair{0, 0};
            for (;;) {
                const Pair found = atomicCAS(&peer->pair, pair, Pair{pair.lo + 1, pair.hi ^ hash});
                if (found.lo == pair.lo && found.hi == pair.hi) {
                    break;
                }
                pair = found;
            }
        }
    }
    cluster.sync();

    uint32_t* results = output + blockIdx.x * 188;
    for (uint32_t i = t; i < 171; i += THREADS) {
        results[i] = reinterpret_cast<const uint32_t*>(&smem)[i];
    }
    if (t < 2) {
        results[171 + t] = reinterpret_cast<const uint32_t*>(&smem.wide)[t];
    }
    if (t < 10) {
        results[173 + t] = reinterpret_cast<const uint32_t*>(&smem.halves)[t];
    }
    if (t < 4) {
        results[183 + t] = reinterpret_cast<const uint32_t*>(&smem.pair)[t];
    }
    if (t == 0) {
        results[187] = 0;
    }
}
