// `cuda::barrier` and a bulk copy: the thread that initializes the barrier starts the copy, as the CUDA programming guide shows.
#include <cuda/barrier>
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
    __shared__ alignas(16) unsigned tile[64];
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        cuda::device::experimental::cp_async_bulk_global_to_shared(tile, in, sizeof(tile), barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(tile));
    }
    __syncthreads();
    if (threadIdx.x != 0) token = barrier.arrive();
    barrier.wait(std::move(token));
    unsigned i = threadIdx.x;
    out[blockIdx.x * 64 + i] = tile[63 - i] + tile[i] + 1;
}
