// Groups of two warps: a reduction, a shuffle, a vote and a scan.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<64>(block);
    unsigned i = threadIdx.x, value = in[i], sum = cg::reduce(tile, value, cg::plus<unsigned>());
    tile.sync();
    sum += tile.shfl(value, 3);
    sum += tile.any(value == 5);
    out[blockIdx.x * 64 + i] = sum + cg::exclusive_scan(tile, value, cg::plus<unsigned>());
}
