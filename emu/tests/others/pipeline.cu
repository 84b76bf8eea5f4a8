// `cuda::pipeline` of two stages, shared by a block.
#include <cooperative_groups.h>
#include <cuda/pipeline>
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ unsigned tile[2][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    unsigned i = threadIdx.x, sum = 0;
    for (int next = 0, step = 0; step < 2; step++) {
        for (; next < 2 && next < step + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&tile[next % 2][i], &in[i], cuda::aligned_size_t<4>(4), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += tile[step % 2][63 - i] + step;
        pipeline.consumer_release();
    }
    out[blockIdx.x * 64 + i] = sum;
}
