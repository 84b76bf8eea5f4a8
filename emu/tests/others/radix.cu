// A sort of a block by digits of two bits.
#include <cub/block/block_radix_sort.cuh>
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
    using Sort = cub::BlockRadixSort<unsigned, 64, 1, cub::NullType, 2>;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[1] = {in[threadIdx.x]};
    Sort(storage).Sort(keys, 0, 4);
    out[blockIdx.x * 64 + threadIdx.x] = keys[0];
}
