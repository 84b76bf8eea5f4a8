// DSMEM in clusters of 4 CTAs: a histogram whose bins are spread over the CTAs, tiles that travel round a ring, and tiles that
// are forwarded from buffer to buffer.
#include "common.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr uint32_t SIZE = 4;
constexpr uint32_t DIGITS = 64;

extern "C" __global__ void __cluster_dims__(SIZE, 1, 1)
    cluster_histogram(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ uint32_t bins[DIGITS];
    cg::cluster_group cluster = cg::this_cluster();
    const uint32_t rank = cluster.block_rank();
    if (threadIdx.x < DIGITS) {
        bins[threadIdx.x] = 0;
    }
    cluster.sync();

    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint32_t digit = input[i] % (SIZE * DIGITS);
        atomicAdd(cluster.map_shared_rank(&bins[digit % DIGITS], digit / DIGITS), 1);
    }
    cluster.sync();

    // The CTAs of lower rank hold the counts of the digits before this CTA's digits.
    if (threadIdx.x < DIGITS) {
        uint32_t start = 0;
        for (uint32_t lower = 0; lower < rank; ++lower) {
            const uint4* peer = reinterpret_cast<const uint4*>(cluster.map_shared_rank(bins, lower));
            for (uint32_t i = 0; i < DIGITS / 4; ++i) {
                const uint4 counts = peer[i];
                start += counts.x + counts.y + counts.z + counts.w;
            }
        }
        for (uint32_t d = 0; d < threadIdx.x; ++d) {
            start += bins[d];
        }
        output[blockIdx.x * DIGITS + threadIdx.x] = start;
    }
    cluster.sync();
}

constexpr uint32_t N = 512;
constexpr uint32_t THREADS = 128;
constexpr uint32_t BYTES = N * sizeof(uint32_t);

// The four words of this thread.
__device__ inline uint4 four(const uint32_t* tile) {
    return reinterpret_cast<const uint4*>(tile)[threadIdx.x];
}

__device__ inline void add(uint4& sum, uint4 words, uint32_t times) {
    sum.x += words.x * times;
    sum.y += words.y * times;
    sum.z += words.z * times;
    sum.w += words.w * times;
}

// Starts a bulk async copy to the shared memory of CTA `rank`, which completes on an mbarrier of that CTA.
__device__ inline void send(cg::cluster_group cluster, uint32_t rank, uint32_t* to, const uint32_t* from,
                            uint64_t* barrier) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(to, rank), from, uint32_t(BYTES),
                       cluster.map_shared_rank(barrier, rank));
}

__device__ inline void arrive(cg::cluster_group cluster, uint32_t rank, uint64_t* barrier) {
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                         cluster.map_shared_rank(barrier, rank));
}

struct Exchange {
    alignas(128) uint32_t here[SIZE - 1][N];
    alignas(128) uint32_t ring[N];
    alignas(128) uint32_t sent[N];
    alignas(128) uint32_t of_all[N];
    alignas(128) uint32_t sums[THREADS];
    alignas(128) uint32_t partner[THREADS];
    uint64_t loaded, ring_full, ring_free, sent_full, all_full, sums_full, partner_full, partner_free;
};

extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) __launch_bounds__(THREADS)
    cluster_exchange(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ Exchange smem;
    cg::cluster_group cluster = cg::this_cluster();
    const uint32_t rank = cluster.block_rank(), t = threadIdx.x;
    const uint32_t next = (rank + 1) % SIZE, previous = (rank + 3) % SIZE, other = rank ^ 1;
    const uint32_t* mine = input + blockIdx.x * N;
    const uint32_t* of_the_cluster = input + (2 * SIZE + blockIdx.x / SIZE) * N;

    smem.sums[t] = 0;
    smem.partner[t] = 0;
    if (t == 0) {
        for (uint64_t* barrier : {&smem.loaded, &smem.ring_full, &smem.ring_free, &smem.sent_full, &smem.all_full,
                                  &smem.sums_full, &smem.partner_full, &smem.partner_free}) {
            ptx::mbarrier_init(barrier, 1);
        }
        publish_barriers();
        expect(&smem.loaded, BYTES);
        expect(&smem.ring_full, BYTES);
        expect(&smem.sent_full, BYTES);
        expect(&smem.all_full, BYTES);
        expect(&smem.sums_full, (SIZE - 1) * sizeof(smem.sums));
        expect(&smem.partner_full, sizeof(smem.partner));
    }
    cluster.sync();

    if (t == 0) {
        load(smem.here[0], mine, BYTES, &smem.loaded);
        // Each CTA multicasts a part of the cluster's tile to all CTAs.
        constexpr uint32_t PART = N / SIZE;
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, smem.of_all + rank * PART,
                           of_the_cluster + rank * PART, PART * sizeof(uint32_t), &smem.all_full,
                           uint16_t((1 << SIZE) - 1));
        wait(&smem.loaded, 0);
        send(cluster, (rank + 2) % SIZE, smem.sent, smem.here[0], &smem.sent_full);
        send(cluster, next, smem.ring, smem.here[0], &smem.ring_full);
    }
    wait(&smem.loaded, 0);
    uint4 acc = four(smem.here[0]);

    // The threads copy the tile that has come in, and the next round sends the copy.
    for (uint32_t round = 2; round <= SIZE; ++round) {
        const uint32_t parity = round % 2;
        wait_copies(&smem.ring_full, parity);
        const uint4 words = four(smem.ring);
        add(acc, words, round);
        if (round < SIZE) {
            reinterpret_cast<uint4*>(smem.here[round - 1])[t] = words;
            ptx::fence_proxy_async(ptx::space_shared);
            __syncthreads();
            if (t == 0) {
                expect(&smem.ring_full, BYTES);
                arrive(cluster, previous, &smem.ring_free);
                wait_cluster(&smem.ring_free, parity);
                send(cluster, next, smem.ring, smem.here[round - 1], &smem.ring_full);
            }
        }
    }

    // Each thread sends one word to all other CTAs, and one to the partner.
    const uint32_t sum = acc.x + acc.y + acc.z + acc.w;
    for (uint32_t i = 1; i < SIZE; ++i) {
        const uint32_t peer = (rank + i) % SIZE;
        ptx::red_async(ptx::op_add, cluster.map_shared_rank(&smem.sums[t], peer), sum,
                       cluster.map_shared_rank(&smem.sums_full, peer));
    }
    ptx::red_async(ptx::op_add, cluster.map_shared_rank(&smem.partner[t], other), sum,
                   cluster.map_shared_rank(&smem.partner_full, other));
    wait_copies(&smem.sums_full, 0);
    const uint32_t all = smem.sums[t] + sum;
    wait_copies(&smem.partner_full, 0);
    uint32_t theirs = smem.partner[t];
    __syncthreads();
    if (t == 0) {
        expect(&smem.partner_full, sizeof(smem.partner));
        arrive(cluster, other, &smem.partner_free);
    }
    wait_cluster(&smem.partner_free, 0);
    ptx::st_async(cluster.map_shared_rank(&smem.partner[t], other), t,
                  cluster.map_shared_rank(&smem.partner_full, other));
    wait_copies(&smem.partner_full, 1);
    theirs += smem.partner[t];

    wait_copies(&smem.sent_full, 0);
    wait_copies(&smem.all_full, 0);
    const uint4 sent = four(smem.sent), of_all = four(smem.of_all);
    const uint32_t rest = all - 5 * theirs;
    uint4 result;
    result.x = (acc.x ^ of_all.x) + 3 * sent.x + rest;
    result.y = (acc.y ^ of_all.y) + 3 * sent.y + rest;
    result.z = (acc.z ^ of_all.z) + 3 * sent.z + rest;
    result.w = (acc.w ^ of_all.w) + 3 * sent.w + rest;
    reinterpret_cast<uint4*>(output + blockIdx.x * N)[t] = result;
    cluster.sync();
}

struct Forward {
    alignas(128) uint32_t tiles[4][N];
    alignas(128) uint32_t sums[N];
    alignas(128) uint32_t mixed[N];
    uint64_t full[4], read, credit, sums_full, mixed_full;
};

extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) __launch_bounds__(THREADS)
    cluster_forward(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ Forward smem;
    cg::cluster_group cluster = cg::this_cluster();
    const uint32_t rank = cluster.block_rank(), t = threadIdx.x;
    const uint32_t next = (rank + 1) % SIZE, previous = (rank + 3) % SIZE, other = rank ^ 1;
    const uint32_t* mine = input + blockIdx.x * N;

    const uint32_t i = 4 * t;
    reinterpret_cast<uint4*>(smem.sums)[t] = make_uint4(i, i + 1, i + 2, i + 3);
    reinterpret_cast<uint4*>(smem.mixed)[t] = make_uint4(7 * i, 7 * i + 7, 7 * i + 14, 7 * i + 21);
    ptx::fence_proxy_async(ptx::space_shared);
    if (t == 0) {
        for (uint64_t* barrier : {&smem.full[0], &smem.full[1], &smem.full[2], &smem.full[3], &smem.read,
                                  &smem.credit, &smem.sums_full, &smem.mixed_full}) {
            ptx::mbarrier_init(barrier, 1);
        }
        publish_barriers();
        expect(&smem.full[0], BYTES);
        expect(&smem.full[1], BYTES);
        expect(&smem.sums_full, (SIZE - 1) * BYTES);
        expect(&smem.mixed_full, BYTES);
    }
    cluster.sync();

    // The tile that came in last is sent on, into the buffer that the tile before it has left.
    if (t == 0) {
        load(smem.tiles[0], mine, BYTES, &smem.full[0]);
    }
    wait(&smem.full[0], 0);
    uint4 ring = four(smem.tiles[0]);
    for (uint32_t times = 2; times <= SIZE; ++times) {
        const uint32_t to = (times + 1) % 2, from = times % 2;
        if (t == 0) {
            send(cluster, next, smem.tiles[to], smem.tiles[from], &smem.full[to]);
        }
        wait_copies(&smem.full[to], times > 2);
        add(ring, four(smem.tiles[to]), times);
        __syncthreads();
        if (t == 0) {
            // Tells the previous CTA that its tile has been read, and waits until the next CTA has read this CTA's tile. Then
            // this CTA's buffer is free for the next tile.
            arrive(cluster, previous, &smem.read);
            wait_cluster(&smem.read, times % 2);
            expect(&smem.full[from], BYTES);
            arrive(cluster, previous, &smem.credit);
            wait_cluster(&smem.credit, times % 2);
        }
    }
    const uint32_t last = (SIZE + 1) % 2;
    if (t == 0) {
        for (uint32_t i = 1; i < SIZE; ++i) {
            const uint32_t peer = (rank + i) % SIZE;
            ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add,
                                      cluster.map_shared_rank(smem.sums, peer), smem.tiles[last], uint32_t(BYTES),
                                      cluster.map_shared_rank(&smem.sums_full, peer));
        }
    }
    wait_copies(&smem.sums_full, 0);
    cluster.sync();

    // Each tile has its own buffer, so a CTA waits only for the next tile.
    if (t == 0) {
        expect(&smem.full[1], BYTES);
        expect(&smem.full[2], BYTES);
        expect(&smem.full[3], BYTES);
        load(smem.tiles[0], mine, BYTES, &smem.full[0]);
    }
    uint4 kept = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (uint32_t stage = 0; stage < SIZE; ++stage) {
        wait_copies(&smem.full[stage], 0);
        if (t == 0 && stage + 1 < SIZE) {
            send(cluster, next, smem.tiles[stage + 1], smem.tiles[stage], &smem.full[stage + 1]);
        }
        add(kept, four(smem.tiles[stage]), SIZE - stage);
    }

    if (t == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_xor_op,
                                  cluster.map_shared_rank(smem.mixed, other), smem.sums, uint32_t(BYTES),
                                  cluster.map_shared_rank(&smem.mixed_full, other));
    }
    wait_copies(&smem.mixed_full, 0);
    const uint4 sums = four(smem.sums), mixed = four(smem.mixed);
    uint4 result;
    result.x = (ring.x ^ kept.x) + 3 * sums.x - 5 * mixed.x;
    result.y = (ring.y ^ kept.y) + 3 * sums.y - 5 * mixed.y;
    result.z = (ring.z ^ kept.z) + 3 * sums.z - 5 * mixed.z;
    result.w = (ring.w ^ kept.w) + 3 * sums.w - 5 * mixed.w;
    reinterpret_cast<uint4*>(output + blockIdx.x * N)[t] = result;
    cluster.sync();
}

extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) __launch_bounds__(THREADS)
    cluster_mirror(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ alignas(128) uint32_t own[N], mirrored[N], sums[THREADS];
    __shared__ uint64_t loaded, sent, added;
    cg::cluster_group cluster = cg::this_cluster();
    const uint32_t rank = cluster.block_rank(), t = threadIdx.x;
    sums[t] = 0;
    if (t == 0) {
        for (uint64_t* barrier : {&loaded, &sent, &added}) {
            ptx::mbarrier_init(barrier, 1);
        }
        publish_barriers();
        expect(&loaded, BYTES);
        expect(&sent, BYTES);
        expect(&added, (SIZE - 1) * sizeof(sums));
    }
    cluster.sync();

    if (t == 0) {
        load(own, input + blockIdx.x * N, BYTES, &loaded);
        wait(&loaded, 0);
        send(cluster, SIZE - 1 - rank, mirrored, own, &sent);
    }
    wait_copies(&sent, 0);
    const uint4 words = four(mirrored);
    if (t == 0) {
        store(output + blockIdx.x * N, mirrored, BYTES);
    }
    const uint32_t sum = words.x + words.y + words.z + words.w;
    for (uint32_t i = 1; i < SIZE; ++i) {
        const uint32_t peer = (rank + i) % SIZE;
        ptx::red_async(ptx::op_add, cluster.map_shared_rank(&sums[t], peer), sum,
                       cluster.map_shared_rank(&added, peer));
    }
    if (t == 0) {
        wait_copies(&added, 0);
        // `red.async` writes through the generic proxy.
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, output + 2 * SIZE * N, sums,
                                  uint32_t(sizeof(sums)));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
    // The other CTAs read this CTA's shared memory until here.
    cluster.sync();
}
