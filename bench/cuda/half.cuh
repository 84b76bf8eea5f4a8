// Vectors of halves, for `__half2` and `__nv_bfloat162`.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#include <type_traits>

// Eight halves, 16 bytes.
template <typename Pair>
struct alignas(16) Eight {
    Pair pairs[4];
};

// One load or store of 16 bytes: nvcc copies an `Eight` pair by pair.
template <typename Pair>
__device__ inline Eight<Pair> read(const Eight<Pair>* from) {
    const uint4 words = *reinterpret_cast<const uint4*>(from);
    Eight<Pair> eight;
    memcpy(&eight, &words, 16);
    return eight;
}

template <typename Pair>
__device__ inline void write(Eight<Pair>* to, const Eight<Pair>& eight) {
    uint4 words;
    memcpy(&words, &eight, 16);
    *reinterpret_cast<uint4*>(to) = words;
}

__device__ inline float2 to_floats(__half2 pair) { return __half22float2(pair); }
__device__ inline float2 to_floats(__nv_bfloat162 pair) { return __bfloat1622float2(pair); }

template <typename Pair>
__device__ inline Pair to_pair(float x, float y) {
    if constexpr (std::is_same_v<Pair, __half2>) {
        return __floats2half2_rn(x, y);
    } else {
        return __floats2bfloat162_rn(x, y);
    }
}
