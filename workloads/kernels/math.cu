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
