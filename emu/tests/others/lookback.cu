// A scan with decoupled look-back by `cuda::atomic_ref`: a block publishes its sum, and adds those of the blocks before it.
#include <cub/block/block_scan.cuh>
#include <cuda/atomic>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned long long* state) {
    using Scan = cub::BlockScan<unsigned, 64>;
    __shared__ typename Scan::TempStorage storage;
    __shared__ unsigned before;
    unsigned value, total;
    Scan(storage).InclusiveSum(in[threadIdx.x], value, total);
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (blockIdx.x > 0) {
            cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> previous(state[blockIdx.x - 1]);
            unsigned long long word;
            while ((word = previous.load(cuda::memory_order_relaxed)) >> 32 == 0) {}
            sum = (unsigned)word;
        }
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(state[blockIdx.x]).store(1ull << 32 | (sum + total), cuda::memory_order_relaxed);
        before = sum;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = before + value;
}
