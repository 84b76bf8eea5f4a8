// Programmatic dependent launch: a grid starts before the grid before it has ended, and waits before it accesses that grid's
// memory.
#include <cstdint>

extern "C" __global__ void launch_dependent(const uint32_t* input, uint32_t* output, uint32_t n) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        output[i] = 3 * input[i] + i;
    }
}
