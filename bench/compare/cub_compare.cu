// Times CUB's device-wide algorithms on arrays of the sizes of `ptx-gpu bench`, for a comparison on the same GPU: see bench/README.md.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -cudart static -o cub_compare cub_compare.cu
//
// Each time is the median of 50 launches, each after a device-to-device copy, by events on one stream.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        const cudaError_t error = (call);                                                    \
        if (error != cudaSuccess) {                                                          \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (false)

template <typename T>
T* allocate(size_t n) {
    T* memory;
    CHECK(cudaMalloc(&memory, n * sizeof(T)));
    return memory;
}

__host__ __device__ inline uint32_t scrambled(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15;
    i ^= i >> 29;
    i *= 0xbf58476d1ce4e5b9;
    return uint32_t(i >> 32);
}

template <typename T, typename F>
__global__ void fill(T* memory, size_t n, F f) {
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        memory[i] = f(i);
    }
}

struct Words {
    __device__ uint32_t operator()(size_t i) const { return scrambled(i); }
};
struct Integers {
    __device__ float operator()(size_t i) const { return float(scrambled(i) % 17) - 8.0f; }
};
// Runs of a hundred equal keys on average.
struct Keys {
    __device__ uint32_t operator()(size_t i) const { return uint32_t((i + scrambled(i / 100) % 50) / 100); }
};

// Prints the median time of `run`, and the bytes a second that it reads and writes.
template <typename F>
void time(const char* name, size_t bytes, F run) {
    constexpr int WARM_UP = 5, RUNS = 50;
    constexpr size_t COPY = size_t(1) << 28;
    static uint8_t *from = allocate<uint8_t>(COPY), *to = allocate<uint8_t>(COPY);
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < WARM_UP + RUNS; ++i) {
        CHECK(cudaMemcpyAsync(to, from, COPY, cudaMemcpyDeviceToDevice));
        CHECK(cudaEventRecord(start));
        run();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, end));
        if (i >= WARM_UP) {
            times.push_back(ms);
        }
    }
    std::sort(times.begin(), times.end());
    const double us = 1e3 * (times[RUNS / 2 - 1] + times[RUNS / 2]) / 2;
    std::printf("| %s | %.1f | %.0f |\n", name, us, bytes / us / 1e3);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
}

// Calls an algorithm of CUB first for the size of its temporary memory.
template <typename F>
void time_cub(const char* name, size_t bytes, F algorithm) {
    size_t size = 0;
    CHECK(algorithm(nullptr, size));
    void* memory = allocate<uint8_t>(size);
    time(name, bytes, [&] { CHECK(algorithm(memory, size)); });
    CHECK(cudaFree(memory));
}

int main() {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    std::printf("%s, CUB %d\n\n| algorithm | µs | GB/s |\n| --- | ---: | ---: |\n", properties.name, CUB_VERSION);
    const int grid = 8 * properties.multiProcessorCount;
    {
        const size_t n = size_t(1) << 28;
        uint32_t *from = allocate<uint32_t>(n), *to = allocate<uint32_t>(n);
        fill<<<grid, 256>>>(from, n, Words{});
        time("copy of 2^28 words", 8 * n,
             [&] { CHECK(cudaMemcpyAsync(to, from, 4 * n, cudaMemcpyDeviceToDevice)); });
        time_cub("DeviceScan::ExclusiveSum, 2^28 u32", 8 * n,
                 [&](void* memory, size_t& size) { return cub::DeviceScan::ExclusiveSum(memory, size, from, to, n); });
        time_cub("DeviceRadixSort::SortKeys, 2^28 u32", 9 * 4 * n, [&](void* memory, size_t& size) {
            return cub::DeviceRadixSort::SortKeys(memory, size, from, to, n);
        });
        CHECK(cudaFree(from));
        CHECK(cudaFree(to));
    }
    {
        const size_t n = size_t(1) << 27;
        uint32_t *keys = allocate<uint32_t>(n), *unique = allocate<uint32_t>(n), *count = allocate<uint32_t>(1);
        float *values = allocate<float>(n), *sums = allocate<float>(n);
        fill<<<grid, 256>>>(keys, n, Keys{});
        fill<<<grid, 256>>>(values, n, Integers{});
        time_cub("DeviceReduce::ReduceByKey, 2^27 u32 and f32, runs of 100", 8 * n, [&](void* memory, size_t& size) {
            return cub::DeviceReduce::ReduceByKey(memory, size, keys, unique, values, sums, count, cuda::std::plus<>{}, n);
        });
        CHECK(cudaFree(keys));
        CHECK(cudaFree(unique));
        CHECK(cudaFree(count));
        CHECK(cudaFree(values));
        CHECK(cudaFree(sums));
    }
    {
        const size_t n = size_t(1) << 30;
        float *from = allocate<float>(n), *to = allocate<float>(1);
        fill<<<grid, 256>>>(from, n, Integers{});
        time_cub("DeviceReduce::Sum, 2^30 f32", 4 * n,
                 [&](void* memory, size_t& size) { return cub::DeviceReduce::Sum(memory, size, from, to, n); });
        float sum;
        CHECK(cudaMemcpy(&sum, to, sizeof sum, cudaMemcpyDeviceToHost));
        double expected = 0.0;
        for (size_t i = 0; i < n; ++i) {
            expected += double(scrambled(i) % 17) - 8.0;
        }
        std::printf("\nthe sum is %.0f, want %.0f\n", sum, expected);
    }
}
