// What the kernels share: names, and the wait for an mbarrier.
#pragma once

#include <cuda/ptx>

#include <cstddef>
#include <cstdint>

namespace ptx = cuda::ptx;

// Waits until the phase of that parity is complete.
__device__ inline void wait(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

// As `wait`, for what other CTAs of the cluster have released.
__device__ inline void wait_cluster(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {
    }
}

// Orders the mbarrier.inits of this thread, and nothing else, before the barrier of the CTA or the cluster that follows. There is no
// proxy fence, as CUTLASS has none.
__device__ inline void publish_barriers() {
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
}

// Arrives once, and announces bytes that copies will bring.
__device__ inline void expect(uint64_t* barrier, uint32_t bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

// A bulk copy from global memory to this CTA's shared memory, counted in an mbarrier.
__device__ inline void load(void* to, const void* from, uint32_t bytes, uint64_t* barrier) {
    ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, to, from, bytes, barrier);
}

// A bulk copy from shared to global memory, a group of its own.
__device__ inline void store(void* to, const void* from, uint32_t bytes) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, bytes);
    ptx::cp_async_bulk_commit_group();
}
