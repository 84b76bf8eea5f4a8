// An aggregated atomic: the active threads of a warp add once for all of them.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
    __shared__ unsigned place;
    if (threadIdx.x == 0) place = 0;
    __syncthreads();
    unsigned value = in[threadIdx.x];
    if (value % 3 != 0) {
        auto active = cg::coalesced_threads();
        unsigned first = 0;
        if (active.thread_rank() == 0) first = atomicAdd(&place, active.size());
        out[blockIdx.x * 64 + active.shfl(first, 0) + active.thread_rank()] = value;
    }
}
