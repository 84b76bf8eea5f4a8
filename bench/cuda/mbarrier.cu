// Tiles reversed: bulk loads complete on an mbarrier, threads reverse the tile in shared memory, bulk stores write it.
#include "common.cuh"

constexpr uint32_t N = 512;

extern "C" __global__ void mbarrier_reverse(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ alignas(128) uint32_t forward[N];
    __shared__ alignas(128) uint32_t backward[N];
    __shared__ uint64_t loaded, turned;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&loaded, 1);
        ptx::mbarrier_init(&turned, 2 * blockDim.x);
        publish_barriers();
    }
    __syncthreads();

    uint32_t parity = 0;
    for (uint32_t tile = blockIdx.x; tile < n / N; tile += gridDim.x) {
        if (threadIdx.x == 0) {
            expect(&loaded, sizeof(forward));
            load(forward, input + size_t(tile) * N, sizeof(forward), &loaded);
        }
        wait(&loaded, parity);
        parity ^= 1;
        // Each thread arrives twice: when the tile has arrived, and when it has reversed its part.
        ptx::mbarrier_arrive_no_complete(&turned, 1);
        for (uint32_t i = threadIdx.x; i < N; i += blockDim.x) {
            backward[i] = forward[N - 1 - i];
        }
        ptx::fence_proxy_async(ptx::space_shared);
        const uint64_t token = ptx::mbarrier_arrive(&turned);
        while (!ptx::mbarrier_try_wait(&turned, token)) {
        }
        if (threadIdx.x == 0) {
            store(output + size_t(tile) * N, backward, sizeof(backward));
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
    }
}
