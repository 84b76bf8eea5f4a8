// A sort of a block by merges, of which each reads past the end of a run.
#include <cub/block/block_merge_sort.cuh>
struct Less { __device__ bool operator()(unsigned a, unsigned b) const { return a < b; } };
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
    using Sort = cub::BlockMergeSort<unsigned, 64, 1>;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[1] = {in[threadIdx.x]};
    Sort(storage).Sort(keys, Less());
    out[blockIdx.x * 64 + threadIdx.x] = keys[0];
}
