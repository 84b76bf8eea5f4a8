// Barriers of rows and columns of a cluster: the CTAs of a row, or of a column, wait for each other and for no other CTA.
#include "common.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr uint32_t ROUNDS = 64;
constexpr uint32_t COLUMNS = 4;
constexpr uint32_t ROWS = 2;
constexpr uint32_t THREADS = 128;
constexpr uint32_t WORDS = COLUMNS * ROWS * THREADS;

extern "C" __global__ void __cluster_dims__(COLUMNS, ROWS, 1) __launch_bounds__(THREADS)
    cluster_peers(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ uint32_t of_row[ROUNDS], of_column[ROUNDS];
    // Two mbarriers that take turns: a CTA may reach the next round while other CTAs still wait in this one.
    __shared__ uint64_t row_barrier[2], column_barrier[2];
    cg::cluster_group cluster = cg::this_cluster();
    const uint32_t rank = cluster.block_rank(), x = rank % COLUMNS, y = rank / COLUMNS;
    const uint32_t rounds = min(ROUNDS, n / WORDS);

    if (threadIdx.x < ROUNDS) {
        of_row[threadIdx.x] = 0;
        of_column[threadIdx.x] = 0;
    }
    if (threadIdx.x == 0) {
        for (uint32_t turn = 0; turn < 2; ++turn) {
            ptx::mbarrier_init(&row_barrier[turn], uint32_t(COLUMNS));
            ptx::mbarrier_init(&column_barrier[turn], uint32_t(ROWS));
        }
        publish_barriers();
    }
    cluster.sync();

    const auto meet = [&](uint64_t* barrier, uint32_t count, uint32_t first, uint32_t step, uint32_t parity) {
        __syncthreads();
        if (threadIdx.x < count) {
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                                 cluster.map_shared_rank(barrier, first + step * threadIdx.x));
        }
        wait_cluster(barrier, parity);
    };
    uint32_t hash = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
        const uint32_t word = input[WORDS * round + THREADS * rank + threadIdx.x];
        const uint32_t turn = round % 2, parity = round / 2 % 2;
        for (uint32_t peer = 0; peer < COLUMNS; ++peer) {
            atomicAdd(cluster.map_shared_rank(&of_row[round], y * COLUMNS + peer), word);
        }
        meet(&row_barrier[turn], COLUMNS, y * COLUMNS, 1, parity);
        for (uint32_t peer = 0; peer < ROWS; ++peer) {
            atomicAdd(cluster.map_shared_rank(&of_column[round], peer * COLUMNS + x), word);
        }
        meet(&column_barrier[turn], ROWS, x, COLUMNS, parity);
        hash = hash * 31 + of_row[round];
        hash = hash * 31 + of_column[round];
    }
    output[THREADS * rank + threadIdx.x] = hash;
    cluster.sync();
}
