// Each thread reads what a thread of another block has written before `grid.sync()`.
#include <cooperative_groups.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
    auto grid = cooperative_groups::this_grid();
    unsigned i = grid.thread_rank();
    out[i] = in[i % 64] + 1;
    grid.sync();
    unsigned sum = out[(i + 64) % grid.num_threads()];
    grid.sync();
    out[i] = sum;
}
