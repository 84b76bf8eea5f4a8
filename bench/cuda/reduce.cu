// Each reduction and scan of a CTA, of its warps, and of groups of lanes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cmath>
#include <cstdint>

namespace cg = cooperative_groups;

constexpr uint32_t WARP = 32;
constexpr uint32_t WARPS = 32;
// All lanes. Lanes that a partial warp lacks count as exited.
constexpr uint32_t ALL = 0xffffffff;

// A lane, and the number of lanes of its warp: the last warp of the CTA may be partial.
struct Warp {
    uint32_t lane, lanes;

    // The warp reductions of `redux` take 32-bit integers only.
    __device__ uint32_t reduce(uint32_t value, cg::plus<uint32_t>) const { return __reduce_add_sync(ALL, value); }
    __device__ uint32_t reduce(uint32_t value, cg::less<uint32_t>) const { return __reduce_min_sync(ALL, value); }
    __device__ uint32_t reduce(uint32_t value, cg::greater<uint32_t>) const { return __reduce_max_sync(ALL, value); }
    __device__ uint32_t reduce(uint32_t value, cg::bit_and<uint32_t>) const { return __reduce_and_sync(ALL, value); }
    __device__ uint32_t reduce(uint32_t value, cg::bit_or<uint32_t>) const { return __reduce_or_sync(ALL, value); }
    __device__ uint32_t reduce(uint32_t value, cg::bit_xor<uint32_t>) const { return __reduce_xor_sync(ALL, value); }
    __device__ int32_t reduce(int32_t value, cg::less<int32_t>) const { return __reduce_min_sync(ALL, value); }
    __device__ int32_t reduce(int32_t value, cg::greater<int32_t>) const { return __reduce_max_sync(ALL, value); }

    // Reduces each `WIDTH` adjacent lanes.
    template <uint32_t WIDTH = WARP, typename T, typename Op>
    __device__ T reduce(T value, Op op) const {
        for (uint32_t delta = WIDTH / 2; delta > 0; delta /= 2) {
            const T above = __shfl_down_sync(ALL, value, delta, WIDTH);
            if (lane + delta < lanes) {
                value = op(value, above);
            }
        }
        return __shfl_sync(ALL, value, 0, WIDTH);
    }

    template <uint32_t WIDTH = WARP, typename T, typename Op>
    __device__ T inclusive_scan(T value, Op op) const {
        for (uint32_t delta = 1; delta < WIDTH; delta *= 2) {
            const T below = __shfl_up_sync(ALL, value, delta, WIDTH);
            if (lane % WIDTH >= delta) {
                value = op(below, value);
            }
        }
        return value;
    }

    template <uint32_t WIDTH = WARP, typename T, typename Op>
    __device__ T exclusive_scan(T value, T first, Op op) const {
        const T below = __shfl_up_sync(ALL, inclusive_scan<WIDTH>(value, op), 1, WIDTH);
        return lane % WIDTH > 0 ? below : first;
    }
};

// The results of a scan: this thread's value, and the total.
template <typename T>
struct Scanned {
    T mine, all;
};

// The threads of the CTA, in any number.
class Block {
  public:
    __device__ Block() : rank(threadIdx.x / WARP), warps((blockDim.x + WARP - 1) / WARP) {
        warp.lane = threadIdx.x % WARP;
        warp.lanes = min(WARP, blockDim.x - rank * WARP);
    }

    template <typename T, typename Op>
    __device__ T reduce(T value, T identity, Op op) {
        const T* results = publish(0, warp.reduce(value, op));
        T all = identity;
        // Each lane takes one result; in a partial warp it may take more.
        for (uint32_t other = warp.lane; other < warps; other += warp.lanes) {
            all = op(all, results[other]);
        }
        return warp.reduce(all, op);
    }

    template <typename T, typename Op>
    __device__ Scanned<T> inclusive_scan(T value, T identity, Op op) {
        const T upto = warp.inclusive_scan(value, op);
        const Scanned<T> of_warps = scan_warps(upto, identity, op);
        return {op(of_warps.mine, upto), of_warps.all};
    }

    template <typename T, typename Op>
    __device__ Scanned<T> exclusive_scan(T value, T identity, Op op) {
        const T upto = warp.inclusive_scan(value, op);
        const Scanned<T> of_warps = scan_warps(upto, identity, op);
        const T below = __shfl_up_sync(ALL, upto, 1);
        return {warp.lane > 0 ? op(of_warps.mine, below) : of_warps.mine, of_warps.all};
    }

    Warp warp;

  private:
    // One lane of each warp stores. The halves take turns: a thread stores to a half again after the barrier of the call in
    // between, and all threads have read that half before this barrier.
    template <typename T>
    __device__ const T* publish(uint32_t lane, T value) {
        __shared__ T results[2][WARPS];
        T* half = results[turn];
        turn ^= 1;
        if (warp.lane == lane) {
            half[rank] = value;
        }
        __syncthreads();
        return half;
    }

    // Scans the results of the warps: those of lower rank, and all.
    template <typename T, typename Op>
    __device__ Scanned<T> scan_warps(T upto, T identity, Op op) {
        const T* results = publish(warp.lanes - 1, upto);
        T before = identity, all = identity;
        for (uint32_t other = 0; other < warps; ++other) {
            before = other == rank ? all : before;
            all = op(all, results[other]);
        }
        return {before, all};
    }

    const uint32_t rank, warps;
    uint32_t turn = 0;
};

