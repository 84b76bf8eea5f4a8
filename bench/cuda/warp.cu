// Segmented sums within each warp: `match.any` makes groups of equal keys, each group reduces, and shuffles make a prefix sum.
#include <cstdint>

extern "C" __global__ void warp_segmented_sum(const uint32_t* input, uint32_t* output, uint32_t n) {
    constexpr uint32_t ALL = 0xffffffff;
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const uint32_t value = i < n ? input[i] : 0;

    const uint32_t same_key = __match_any_sync(ALL, value & 7);
    const uint32_t before = __popc(same_key & ((1u << lane) - 1));
    const uint32_t sum = __reduce_add_sync(same_key, value) + before;

    uint32_t prefix = value;
    for (uint32_t delta = 1; delta < 32; delta *= 2) {
        const uint32_t up = __shfl_up_sync(ALL, prefix, delta);
        if (lane >= delta) {
            prefix += up;
        }
    }
    if (i < n) {
        output[i] = sum ^ prefix;
    }
}
