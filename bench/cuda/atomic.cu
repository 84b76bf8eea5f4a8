// Atomic operations: a histogram that is privatized in shared memory, and a kernel that makes each operation.
#include <cstdint>

constexpr uint32_t BINS = 256;

extern "C" __global__ void atomic_histogram(const uint32_t* input, uint32_t* output, uint32_t n) {
    __shared__ uint32_t bins[BINS];
    for (uint32_t b = threadIdx.x; b < BINS; b += blockDim.x) {
        bins[b] = 0;
    }
    __syncthreads();
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[input[i] % BINS], 1);
    }
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < BINS; b += blockDim.x) {
        atomicAdd(&output[b], bins[b]);
    }
}

struct alignas(16) Pair {
    uint64_t lo, hi;
};

// The result of each operation, in words of the output.
struct alignas(16) Results {
    uint32_t sum, greatest, up, down, any, odd, squares, clear, tickets, seen;
    float real;
    uint32_t unused;
    unsigned long long total;
    long long longest;
    Pair pair;
    float4 vector;
    double wide;
    unsigned short counter[2];
    int least;
};

extern "C" __global__ void atomic_operations(const uint32_t* input, Results* output, uint32_t n) {
    __shared__ uint32_t bits;
    if (threadIdx.x == 0) {
        bits = ~0u;
    }
    __syncthreads();
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint32_t word = input[i];
        atomicAdd(&output->sum, word);
        atomicMax(&output->greatest, word);
        atomicMin(&output->least, int(word));
        atomicInc(&output->up, 9);
        atomicDec(&output->down, 9);
        atomicOr(&output->any, word & 0x55555555);
        atomicXor(&output->odd, word);
        atomicAnd(&bits, word | 0xff);
        atomicAdd(&output->real, float(word & 0xff));
        atomicAdd(&output->wide, double(word));
        atomicAdd(&output->vector, make_float4(1.0f, word & 1, word & 2, word & 4));
        atomicAdd(&output->total, (unsigned long long)((long long)(word) - (1ll << 31)));
        atomicMax(&output->longest, (long long)(word) << 20);

        uint32_t now = atomicOr(&output->squares, 0), seen;
        while ((seen = atomicCAS(&output->squares, now, now + word * word)) != now) {
            now = seen;
        }
        unsigned short count = 0, counted;
        while ((counted = atomicCAS(output->counter, count, count + 1)) != count) {
            count = counted;
        }
        Pair pair{0, 0};
        for (;;) {
            const Pair found = atomicCAS(&output->pair, pair, Pair{pair.lo + 1, pair.hi ^ uint64_t(word) << 7});
            if (found.lo == pair.lo && found.hi == pair.hi) {
                break;
            }
            pair = found;
        }
    }

    // The CTA that draws the last ticket reads the sum of all CTAs.
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicOr(&output->clear, ~bits);
        __threadfence();
        if (atomicInc(&output->tickets, gridDim.x - 1) == gridDim.x - 1) {
            __threadfence();
            atomicExch(&output->seen, atomicAdd(&output->sum, 0));
        }
    }
}
