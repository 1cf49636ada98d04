// The same result by a dear and by a cheap way, over and over: ROUNDS steps for each word of the input.
const int ROUNDS = 64;

// Adds up what is made of x, x + 1/128, x + 2/128, ...
#define SUM(name, term)                                                  \
    extern "C" __global__ void math_##name(float *out, const float *in)  \
    {                                                                    \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;              \
        float x = in[i], sum = 0;                                        \
                                                                         \
        _Pragma("unroll 2") for (int round = 0; round < ROUNDS; round++) \
        {                                                                \
            sum += term;                                                 \
            x += 0.0078125f;                                             \
        }                                                                \
        out[i] = sum;                                                    \
    }

// A function of the library against the instruction that the multiprocessor has for it.
SUM(sin, sinf(x))
SUM(sin_intrinsic, __sinf(x))
SUM(exp, expf(x))
SUM(exp_intrinsic, __expf(x))
SUM(log, logf(x))
SUM(log_intrinsic, __logf(x))
SUM(divide, 3.0f / x)
SUM(divide_intrinsic, __fdividef(3.0f, x))

// What -prec-div=false, -prec-sqrt=false and -ftz=true make of a division and of a square root: rounded less well, and
// numbers below 2^-126 taken for 0.
#define UNARY(name, instruction)                               \
    __device__ float name(float x)                             \
    {                                                          \
        float y;                                               \
        asm(instruction " %0, %1;" : "=f"(y) : "f"(x));        \
        return y;                                              \
    }
UNARY(sqrt_approx, "sqrt.approx.f32")
UNARY(sqrt_ftz, "sqrt.rn.ftz.f32")
UNARY(sqrt_approx_ftz, "sqrt.approx.ftz.f32")
#define BINARY(name, instruction)                                          \
    __device__ float name(float x, float y)                                \
    {                                                                      \
        float z;                                                           \
        asm(instruction " %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));        \
        return z;                                                          \
    }
BINARY(divide_full, "div.full.f32")
BINARY(divide_ftz, "div.rn.ftz.f32")
BINARY(divide_full_ftz, "div.full.ftz.f32")
SUM(divide_unrounded, divide_full(3.0f, x))
SUM(divide_flushed, divide_ftz(3.0f, x))
SUM(divide_both, divide_full_ftz(3.0f, x))
SUM(sqrt, sqrtf(x))
SUM(sqrt_unrounded, sqrt_approx(x))
SUM(sqrt_flushed, sqrt_ftz(x))
SUM(sqrt_both, sqrt_approx_ftz(x))

// One formula, as it stands and as nvcc -use_fast_math makes it.
SUM(formula, sinf(x) * expf(-x) / (1.0f + logf(x)))
SUM(formula_fast, __fdividef(__sinf(x) * __expf(-x), 1.0f + __logf(x)))

// The general function against the one that was made for the case.
SUM(pow_3, powf(x, 3.0f))
SUM(multiply_3, x *x *x)
SUM(pow_of_2, powf(2.0f, x))
SUM(exp2, exp2f(x))
SUM(pow_third, powf(x, 1.0f / 3.0f))
SUM(cbrt, cbrtf(x))
SUM(sin_of_pi, sinf(3.14159274f * x))
SUM(sinpi, sinpif(x))
SUM(divide_sqrt, 1.0f / sqrtf(x))
SUM(rsqrt, rsqrtf(x))
SUM(pow_of_10, powf(10.0f, x))
SUM(exp10, exp10f(x))
SUM(pow_minus_third, powf(x, -1.0f / 3.0f))
SUM(rcbrt, rcbrtf(x))
SUM(pow_quarter, powf(x, 0.25f))
SUM(rsqrt_rsqrt, rsqrtf(rsqrtf(x)))
SUM(pow_sixth, powf(x, 1.0f / 6.0f))
SUM(rcbrt_rsqrt, rcbrtf(rsqrtf(x)))
SUM(one_minus_erf, 1.0f - erff(x))
SUM(erfc, erfcf(x))

// Sine and cosine of one angle: the reduction of the argument is done twice, or once.
__device__ float sine_and_cosine(float x)
{
    float sine, cosine;

    sincosf(x, &sine, &cosine);
    return sine + 2 * cosine;
}
SUM(sin_and_cos, sinf(x) + 2 * cosf(x))
SUM(sincos, sine_and_cosine(x))

// Above 105615 the reduction of the argument needs more of 2 / pi than registers have room for: an array in local memory.
SUM(sin_large, sinf(262144.0f * x))

// A constant without an f is a double, and so is what it is multiplied with.
#define CHAIN(name, step)                                                          \
    extern "C" __global__ void math_##name(float *out, const float *in)            \
    {                                                                              \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                        \
        float x = in[i];                                                           \
                                                                                   \
        _Pragma("unroll 8") for (int round = 0; round < ROUNDS; round++) x = step; \
        out[i] = x;                                                                \
    }
CHAIN(float_constants, x * 0.7f + 0.4f)
CHAIN(fused, __fmaf_rn(x, 0.7f, 0.4f))
CHAIN(double_constants, x * 0.7 + 0.4)

// Whole numbers. The compiler does not know d, or that it is a power of two.
#define WHOLE(name, step)                                                                 \
    extern "C" __global__ void math_##name(unsigned *out, const unsigned *in, unsigned d) \
    {                                                                                     \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];                    \
                                                                                          \
        _Pragma("unroll 8") for (int round = 0; round < ROUNDS; round++) x = step;        \
        out[i] = x;                                                                       \
    }
WHOLE(divide_whole, (x / d ^ x % d) + 0x9e3779b9)
WHOLE(divide_constant, (x / 32 ^ x % 32) + 0x9e3779b9)
WHOLE(shift, (x >> d ^ (x & (1 << d) - 1)) + 0x9e3779b9)
WHOLE(multiply, x *d + (x >> 8))
WHOLE(multiply_24, __umul24(x, d) + (x >> 8))

// What is shorter than a register is cut to its size after each step.
WHOLE(multiply_16, (unsigned short)(x * d + (x >> 4)))
WHOLE(multiply_8, (unsigned char)(x * d + (x >> 2)))

// A counter that may not overflow (signed), and one that must begin again at 0 when it does.
#define COUNTER(name, type)                                                                            \
    extern "C" __global__ void math_##name(unsigned *out, const unsigned *in, type stride, type count) \
    {                                                                                                  \
        type first = blockIdx.x * blockDim.x + threadIdx.x;                                            \
        unsigned sum = 0;                                                                              \
                                                                                                       \
        for (type k = 0; k < count; k++)                                                               \
            sum += in[first + k * stride];                                                             \
        out[first] = sum;                                                                              \
    }
COUNTER(signed_counter, int)
COUNTER(unsigned_counter, unsigned)
// SPDX-License-Identifier: Apache-2.0

// The terms of multiply_3 from the last to the first: the sum is rounded otherwise.
extern "C" __global__ void math_multiply_3_back(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i] + (ROUNDS - 1) / 128.0f, sum = 0;

    _Pragma("unroll 8") for (int round = 0; round < ROUNDS; round++, x -= 1 / 128.0f) sum += x * x * x;
    out[i] = sum;
}

// FMAD of 1.x: the product is cut to 24 bits, and the sum is rounded.
CHAIN(truncated, __fadd_rn(__fmul_rz(x, 0.7f), 0.4f))
