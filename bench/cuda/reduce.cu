// Reductions and scans of a CTA, of its warps, and of parts of these.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cmath>
#include <cstdint>

namespace cg = cooperative_groups;

constexpr uint32_t WARP = 32;
constexpr uint32_t WARPS = 32;

// A lesser and a greater number of floats, of which NaN is none.
struct Lesser {
    __device__ float operator()(float a, float b) const { return fminf(a, b); }
    __device__ double operator()(double a, double b) const { return fmin(a, b); }
};
struct Greater {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// What a scan gives a thread, and all.
template <typename T>
struct Scanned {
    T mine, all;
};

// The CTA's threads, of any number: its last warp may lack lanes.
class Block {
  public:
    __device__ Block() : warp(cg::coalesced_threads()), rank(threadIdx.x / WARP), warps((blockDim.x + WARP - 1) / WARP) {}

    // Each warp's result goes by way of shared memory to all threads.
    template <typename T, typename Op>
    __device__ T reduce(T value, T identity, Op op) {
        T* results = publish(warp.thread_rank() == 0, cg::reduce(warp, value, op));
        T all = identity;
        for (uint32_t other = warp.thread_rank(); other < warps; other += warp.size()) {
            all = op(all, results[other]);
        }
        return cg::reduce(warp, all, op);
    }

    template <typename T, typename Op>
    __device__ Scanned<T> inclusive_scan(T value, T identity, Op op) {
        const T upto = cg::inclusive_scan(warp, value, op);
        const Scanned<T> of_warps = scan_warps(upto, identity, op);
        return {op(upto, of_warps.mine), of_warps.all};
    }

    template <typename T, typename Op>
    __device__ Scanned<T> exclusive_scan(T value, T identity, Op op) {
        const T upto = cg::inclusive_scan(warp, value, op);
        const Scanned<T> of_warps = scan_warps(upto, identity, op);
        const T before = warp.shfl_up(upto, 1);
        return {warp.thread_rank() == 0 ? of_warps.mine : op(before, of_warps.mine), of_warps.all};
    }

    cg::coalesced_group warp;

  private:
    // One thread of each warp stores.
    template <typename T>
    __device__ T* publish(bool one, T value) {
        __shared__ T results[2][WARPS];
        T* half = results[turn];
        // What is read from one half is read before the barrier at which the other is complete.
        turn ^= 1;
        if (one) {
            half[rank] = value;
        }
        __syncthreads();
        return half;
    }

    template <typename T, typename Op>
    __device__ Scanned<T> scan_warps(T upto, T identity, Op op) {
        const T* results = publish(warp.thread_rank() == warp.size() - 1, upto);
        T before = identity, all = identity;
        for (uint32_t other = 0; other < warps; ++other) {
            before = other == rank ? all : before;
            all = op(results[other], all);
        }
        return {before, all};
    }

    const uint32_t rank, warps;
    uint32_t turn = 0;
};

// One affine map of 16 bits after another, x * (high) + (low), of which the first is what comes from below: associative, not
// commutative.
struct Then {
    __device__ uint32_t operator()(uint32_t second, uint32_t first) const {
        const uint32_t a = first >> 16, b = first & 0xffff, c = second >> 16, d = second & 0xffff;
        return a * c << 16 | ((b * c + d) & 0xffff);
    }
};
constexpr uint32_t IDENTITY_MAP = 1 << 16;

extern "C" __global__ void cta_reductions(const uint32_t* input, uint32_t* output, uint32_t n) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t word = input[i];
    const float whole = float(word % 1024) - 512.0f, number = __uint_as_float(word);
    const uint64_t wide = uint64_t(word) << 29 ^ uint64_t(~word);
    const double whole_double = whole;
    Block block;

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
    put_both(block.inclusive_scan(word, IDENTITY_MAP, Then()));
    const Scanned<uint32_t> maps = block.exclusive_scan(word, IDENTITY_MAP, Then());
    put(threadIdx.x == 0 ? 7 : maps.mine);
    put(maps.all);

    put_float(block.reduce(whole, 0.0f, cg::plus<float>()));
    put_float(block.reduce(whole, 0.0f, [](float a, float b) { return a + b; }));
    put_float(block.reduce(number, NAN, Lesser()));
    put_float(block.reduce(number, NAN, Greater()));
    put_float(block.inclusive_scan(whole, 0.0f, cg::plus<float>()).mine);
    const Scanned<float> sums = block.exclusive_scan(whole, 0.0f, cg::plus<float>());
    put_float(sums.mine);
    put_float(sums.all);

    put_wide(block.reduce(wide, uint64_t(0), cg::plus<uint64_t>()));
    put_wide(block.reduce(wide, UINT64_MAX, cg::less<uint64_t>()));
    put_wide(block.reduce(wide, uint64_t(0), cg::greater<uint64_t>()));
    put_wide(__double_as_longlong(block.reduce(whole_double, 0.0, cg::plus<double>())));
    put_wide(__double_as_longlong(block.reduce(whole_double, double(NAN), Lesser())));

    const cg::coalesced_group warp = block.warp;
    put_float(cg::reduce(warp, whole, cg::plus<float>()));
    put(cg::reduce(warp, int32_t(word), cg::greater<int32_t>()));
    put_float(cg::inclusive_scan(warp, whole, cg::plus<float>()));
    put(cg::exclusive_scan(warp, word, cg::plus<uint32_t>()));
    const uint32_t below = cg::exclusive_scan(warp, word, Then());
    put(warp.thread_rank() == 0 ? 7 : below);
    put_float(cg::reduce(warp, fminf(number, NAN), Lesser()));

    const cg::coalesced_group alike = cg::labeled_partition(warp, word & 3);
    put_float(cg::reduce(alike, whole, cg::plus<float>()));
    put(cg::inclusive_scan(alike, word, Then()));
    put_float(cg::exclusive_scan(alike, whole, cg::plus<float>()));
    put_float(cg::reduce(alike, whole, Greater()));

    const cg::coalesced_group tile = cg::tiled_partition(warp, 8);
    put_float(cg::reduce(tile, whole, cg::plus<float>()));
    const uint32_t below_in_tile = cg::exclusive_scan(tile, word, Then());
    put(tile.thread_rank() == 0 ? 7 : below_in_tile);
}
