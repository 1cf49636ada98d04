// Arithmetic of the kernels over float, double, complex numbers of both (float2, double2) and int; half and
// bfloat are loaded as float.
#pragma once
#include "standin/libraries/cublas/kernels/work.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename Number> struct Part {
    typedef Number Real;
};
template <> struct Part<float2> {
    typedef float Real;
};
template <> struct Part<double2> {
    typedef double Real;
};

// ---- making, loading, storing ----
template <typename Number> __device__ Number number_of(double re, double im);
template <> __device__ inline float number_of(double re, double im)
{
    return (float)re;
}
template <> __device__ inline double number_of(double re, double im)
{
    return re;
}
template <> __device__ inline int number_of(double re, double im)
{
    return (int)re;
}
template <> __device__ inline float2 number_of(double re, double im)
{
    return make_float2((float)re, (float)im);
}
template <> __device__ inline double2 number_of(double re, double im)
{
    return make_double2(re, im);
}

template <typename Number, typename T> __device__ Number number_load(const T *at)
{
    return (Number)*at;
}
template <> __device__ inline float number_load<float, __half>(const __half *at)
{
    return __half2float(*at);
}
template <> __device__ inline float number_load<float, __nv_bfloat16>(const __nv_bfloat16 *at)
{
    return __bfloat162float(*at);
}

template <typename T, typename Number> __device__ void number_store(T *at, Number value)
{
    *at = (T)value;
}
template <> __device__ inline void number_store(__half *at, float value)
{
    *at = __float2half_rn(value);
}
template <> __device__ inline void number_store(__nv_bfloat16 *at, float value)
{
    *at = __float2bfloat16_rn(value);
}

/* A value of a type that is known when the kernel runs. */
__device__ __noinline__ static double2 value_load(const void *base, int type, long long i)
{
    switch (type) {
    case TYPE_S: return make_double2(((const float *)base)[i], 0.0);
    case TYPE_D: return make_double2(((const double *)base)[i], 0.0);
    case TYPE_H: return make_double2(__half2float(((const __half *)base)[i]), 0.0);
    case TYPE_B: return make_double2(__bfloat162float(((const __nv_bfloat16 *)base)[i]), 0.0);
    case TYPE_C: return make_double2(((const float2 *)base)[i].x, ((const float2 *)base)[i].y);
    case TYPE_I32: return make_double2(((const int *)base)[i], 0.0);
    default: return ((const double2 *)base)[i];
    }
}

__device__ __noinline__ static void value_store(void *base, int type, double re, double im)
{
    switch (type) {
    case TYPE_S: *(float *)base = (float)re; break;
    case TYPE_D: *(double *)base = re; break;
    case TYPE_H: *(__half *)base = __float2half_rn((float)re); break;
    case TYPE_B: *(__nv_bfloat16 *)base = __float2bfloat16_rn((float)re); break;
    case TYPE_C: *(float2 *)base = make_float2((float)re, (float)im); break;
    case TYPE_I32: *(int *)base = (int)re; break;
    case TYPE_I64: *(long long *)base = (long long)re; break;
    default: *(double2 *)base = make_double2(re, im); break;
    }
}

template <typename Number> __device__ Number number_from(const void *base, int type, long long i)
{
    double2 value = value_load(base, type, i);
    return number_of<Number>(value.x, value.y);
}

template <typename Number> __device__ Number scalar_load(const work_scalar &scalar)
{
    double2 value = scalar.at ? value_load(scalar.at, scalar.type, 0) : make_double2(scalar.re, scalar.im);
    return number_of<Number>(value.x, value.y);
}

template <typename T> __device__ const T *matrix_at(const work_matrix &matrix, long long batch)
{
    return matrix.pointers ? ((const T *const *)matrix.at)[batch]
                           : (const T *)matrix.at + batch * matrix.batch;
}

// ---- arithmetic ----
__device__ inline float number_add(float a, float b)
{
    return a + b;
}
__device__ inline double number_add(double a, double b)
{
    return a + b;
}
__device__ inline int number_add(int a, int b)
{
    return a + b;
}
__device__ inline float2 number_add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}
__device__ inline double2 number_add(double2 a, double2 b)
{
    return make_double2(a.x + b.x, a.y + b.y);
}

__device__ inline float number_multiply_add(float a, float b, float c)
{
    return fmaf(a, b, c);
}
__device__ inline double number_multiply_add(double a, double b, double c)
{
    return fma(a, b, c);
}
__device__ inline int number_multiply_add(int a, int b, int c)
{
    return a * b + c;
}
__device__ inline float2 number_multiply_add(float2 a, float2 b, float2 c)
{
    return make_float2(fmaf(-a.y, b.y, fmaf(a.x, b.x, c.x)), fmaf(a.y, b.x, fmaf(a.x, b.y, c.y)));
}
__device__ inline double2 number_multiply_add(double2 a, double2 b, double2 c)
{
    return make_double2(fma(-a.y, b.y, fma(a.x, b.x, c.x)), fma(a.y, b.x, fma(a.x, b.y, c.y)));
}

