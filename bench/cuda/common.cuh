// Helpers of all kernels: names, waits on mbarriers, and bulk async copies.
#pragma once

#include <cuda/ptx>

#include <cstddef>
#include <cstdint>

namespace ptx = cuda::ptx;

// Waits until the phase of parity `parity` is complete.
__device__ inline void wait(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

// `wait` that also acquires the writes which other CTAs of the cluster released.
__device__ inline void wait_cluster(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {
    }
}

// Orders this thread's `mbarrier.init`s before the next barrier of the CTA or the cluster. Like CUTLASS, without a proxy fence.
__device__ inline void publish_barriers() {
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
}

// Arrives once, and expects `bytes` of copies (`mbarrier.arrive.expect_tx`).
__device__ inline void expect(uint64_t* barrier, uint32_t bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

// Starts a bulk async copy from global to shared memory, which completes on an mbarrier.
__device__ inline void load(void* to, const void* from, uint32_t bytes, uint64_t* barrier) {
    ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, to, from, bytes, barrier);
}

// Starts a bulk async copy from shared to global memory, in a group of its own.
__device__ inline void store(void* to, const void* from, uint32_t bytes) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, bytes);
    ptx::cp_async_bulk_commit_group();
}
