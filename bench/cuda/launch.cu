// A grid that starts before the one it depends on has ended, and waits for its memory where it needs it.
#include <cstdint>

extern "C" __global__ void launch_dependent(const uint32_t* input, uint32_t* output, uint32_t n) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        output[i] = 3 * input[i] + i;
    }
}
