// Sums of the values of equal keys that stand next to each other.
#include "common.cuh"

extern "C" __global__ void __launch_bounds__(256)
    segmented_sum(const uint32_t* __restrict__ keys, const float* __restrict__ values, float* sums, size_t n,
                  size_t segments) {
    constexpr uint32_t ROWS = 2, CHUNK = 16 * ROWS * 32, NO_KEY = 0xffffffff;
    const uint32_t lane = threadIdx.x % 32;
    const auto flush = [&](uint32_t key, float sum) {
        if (key < segments) {
            atomicAdd(&sums[key], sum);
        }
    };
    const size_t count = n / 4;
    for (size_t chunk = size_t(blockIdx.x) * 8 + threadIdx.x / 32; chunk * CHUNK < count; chunk += size_t(gridDim.x) * 8) {
        uint32_t open = NO_KEY;
        float sum = 0.0f;
        const size_t end = min(count, (chunk + 1) * CHUNK);
        for (size_t first = chunk * CHUNK; first < end; first += 32 * ROWS) {
            uint4 of_keys[ROWS];
            float4 of_values[ROWS];
#pragma unroll
            for (uint32_t row = 0; row < ROWS; ++row) {
                const size_t i = first + 32 * row + lane;
                of_keys[row] = i < count ? reinterpret_cast<const uint4*>(keys)[i] : make_uint4(NO_KEY, NO_KEY, NO_KEY, NO_KEY);
                of_values[row] = i < count ? reinterpret_cast<const float4*>(values)[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            }
#pragma unroll
            for (uint32_t row = 0; row < ROWS; ++row) {
                const uint4 k = of_keys[row];
                const float4 v = of_values[row];
                const bool is_one_run = k.x == k.w;
                float head = v.x, tail = v.w;
                if (is_one_run) {
                    tail = (v.x + v.y) + (v.z + v.w);
                } else {
                    if (k.y == k.x) {
                        head += v.y;
                    } else if (k.y == k.w) {
                        tail += v.y;
                    } else {
                        flush(k.y, k.z == k.y ? v.y + v.z : v.y);
                    }
                    if (k.z == k.x) {
                        head += v.z;
                    } else if (k.z == k.w) {
                        tail += v.z;
                    } else if (k.z != k.y) {
                        flush(k.z, v.z);
                    }
                }
                uint32_t key_before = __shfl_up_sync(0xffffffff, k.w, 1);
                key_before = lane > 0 ? key_before : open;
                const bool goes_on = key_before == k.x, begins = !(goes_on && is_one_run);
                if (lane == 0 && !begins) {
                    tail += sum;
                }
                const uint32_t heads = __ballot_sync(0xffffffff, begins) | 1;
                const uint32_t reach = __clz(heads << (31 - lane));
                float upto = tail;
#pragma unroll
                for (uint32_t delta = 1; delta < 32; delta *= 2) {
                    const float lower = __shfl_up_sync(0xffffffff, upto, delta);
                    if (delta <= reach) {
                        upto += lower;
                    }
                }
                float before = __shfl_up_sync(0xffffffff, upto, 1);
                before = lane > 0 ? before : sum;
                if (goes_on) {
                    if (!is_one_run) {
                        flush(k.x, head + before);
                    }
                } else {
                    flush(key_before, before);
                    if (!is_one_run) {
                        flush(k.x, head);
                    }
                }
                open = __shfl_sync(0xffffffff, k.w, 31);
                sum = __shfl_sync(0xffffffff, upto, 31);
            }
        }
        if (lane == 0) {
            flush(open, sum);
        }
    }
    if (blockIdx.x == 0 && count * 4 + threadIdx.x < n) {
        flush(keys[count * 4 + threadIdx.x], values[count * 4 + threadIdx.x]);
    }
}
