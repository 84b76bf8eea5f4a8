// A gather through dynamic shared memory: each thread reads words that other threads stored.
#include <cstdint>

extern "C" __global__ void shared_gather(const uint32_t* input, uint32_t* output, uint32_t n) {
    extern __shared__ uint32_t words[];
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        words[i] = input[i];
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        output[i] = words[(7 * i + 3) % n];
    }
}
