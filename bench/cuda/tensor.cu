// Tensor copies (TMA): a transpose, a sum by reductions, a tensor map made on the device, and sums over rows by multicast.
#include "common.cuh"

#include <cooperative_groups.h>
#include <cuda.h>

namespace cg = cooperative_groups;

constexpr uint32_t SIDE = 32;
constexpr uint32_t SQUARE = SIDE * SIDE;

// The index of word `i` in a box with rows of 128 bytes and the swizzle of 128 bytes.
__device__ inline uint32_t swizzled(uint32_t i) {
    return i ^ (i >> 5 & 7) << 2;
}

__device__ inline void prefetch(const CUtensorMap* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__device__ inline void load_box(void* to, const CUtensorMap* map, int32_t x, int32_t y, uint64_t* barrier) {
    const int32_t at[2] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, to, map, at, barrier);
}

extern "C" __global__ void tensor_transpose(const CUtensorMap* input, const CUtensorMap* output, uint32_t width,
                                            uint32_t height) {
    __shared__ alignas(1024) uint32_t in[SQUARE];
    __shared__ alignas(1024) uint32_t out[SQUARE];
    __shared__ uint64_t loaded;
    if (threadIdx.x == 0) {
        prefetch(input);
        prefetch(output);
        ptx::mbarrier_init(&loaded, 1);
        publish_barriers();
    }
    __syncthreads();

    const uint32_t columns = (height + SIDE - 1) / SIDE, rows = (width + SIDE - 1) / SIDE;
    uint32_t parity = 0;
    for (uint32_t square = blockIdx.x; square < columns * rows; square += gridDim.x) {
        const int32_t x = square % columns * SIDE, y = square / columns * SIDE;
        if (threadIdx.x == 0) {
            expect(&loaded, sizeof(in));
            load_box(in, input, y, x, &loaded);
        }
        wait(&loaded, parity);
        parity ^= 1;
        // Each thread moves four words of a column of the input to a row of the output.
        for (uint32_t i = 4 * threadIdx.x; i < SQUARE; i += 4 * blockDim.x) {
            const uint32_t from = i % SIDE * SIDE + i / SIDE;
            *reinterpret_cast<uint4*>(&out[swizzled(i)]) =
                make_uint4(in[swizzled(from)], in[swizzled(from + SIDE)], in[swizzled(from + 2 * SIDE)],
                           in[swizzled(from + 3 * SIDE)]);
        }
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            const int32_t at[2] = {x, y};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, output, at, out);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
    }
}

// The first warp copies the tensor map from shared to global memory and acquires it for the copies of this CTA.
__device__ inline void publish_map(CUtensorMap* to, const CUtensorMap* draft) {
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, to, draft, ptx::n32_t<128>{});
    // Any lane may have made the copy (PTX ISA 9.7.13.16).
    __syncwarp();
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, to, ptx::n32_t<128>{});
}

extern "C" __global__ void tensor_sum(const CUtensorMap* first, const CUtensorMap* sums, const uint32_t* matrices,
                                      CUtensorMap* maps, uint32_t width, uint32_t height, size_t words) {
    __shared__ alignas(128) uint32_t square[SQUARE];
    __shared__ alignas(128) CUtensorMap draft;
    __shared__ uint64_t loaded;
    if (threadIdx.x >= 32) {
        return;
    }
    reinterpret_cast<uint32_t*>(&draft)[threadIdx.x] = reinterpret_cast<const uint32_t*>(first)[threadIdx.x];
    __syncwarp();
    CUtensorMap* mine = maps + blockIdx.x;
    if (threadIdx.x == 0) {
        ptx::tensormap_replace_global_address(ptx::space_shared, &draft, matrices + words * blockIdx.x);
        ptx::mbarrier_init(&loaded, 1);
        publish_barriers();
    }
    publish_map(mine, &draft);

    if (threadIdx.x == 0) {
        uint32_t parity = 0;
        for (uint32_t y = 0; y < height; y += SIDE) {
            for (uint32_t x = 0; x < width; x += SIDE) {
                expect(&loaded, sizeof(square));
                load_box(square, mine, x, y, &loaded);
                wait(&loaded, parity);
                parity ^= 1;
                const int32_t at[2] = {int32_t(x), int32_t(y)};
                ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, sums, at, square);
                ptx::cp_async_bulk_commit_group();
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
            }
        }
    }
}

