// Sums by pipelines with warp specialization: one thread of each CTA loads tiles (TMA), the warps after the first compute. In a
// cluster, each CTA loads a part of a tile and multicasts it to the CTAs that share the tile.
#include "common.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr uint32_t N = 512;
constexpr uint32_t BYTES = N * sizeof(uint32_t);

// The stage and phase parity of a producer or a consumer.
template <uint32_t STAGES>
struct Cursor {
    uint32_t stage = 0, parity = 0;

    __device__ void advance() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

template <uint32_t STAGES>
struct Barriers {
    uint64_t full[STAGES], empty[STAGES];

    // Initializes the mbarriers for `warps` consumer warps that release a stage. One thread of each CTA calls this.
    __device__ void init(uint32_t warps) {
        for (uint32_t stage = 0; stage < STAGES; ++stage) {
            ptx::mbarrier_init(&full[stage], 1);
            ptx::mbarrier_init(&empty[stage], warps);
        }
    }
};

extern "C" __global__ void pipeline_sum(const uint32_t* input, uint32_t* output, uint32_t n) {
    constexpr uint32_t STAGES = 12;
    __shared__ alignas(128) uint32_t stages[STAGES][N];
    __shared__ Barriers<STAGES> barriers;
    const uint32_t tiles = n / N, consumers = blockDim.x - 32;
    if (threadIdx.x == 0) {
        barriers.init(consumers / 32);
        publish_barriers();
    }
    __syncthreads();

    Cursor<STAGES> at;
    uint32_t sum = 0;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, at.advance()) {
                wait(&barriers.empty[at.stage], at.parity ^ 1);
                expect(&barriers.full[at.stage], BYTES);
                load(stages[at.stage], input + size_t(tile) * N, BYTES, &barriers.full[at.stage]);
            }
        }
    } else {
        for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, at.advance()) {
            wait(&barriers.full[at.stage], at.parity);
            for (uint32_t i = threadIdx.x - 32; i < N; i += consumers) {
                sum += stages[at.stage][i];
            }
            __syncwarp();
            if (threadIdx.x % 32 == 0) {
                ptx::mbarrier_arrive(&barriers.empty[at.stage]);
            }
        }
    }
    output[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The named barrier of the 128 threads that add up. CUDA C++ has it by `asm` only.
__device__ inline void sync_adders() {
    asm volatile("bar.sync 1, 128;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(160) pipeline_scan(const uint32_t* input, uint32_t* output, uint32_t n) {
    constexpr uint32_t STAGES = 8;
    __shared__ alignas(128) uint32_t stages[STAGES][N];
    __shared__ alignas(128) uint32_t out[N];
    __shared__ alignas(16) uint32_t totals[4];
    __shared__ Barriers<STAGES> barriers;
    const uint32_t tiles = n / N;
    if (threadIdx.x == 0) {
        barriers.init(4);
        publish_barriers();
    }
    __syncthreads();

    Cursor<STAGES> at;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, at.advance()) {
                wait(&barriers.empty[at.stage], at.parity ^ 1);
                expect(&barriers.full[at.stage], BYTES);
                load(stages[at.stage], input + size_t(tile) * N, BYTES, &barriers.full[at.stage]);
            }
        }
        return;
    }
    const uint32_t rank = threadIdx.x - 32, lane = rank % 32, warp = rank / 32;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, at.advance()) {
        wait(&barriers.full[at.stage], at.parity);
        uint4 words = reinterpret_cast<const uint4*>(stages[at.stage])[rank];
        __syncwarp();
        if (lane == 0) {
            ptx::mbarrier_arrive(&barriers.empty[at.stage]);
        }
        words.y += words.x;
        words.z += words.y;
        words.w += words.z;
        uint32_t before = words.w;
        for (uint32_t distance = 1; distance < 32; distance *= 2) {
            const uint32_t other = __shfl_up_sync(~0u, before, distance);
            before += lane >= distance ? other : 0;
        }
        if (lane == 31) {
            totals[warp] = before;
        }
        if (rank == 0) {
            // The store has read the tile before: after the barrier, `out` is free.
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        sync_adders();
        before -= words.w;
        for (uint32_t other = 0; other < warp; ++other) {
            before += totals[other];
        }
        reinterpret_cast<uint4*>(out)[rank] =
            make_uint4(words.x + before, words.y + before, words.z + before, words.w + before);
        ptx::fence_proxy_async(ptx::space_shared);
        sync_adders();
        if (rank == 0) {
            store(output + size_t(tile) * N, out, BYTES);
        }
    }
    if (rank == 0) {
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

// CTAs of a cluster that share tiles: `COUNT` ranks from `first` on, `step` apart. `index` is this CTA's place among them.
template <uint32_t COUNT>
struct Peers {
    uint32_t first, step, index;

    __device__ uint32_t rank(uint32_t i) const { return first + i * step; }

    __device__ uint16_t mask() const {
        uint16_t mask = 0;
        for (uint32_t i = 0; i < COUNT; ++i) {
            mask |= 1 << rank(i);
        }
        return mask;
    }

    // Multicasts this CTA's part of a tile to all CTAs of the group.
    __device__ void load_part(uint32_t* to, const uint32_t* tile, uint64_t* barrier) const {
        constexpr uint32_t PART = N / COUNT;
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + index * PART, tile + index * PART,
                           PART * sizeof(uint32_t), barrier, mask());
    }
};

// Adds up the words of the tiles `first`, `first + step`, …, which the CTAs of the group load together.
template <uint32_t STAGES, uint32_t COUNT>
__device__ inline uint32_t sum_of_shared_tiles(cg::cluster_group cluster, uint32_t (&stages)[STAGES][N],
                                               Barriers<STAGES>& barriers, Peers<COUNT> peers, const uint32_t* input,
                                               uint32_t tiles, uint32_t first, uint32_t step) {
    const uint32_t consumers = blockDim.x - 32, lane = threadIdx.x % 32;
    Cursor<STAGES> at;
    uint32_t sum = 0;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            for (uint32_t tile = first; tile < tiles; tile += step, at.advance()) {
                wait_released(&barriers.empty[at.stage], at.parity ^ 1);
                expect(&barriers.full[at.stage], BYTES);
                peers.load_part(stages[at.stage], input + size_t(tile) * N, &barriers.full[at.stage]);
            }
        }
    } else {
        for (uint32_t tile = first; tile < tiles; tile += step, at.advance()) {
            wait_copies(&barriers.full[at.stage], at.parity);
            for (uint32_t i = threadIdx.x - 32; i < N; i += consumers) {
                sum += stages[at.stage][i];
            }
            __syncwarp();
            if (lane < COUNT) {
                release_stage(cluster.map_shared_rank(&barriers.empty[at.stage], peers.rank(lane)));
            }
        }
    }
    // After this barrier, no copy or arrival of another CTA is in flight.
    cluster.sync();
    return sum;
}

