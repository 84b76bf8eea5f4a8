// y ← a·x + y by bulk async copies (TMA): persistent CTAs stream tiles through a ring of stages in shared memory.
#include "common.cuh"

constexpr uint32_t TILE = 3584;
constexpr uint32_t STAGES = 2;
constexpr uint32_t BYTES = TILE * sizeof(float);

struct alignas(128) Stage {
    float x[TILE];
    float y[TILE];
};

struct Smem {
    Stage stages[STAGES];
    uint64_t full[STAGES];
};

extern "C" __global__ void axpy_bulk(float a, const float* __restrict__ x, float* __restrict__ y, size_t n) {
    extern __shared__ __align__(128) unsigned char memory[];
    Smem& smem = *reinterpret_cast<Smem*>(memory);
    const size_t tiles = n / TILE;

    auto refill = [&](uint32_t stage, size_t tile) {
        if (tile < tiles) {
            expect(&smem.full[stage], 2 * BYTES);
            load(smem.stages[stage].x, x + tile * TILE, BYTES, &smem.full[stage]);
            load(smem.stages[stage].y, y + tile * TILE, BYTES, &smem.full[stage]);
        }
    };

    if (threadIdx.x == 0) {
        for (uint32_t stage = 0; stage < STAGES; ++stage) {
            ptx::mbarrier_init(&smem.full[stage], 1);
        }
        publish_barriers();
        for (uint32_t stage = 0; stage < STAGES; ++stage) {
            refill(stage, blockIdx.x + size_t(stage) * gridDim.x);
        }
    }
    __syncthreads();

    uint32_t stage = 0, parity = 0;
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        wait(&smem.full[stage], parity);
        const float4* xs = reinterpret_cast<const float4*>(smem.stages[stage].x);
        float4* ys = reinterpret_cast<float4*>(smem.stages[stage].y);
        for (uint32_t i = threadIdx.x; i < TILE / 4; i += blockDim.x) {
            const float4 u = xs[i];
            float4 v = ys[i];
            v.x = fmaf(a, u.x, v.x);
            v.y = fmaf(a, u.y, v.y);
            v.z = fmaf(a, u.z, v.z);
            v.w = fmaf(a, u.w, v.w);
            ys[i] = v;
        }
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            store(y + tile * TILE, ys, BYTES);
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
            refill(stage, tile + size_t(STAGES) * gridDim.x);
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }

    for (size_t i = tiles * TILE + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = fmaf(a, x[i], y[i]);
    }
}