// Maps a float to an integer of the same order, with -0 below +0. NaN maps to `loser`: the greatest or the least integer, whose
// float is a NaN.
__device__ inline int32_t ordered(float x, int32_t loser) {
    const int32_t bits = __float_as_int(x);
    return isnan(x) ? loser : bits ^ (bits >> 31 & INT32_MAX);
}

__device__ inline float unordered(int32_t key) {
    return __int_as_float(key ^ (key >> 31 & INT32_MAX));
}

// Composes two affine maps `x * high + low`, of 16 bits each: an operation that is associative, but not commutative.
__device__ inline uint32_t then(uint32_t first, uint32_t second) {
    const uint32_t a = first >> 16, b = first & 0xffff, c = second >> 16, d = second & 0xffff;
    return a * c << 16 | ((b * c + d) & 0xffff);
}
constexpr uint32_t IDENTITY_MAP = 1 << 16;

extern "C" __global__ void cta_reductions(const uint32_t* input, uint32_t* output, uint32_t n) {
    // Not `coalesced_threads`: the lanes that are active together may be any.
    const auto threads = cg::tiled_partition<WARP>(cg::this_thread_block());
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t word = input[i];
    const float whole = float(word % 1024) - 512.0f, number = __uint_as_float(word);
    const uint64_t wide = uint64_t(word) << 29 ^ uint64_t(~word);
    const double whole_double = whole;
    Block block;
    const auto after = [](uint32_t first, uint32_t second) { return then(first, second); };

    uint32_t* at = output + i;
    const auto put = [&](uint32_t result) {
        *at = result;
        at += n;
    };
    const auto put_float = [&](float result) { put(__float_as_uint(result)); };
    const auto put_wide = [&](uint64_t result) {
        put(uint32_t(result));
        put(uint32_t(result >> 32));
    };
    const auto put_both = [&](Scanned<uint32_t> scanned) {
        put(scanned.mine);
        put(scanned.all);
    };

    put(block.reduce(word, 0u, cg::plus<uint32_t>()));
    put(block.reduce(word, UINT32_MAX, cg::less<uint32_t>()));
    put(block.reduce(word, 0u, cg::greater<uint32_t>()));
    put(block.reduce(word | 0xffff, UINT32_MAX, cg::bit_and<uint32_t>()));
    put(block.reduce(word & 0xff0, 0u, cg::bit_or<uint32_t>()));
    put(block.reduce(word, 0u, cg::bit_xor<uint32_t>()));
    put(block.reduce(word, 0u, [](uint32_t a, uint32_t b) { return a ^ b; }));

    put_both(block.inclusive_scan(word, 0u, cg::plus<uint32_t>()));
    put_both(block.exclusive_scan(word, 0u, cg::plus<uint32_t>()));
    put_both(block.inclusive_scan(word, IDENTITY_MAP, after));
    const Scanned<uint32_t> maps = block.exclusive_scan(word, IDENTITY_MAP, after);
    put(threadIdx.x > 0 ? maps.mine : 7);
    put(maps.all);

    put_float(block.reduce(whole, 0.0f, cg::plus<float>()));
    put_float(block.reduce(whole, 0.0f, [](float a, float b) { return a + b; }));
    put_float(unordered(block.reduce(ordered(number, INT32_MAX), INT32_MAX, cg::less<int32_t>())));
    put_float(unordered(block.reduce(ordered(number, INT32_MIN), INT32_MIN, cg::greater<int32_t>())));
    put_float(block.inclusive_scan(whole, 0.0f, cg::plus<float>()).mine);
    const Scanned<float> sums = block.exclusive_scan(whole, 0.0f, cg::plus<float>());
    put_float(sums.mine);
    put_float(sums.all);

    put_wide(block.reduce(wide, uint64_t(0), cg::plus<uint64_t>()));
    put_wide(block.reduce(wide, UINT64_MAX, cg::less<uint64_t>()));
    put_wide(block.reduce(wide, uint64_t(0), cg::greater<uint64_t>()));
    put_wide(__double_as_longlong(block.reduce(whole_double, 0.0, cg::plus<double>())));
    const auto lesser = [](double a, double b) { return fmin(a, b); };
    put_wide(__double_as_longlong(block.reduce(whole_double, double(INFINITY), lesser)));

    const Warp warp = block.warp;
    put_float(warp.reduce(whole, cg::plus<float>()));
    put(warp.reduce(int32_t(word), cg::greater<int32_t>()));
    put_float(warp.inclusive_scan(whole, cg::plus<float>()));
    put(warp.exclusive_scan(word, 0u, cg::plus<uint32_t>()));
    put(warp.exclusive_scan(word, 7u, after));
    put_float(unordered(warp.reduce(ordered(number, INT32_MAX), cg::less<int32_t>())));

    const cg::coalesced_group alike = cg::labeled_partition(threads, word & 3);
    put_float(cg::reduce(alike, whole, cg::plus<float>()));
    // The scan passes the value of the lower lanes as the second argument.
    put(cg::inclusive_scan(alike, word, [](uint32_t second, uint32_t first) { return then(first, second); }));
    put_float(cg::exclusive_scan(alike, whole, cg::plus<float>()));
    put_float(cg::reduce(alike, whole, [](float a, float b) { return fmaxf(a, b); }));

    put_float(warp.reduce<8>(whole, cg::plus<float>()));
    put(warp.exclusive_scan<8>(word, 7u, after));
}