extern "C" __global__ void __cluster_dims__(2, 2, 1)
    pipeline_multicast(const uint32_t* input, uint32_t* output, uint32_t n) {
    constexpr uint32_t STAGES = 4;
    __shared__ alignas(128) uint32_t stages[STAGES][N];
    __shared__ Barriers<STAGES> of_row, of_column, of_all;
    cg::cluster_group cluster = cg::this_cluster();
    const uint32_t rank = cluster.block_rank(), x = rank % 2, y = rank / 2, id = blockIdx.x / 2;
    const uint32_t tiles = n / N, warps = blockDim.x / 32 - 1;
    const Peers<2> row{2 * y, 1, x}, column{x, 2, y};
    const Peers<4> whole{0, 1, rank};
    if (threadIdx.x == 0) {
        of_row.init(2 * warps);
        of_column.init(2 * warps);
        of_all.init(4 * warps);
        publish_barriers();
    }
    cluster.sync();
    uint32_t sum = sum_of_shared_tiles(cluster, stages, of_row, row, input, tiles, 2 * id + y, 4);
    sum += 3 * sum_of_shared_tiles(cluster, stages, of_column, column, input, tiles, 2 * id + x, 4);
    sum += 5 * sum_of_shared_tiles(cluster, stages, of_all, whole, input, tiles, id, 2);
    output[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

struct Products {
    static constexpr uint32_t STAGES = 3;
    alignas(128) uint32_t a[STAGES][N];
    alignas(128) uint32_t b[STAGES][N];
    Barriers<STAGES> barriers;
};

extern "C" __global__ void __cluster_dims__(2, 2, 1)
    pipeline_products(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ Products smem;
    cg::cluster_group cluster = cg::this_cluster();
    const uint32_t rank = cluster.block_rank(), x = rank % 2, y = rank / 2;
    const uint32_t consumers = blockDim.x - 32, lane = threadIdx.x % 32, rounds = n / N / 8;
    const Peers<2> row{2 * y, 1, x}, column{x, 2, y};
    if (threadIdx.x == 0) {
        // Consumers of three CTAs release a stage: this CTA, the other CTA of its row, and the other CTA of its column.
        smem.barriers.init(3 * consumers / 32);
        publish_barriers();
    }
    cluster.sync();

    Cursor<Products::STAGES> at;
    uint32_t sum = 0;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            const uint32_t* a = input + size_t(blockIdx.y) * N;
            const uint32_t* b = input + size_t(4 + blockIdx.x) * N;
            for (uint32_t round = 0; round < rounds; ++round, at.advance()) {
                wait_released(&smem.barriers.empty[at.stage], at.parity ^ 1);
                expect(&smem.barriers.full[at.stage], 2 * BYTES);
                row.load_part(smem.a[at.stage], a, &smem.barriers.full[at.stage]);
                column.load_part(smem.b[at.stage], b, &smem.barriers.full[at.stage]);
                a += 8 * N;
                b += 8 * N;
            }
        }
    } else {
        for (uint32_t round = 0; round < rounds; ++round, at.advance()) {
            wait_copies(&smem.barriers.full[at.stage], at.parity);
            for (uint32_t i = threadIdx.x - 32; i < N; i += consumers) {
                sum += smem.a[at.stage][i] * smem.b[at.stage][i];
            }
            __syncwarp();
            // Lane 0 tells this CTA, lane 1 the other CTA of the row, lane 2 the other CTA of the column.
            if (lane < 3) {
                release_stage(cluster.map_shared_rank(&smem.barriers.empty[at.stage], rank ^ lane));
            }
        }
    }
    output[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
    cluster.sync();
}
