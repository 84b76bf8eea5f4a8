// A shuffle of a group of two warps, directly after a reduction.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<64>(block);
    unsigned value = in[threadIdx.x], sum = cg::reduce(tile, value, cg::plus<unsigned>());
    out[blockIdx.x * 64 + threadIdx.x] = sum + tile.shfl(value, 3);
}
