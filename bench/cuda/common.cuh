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

// Waits for copies that other CTAs of the cluster have started. The fence acquires shared memory alone: `.acquire.cluster` would
// also drop the L1 cache.
__device__ inline void wait_copies(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cluster, barrier, parity)) {
    }
    ptx::fence_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
}

// Waits until consumers of the cluster have released a stage (`release_stage`), for copies into their shared memory.
__device__ inline void wait_released(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cluster, barrier, parity)) {
    }
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
}

// Releases a stage that the threads of the warp have read to copies of the CTA of the mbarrier `remote`. `.release.cluster` would
// also wait for accesses of global memory.
__device__ inline void release_stage(uint64_t* remote) {
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, remote);
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
