// Each approximation, and conversions to halves and to eight-bit floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

// CUDA has no intrinsics for these: they keep or flush subnormal numbers independently of nvcc's options.
#define APPROXIMATION(name, instruction)                          \
    __device__ inline float name(float x) {                       \
        float y;                                                  \
        asm(instruction " %0, %1;" : "=f"(y) : "f"(x));           \
        return y;                                                 \
    }
APPROXIMATION(rcp, "rcp.approx.f32")
APPROXIMATION(rcp_ftz, "rcp.approx.ftz.f32")
APPROXIMATION(sqrt_approx, "sqrt.approx.f32")
APPROXIMATION(sqrt_ftz, "sqrt.approx.ftz.f32")
APPROXIMATION(rsqrt_ftz, "rsqrt.approx.ftz.f32")
APPROXIMATION(lg2_ftz, "lg2.approx.ftz.f32")
APPROXIMATION(sin_ftz, "sin.approx.ftz.f32")
APPROXIMATION(cos_ftz, "cos.approx.ftz.f32")
APPROXIMATION(ex2, "ex2.approx.f32")
APPROXIMATION(ex2_ftz, "ex2.approx.ftz.f32")

// CUDA's `h2exp2` computes in `f32`.
#define OF_HALVES(name, instruction)                              \
    __device__ inline uint32_t name(uint32_t x) {                 \
        uint32_t y;                                               \
        asm(instruction " %0, %1;" : "=r"(y) : "r"(x));           \
        return y;                                                 \
    }
OF_HALVES(ex2_f16x2, "ex2.approx.f16x2")
OF_HALVES(ex2_bf16x2, "ex2.approx.ftz.bf16x2")

// Converts two floats with a rounding or saturation for which CUDA has no intrinsic. The first float becomes the high half.
#define CONVERSION(T, letter, name, instruction)                                            \
    __device__ inline T name(float high, float low) {                                       \
        T both;                                                                             \
        asm(instruction " %0, %1, %2;" : "=" letter(both) : "f"(high), "f"(low));           \
        return both;                                                                        \
    }
CONVERSION(uint32_t, "r", f16x2_rz_relu_sat, "cvt.rz.relu.satfinite.f16x2.f32")
CONVERSION(uint32_t, "r", bf16x2_rz, "cvt.rz.bf16x2.f32")
CONVERSION(uint16_t, "h", e5m2x2_relu, "cvt.rn.satfinite.relu.e5m2x2.f32")

template <typename T>
__device__ inline uint32_t bits(T value) {
    static_assert(sizeof(T) == sizeof(uint32_t));
    return *reinterpret_cast<const uint32_t*>(&value);
}

extern "C" __global__ void math_functions(const uint32_t* input, uint32_t* output, uint32_t n) {
    constexpr float LN_2 = 0.693147181f, LOG2_E = 1.44269504f;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint32_t word = input[i];
        // `x` is in -6 to 6, the magnitude of `positive` in 2^-100 to 2^100.
        const float x = int32_t(word) * (6.0f / 2147483648.0f);
        const float positive = __uint_as_float(((word >> 24) % 200 + 27) << 23 | (word & 0x7fffff));
        const float subnormal = __uint_as_float((word & 0x7fffff) | 1);

        uint32_t results[36] = {}, count = 0;
        const auto put = [&](auto result) {
            results[count++] = bits(result);
        };
        put(rcp(positive));
        put(rcp_ftz(positive));
        put(sqrt_approx(positive));
        put(sqrt_ftz(positive));
        put(rsqrtf(positive));
        put(rsqrt_ftz(positive));
        put(__log2f(positive));
        put(lg2_ftz(positive));
        put(__logf(positive));
        put(lg2_ftz(positive) * LN_2);
        put(__sinf(x));
        put(sin_ftz(x));
        put(__cosf(x));
        put(cos_ftz(x));
        put(ex2(x));
        put(ex2_ftz(x));
        put(__expf(x));
        put(ex2_ftz(x * LOG2_E));
        put(__tanhf(x));
        put(sqrt_approx(subnormal));
        put(sqrt_ftz(subnormal));

        // Rounds the product and the sum separately.
        const float y = __fsub_rn(__fmul_rn(x, 0.375f), 1.0f);
        const __half2 f16x2 = __floats2half2_rn(y, x);
        const __nv_bfloat162 bf16x2 = __floats2bfloat162_rn(y, x);
        put(f16x2);
        put(bf16x2);
        put(f16x2_rz_relu_sat(positive, y));
        put(bf16x2_rz(positive, y));
        put(__low2float(f16x2));
        put(__low2float(bf16x2));
        const __nv_fp8x2_storage_t e4m3x2 =
            __nv_cvt_float2_to_fp8x2(make_float2(y, x * 100.0f), __NV_SATFINITE, __NV_E4M3);
        const __nv_fp8x2_storage_t e5m2x2 = e5m2x2_relu(positive, y);
        put(uint32_t(e4m3x2) | uint32_t(e5m2x2) << 16);
        put(__nv_cvt_fp8x2_to_halfraw2(e4m3x2, __NV_E4M3));
        put(__nv_cvt_fp8x2_to_halfraw2(e5m2x2, __NV_E5M2));
        put(uint32_t(__nv_cvt_halfraw2_to_fp8x2(f16x2, __NV_SATFINITE, __NV_E4M3)));
        put(ex2_f16x2(bits(f16x2)));
        put(ex2_bf16x2(bits(bf16x2)));
        put(h2tanh_approx(f16x2));
        put(h2tanh_approx(bf16x2));
        for (uint32_t k = 0; k < 9; ++k) {
            const uint32_t* four = results + 4 * k;
            reinterpret_cast<uint4*>(output)[size_t(k) * n + i] = make_uint4(four[0], four[1], four[2], four[3]);
        }
    }
}

#undef APPROXIMATION
#undef OF_HALVES
#undef CONVERSION
