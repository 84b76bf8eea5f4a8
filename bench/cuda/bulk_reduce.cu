// Column sums by bulk reductions: rows come in by bulk copies and go out, added, by bulk reductions; one thread runs it all.
#include "common.cuh"

constexpr uint32_t COLUMNS = 512;
constexpr uint32_t BYTES = COLUMNS * sizeof(uint32_t);

// Cache policies, as `createpolicy.fractional` makes them for all of an access.
constexpr uint64_t EVICT_FIRST = 0x12F0000000000000;
constexpr uint64_t EVICT_LAST = 0x14F0000000000000;

// `cuda::ptx` has no form with a cache policy.
__device__ inline void load_hinted(void* to, const void* from, uint64_t* barrier, uint64_t policy) {
    asm volatile(
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(
            uint32_t(__cvta_generic_to_shared(to))),
        "l"(__cvta_generic_to_global(from)), "r"(BYTES), "r"(uint32_t(__cvta_generic_to_shared(barrier))), "l"(policy)
        : "memory");
}

__device__ inline void reduce_hinted(uint32_t* to, const uint32_t* from, uint64_t policy) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [%0], [%1], %2, %3;" ::"l"(
                     __cvta_generic_to_global(to)),
                 "r"(uint32_t(__cvta_generic_to_shared(from))), "r"(BYTES), "l"(policy)
                 : "memory");
    ptx::cp_async_bulk_commit_group();
}

extern "C" __global__ void bulk_reduce_columns(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ alignas(128) uint32_t a[COLUMNS];
    __shared__ alignas(128) uint32_t b[COLUMNS];
    __shared__ uint64_t loaded;
    if (threadIdx.x != 0) {
        return;
    }
    ptx::mbarrier_init(&loaded, 1);
    publish_barriers();

    const uint32_t rows = n / COLUMNS, step = gridDim.x;
    const auto at = [&](uint32_t row) { return input + size_t(row) * COLUMNS; };
    uint32_t parity = 0, row = blockIdx.x;
    for (; row + step < rows; row += 2 * step) {
        if (row + 2 * step < rows) {
            ptx::cp_async_bulk_prefetch(at(row + 2 * step), BYTES);
        }
        expect(&loaded, 2 * BYTES);
        load_hinted(a, at(row), &loaded, EVICT_FIRST);
        load_hinted(b, at(row + step), &loaded, EVICT_FIRST);
        wait(&loaded, parity);
        parity ^= 1;
        reduce_hinted(output, a, EVICT_LAST);
        reduce_hinted(output, b, EVICT_LAST);
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
    if (row < rows) {
        expect(&loaded, BYTES);
        load_hinted(a, at(row), &loaded, EVICT_FIRST);
        wait(&loaded, parity);
        reduce_hinted(output, a, EVICT_LAST);
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}
