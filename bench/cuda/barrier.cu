// Warp specialization with named barriers: two warps load tiles from global memory, two other warps sum them.
#include <cstdint>

constexpr uint32_t TILE = 256;
constexpr uint32_t PARTY = 64;

// Named barriers between the parts. CUDA C++ has them by `asm` only.
template <int BARRIER>
__device__ inline void bar_sync() {
    asm volatile("bar.sync %0, %1;" ::"n"(BARRIER), "n"(2 * PARTY) : "memory");
}

template <int BARRIER>
__device__ inline void bar_arrive() {
    asm volatile("bar.arrive %0, %1;" ::"n"(BARRIER), "n"(2 * PARTY) : "memory");
}

constexpr int FULL = 1;
constexpr int EMPTY = 2;

extern "C" __global__ void barrier_handoff(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ uint32_t tile[TILE];
    const uint32_t tiles = n / TILE;
    if (threadIdx.x < PARTY) {
        for (uint32_t t = 0; t < tiles; ++t) {
            for (uint32_t i = threadIdx.x; i < TILE; i += PARTY) {
                tile[i] = input[t * TILE + i];
            }
            bar_arrive<FULL>();
            bar_sync<EMPTY>();
        }
    } else if (threadIdx.x < 2 * PARTY) {
        const uint32_t c = threadIdx.x - PARTY;
        uint32_t sum = 0;
        for (uint32_t t = 0; t < tiles; ++t) {
            bar_sync<FULL>();
            sum += tile[(c + PARTY * t) % TILE] * (t + 1) + tile[TILE - 1 - c];
            bar_arrive<EMPTY>();
        }
        output[c] = sum;
    }
}