__device__ inline float number_multiply(float a, float b)
{
    return a * b;
}
__device__ inline double number_multiply(double a, double b)
{
    return a * b;
}
__device__ inline int number_multiply(int a, int b)
{
    return a * b;
}
__device__ inline float2 number_multiply(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ inline double2 number_multiply(double2 a, double2 b)
{
    return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ inline float number_divide(float a, float b)
{
    return a / b;
}
__device__ inline double number_divide(double a, double b)
{
    return a / b;
}
/* Smith's way: no square of b's parts, which could overflow. */
template <typename Complex> __device__ Complex complex_divide(Complex a, Complex b)
{
    typedef typename Part<Complex>::Real Real;
    Complex result;
    bool wide = fabs((double)b.x) >= fabs((double)b.y);
    Real large = wide ? b.x : b.y, small = wide ? b.y : b.x, ratio = small / large,
         divisor = large + small * ratio;

    result.x = ((wide ? a.x : a.x * ratio) + (wide ? a.y * ratio : a.y)) / divisor;
    result.y = ((wide ? a.y : a.y * ratio) - (wide ? a.x * ratio : a.x)) / divisor;
    return result;
}
__device__ inline float2 number_divide(float2 a, float2 b)
{
    return complex_divide(a, b);
}
__device__ inline double2 number_divide(double2 a, double2 b)
{
    return complex_divide(a, b);
}

template <typename Number> __device__ Number number_conjugate(Number a)
{
    return a;
}
template <> __device__ inline float2 number_conjugate(float2 a)
{
    return make_float2(a.x, -a.y);
}
template <> __device__ inline double2 number_conjugate(double2 a)
{
    return make_double2(a.x, -a.y);
}

template <typename Number> __device__ Number number_negative(Number a)
{
    return -a;
}
template <> __device__ inline float2 number_negative(float2 a)
{
    return make_float2(-a.x, -a.y);
}
template <> __device__ inline double2 number_negative(double2 a)
{
    return make_double2(-a.x, -a.y);
}

template <typename Number> __device__ Number number_real_part(Number a)
{
    return a;
}
template <> __device__ inline float2 number_real_part(float2 a)
{
    return make_float2(a.x, 0.0f);
}
template <> __device__ inline double2 number_real_part(double2 a)
{
    return make_double2(a.x, 0.0);
}

template <typename Number> __device__ bool number_is_zero(Number a)
{
    return a == 0;
}
template <> __device__ inline bool number_is_zero(float2 a)
{
    return a.x == 0 && a.y == 0;
}
template <> __device__ inline bool number_is_zero(double2 a)
{
    return a.x == 0 && a.y == 0;
}

template <typename Number> __device__ double number_real(Number a)
{
    return (double)a;
}
template <> __device__ inline double number_real(float2 a)
{
    return (double)a.x;
}
template <> __device__ inline double number_real(double2 a)
{
    return a.x;
}
template <typename Number> __device__ double number_imaginary(Number a)
{
    return 0.0;
}
template <> __device__ inline double number_imaginary(float2 a)
{
    return (double)a.y;
}
template <> __device__ inline double number_imaginary(double2 a)
{
    return a.y;
}

/* |re| + |im|, as BLAS has it. */
__device__ inline float number_size(float a)
{
    return fabsf(a);
}
__device__ inline double number_size(double a)
{
    return fabs(a);
}
__device__ inline float number_size(float2 a)
{
    return fabsf(a.x) + fabsf(a.y);
}
__device__ inline double number_size(double2 a)
{
    return fabs(a.x) + fabs(a.y);
}

/* By a real scalar a part alone is multiplied: nothing that is infinite becomes a NaN. */
template <typename Number> __device__ Number number_scale(Number alpha, Number a)
{
    return number_multiply(alpha, a);
}
template <> __device__ inline float2 number_scale(float2 alpha, float2 a)
{
    return alpha.y == 0 ? make_float2(alpha.x * a.x, alpha.x * a.y) : number_multiply(alpha, a);
}
template <> __device__ inline double2 number_scale(double2 alpha, double2 a)
{
    return alpha.y == 0 ? make_double2(alpha.x * a.x, alpha.x * a.y) : number_multiply(alpha, a);
}

template <typename Number> __device__ Number number_from_lane(Number a, int below)
{
    return __shfl_down_sync(0xffffffffu, a, below);
}
template <> __device__ inline float2 number_from_lane(float2 a, int below)
{
    return make_float2(__shfl_down_sync(0xffffffffu, a.x, below), __shfl_down_sync(0xffffffffu, a.y, below));
}
template <> __device__ inline double2 number_from_lane(double2 a, int below)
{
    return make_double2(__shfl_down_sync(0xffffffffu, a.x, below), __shfl_down_sync(0xffffffffu, a.y, below));
}

// ---- what a compute type does to floats ----
template <typename Number> __device__ Number number_round(Number value, int rounding)
{
    return value;
}
template <> __device__ inline float number_round(float value, int rounding)
{
    unsigned bits = __float_as_uint(value);

    switch (rounding) {
    case ROUND_TF32: /* 10 bits of the mantissa, to the nearest, ties away from zero */
        return (bits & 0x7f800000u) == 0x7f800000u ? value : __uint_as_float((bits + 0x1000u) & ~0x1fffu);
    case ROUND_HALF: return __half2float(__float2half_rn(value));
    case ROUND_BFLOAT: return __bfloat162float(__float2bfloat16_rn(value));
    default: return value;
    }
}

// ---- activations ----
template <typename Number> __device__ Number number_activate(Number value, int activation, Number input)
{
    return value;
}
template <> __device__ inline float number_activate(float value, int activation, float input)
{
    const float root = 0.7978845608f, cubic = 0.044715f; /* the approximation by tanh */
    float inner = tanhf(root * (input + cubic * input * input * input));

    if (activation == ACTIVATION_RELU)
        return value != value || value > 0.0f ? value : 0.0f;
    if (activation == ACTIVATION_GELU)
        return 0.5f * input * (1.0f + inner);
    return value * (0.5f * (1.0f + inner) +
                    0.5f * input * (1.0f - inner * inner) * root * (1.0f + 3.0f * cubic * input * input));
}
template <> __device__ inline double number_activate(double value, int activation, double input)
{
    return activation == ACTIVATION_RELU && value <= 0.0 ? 0.0 : value;
}
// SPDX-License-Identifier: Apache-2.0