extern "C" __global__ void tensor_retype(const CUtensorMap* words, const uint16_t* elements, CUtensorMap* map,
                                         uint32_t* output, uint32_t width, uint32_t height, uint32_t depth,
                                         uint64_t row, uint64_t matrix) {
    constexpr uint32_t BOX[3] = {32, 4, 2};
    constexpr uint32_t LENGTH = BOX[0] * BOX[1] * BOX[2];
    __shared__ alignas(128) uint16_t part[LENGTH];
    __shared__ alignas(128) CUtensorMap draft;
    __shared__ uint64_t loaded;
    if (threadIdx.x < 32) {
        reinterpret_cast<uint32_t*>(&draft)[threadIdx.x] = reinterpret_cast<const uint32_t*>(words)[threadIdx.x];
        __syncwarp();
        if (threadIdx.x == 0) {
            constexpr auto space = ptx::space_shared;
            constexpr ptx::n32_t<0> d0{};
            constexpr ptx::n32_t<1> d1{};
            constexpr ptx::n32_t<2> d2{};
            ptx::tensormap_replace_rank(space, &draft, 2);
            ptx::tensormap_replace_box_dim(space, &draft, d0, BOX[0]);
            ptx::tensormap_replace_box_dim(space, &draft, d1, BOX[1]);
            ptx::tensormap_replace_box_dim(space, &draft, d2, BOX[2]);
            ptx::tensormap_replace_element_size(space, &draft, d2, 1);
            ptx::tensormap_replace_elemtype(space, &draft, ptx::n32_t<1>{}); // .u16
            ptx::tensormap_replace_swizzle_mode(space, &draft, ptx::n32_t<0>{});
            ptx::tensormap_replace_fill_mode(space, &draft, ptx::n32_t<0>{});
            ptx::tensormap_replace_global_address(space, &draft, elements);
            ptx::tensormap_replace_global_dim(space, &draft, d0, width);
            ptx::tensormap_replace_global_dim(space, &draft, d1, height);
            ptx::tensormap_replace_global_dim(space, &draft, d2, depth);
            ptx::tensormap_replace_global_stride(space, &draft, d0, row);
            ptx::tensormap_replace_global_stride(space, &draft, d1, matrix);
            ptx::mbarrier_init(&loaded, 1);
            publish_barriers();
        }
        publish_map(map, &draft);
    }
    __syncthreads();

    uint32_t parity = 0;
    for (uint32_t z = 0; z < depth; z += BOX[2]) {
        for (uint32_t y = 0; y < height; y += BOX[1]) {
            for (uint32_t x = 0; x < width; x += BOX[0]) {
                if (threadIdx.x == 0) {
                    const int32_t at[3] = {int32_t(x), int32_t(y), int32_t(z)};
                    expect(&loaded, sizeof(part));
                    ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, part, map, at, &loaded);
                }
                wait(&loaded, parity);
                parity ^= 1;
                for (uint32_t i = threadIdx.x; i < LENGTH; i += blockDim.x) {
                    output[i] = part[i];
                }
                output += LENGTH;
                // All threads have read the box; the next box may overwrite it.
                __syncthreads();
            }
        }
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    tensor_multicast(const CUtensorMap* input, uint32_t* output, uint32_t width, uint32_t height) {
    constexpr uint32_t STAGES = 3;
    __shared__ alignas(1024) uint32_t squares[STAGES][SQUARE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    cg::cluster_group cluster = cg::this_cluster();
    const uint32_t rank = cluster.block_rank(), lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (uint32_t stage = 0; stage < STAGES; ++stage) {
            ptx::mbarrier_init(&full[stage], 1);
            ptx::mbarrier_init(&empty[stage], 2);
        }
        publish_barriers();
    }
    cluster.sync();

    uint32_t stage = 0, parity = 0, hash = 0;
    const auto advance = [&] {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    };
    for (uint32_t y = blockIdx.x / 2 * SIDE; y < height; y += 2 * SIDE) {
        uint32_t sum = 0, factor = 1 + rank;
        for (uint32_t x = 0; x < width; x += SIDE) {
            if (threadIdx.x == 0) {
                wait_released(&empty[stage], parity ^ 1);
                expect(&full[stage], SQUARE * sizeof(uint32_t));
                // Multicasts half of the square to both CTAs.
                const int32_t at[2] = {int32_t(x), int32_t(y + rank * (SIDE / 2))};
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global,
                                          squares[stage] + rank * (SQUARE / 2), input, at, &full[stage], uint16_t(3));
            } else if (threadIdx.x >= 32) {
                wait_copies(&full[stage], parity);
                for (uint32_t i = 0; i < SIDE; ++i) {
                    sum += squares[stage][swizzled(lane * SIDE + i)] * factor;
                    factor += 2;
                }
                __syncwarp();
                if (lane < 2) {
                    release_stage(cluster.map_shared_rank(&empty[stage], lane));
                }
            }
            advance();
        }
        hash = 31 * hash + sum;
    }
    output[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x < 32 ? 0 : hash;
    cluster.sync();
}
