// Vectors, matrices with vectors, and sums of matrices: lanescope's own kernels, in the place of cuBLAS's,
// which are others.
#include "standin/libraries/cublas/kernels/number.cuh"

#include <float.h>

__device__ static long long thread_number()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Element i of n: with a negative step the last one in memory is the first. */
__device__ static long long element_place(long long i, long long n, long long step)
{
    return step < 0 ? (i - (n - 1)) * step : i * step;
}

#define KERNEL(name) \
    extern "C" __global__ void __launch_bounds__(256) lanescope_##name(const work_vectors work)
#define EACH(i, n) \
    _Pragma("unroll 1") for (long long i = thread_number(); i < (n); i += (long long)gridDim.x * blockDim.x)

// ---- element by element ----
template <typename T, typename Number> __device__ void vector_axpy(const work_vectors &work)
{
    const Number alpha = scalar_load<Number>(work.alpha);

    if (number_is_zero(alpha))
        return;
    EACH(i, work.n)
    {
        T *y = (T *)work.y + element_place(i, work.n, work.y_step);
        Number x = number_load<Number>((const T *)work.x + element_place(i, work.n, work.x_step));
        number_store(y, number_multiply_add(alpha, x, number_load<Number>(y)));
    }
}

template <typename T, typename Number> __device__ void vector_scal(const work_vectors &work)
{
    const Number alpha = scalar_load<Number>(work.alpha);

    EACH(i, work.n)
    {
        T *y = (T *)work.y + i * work.y_step;
        number_store(y, number_scale(alpha, number_load<Number>(y)));
    }
}

template <typename T> __device__ void vector_copy(const work_vectors &work)
{
    EACH(i, work.n)
    ((T *)work.y)[element_place(i, work.n, work.y_step)] =
        ((const T *)work.x)[element_place(i, work.n, work.x_step)];
}

template <typename T> __device__ void vector_swap(const work_vectors &work)
{
    EACH(i, work.n)
    {
        T *x = (T *)work.x + element_place(i, work.n, work.x_step),
          *y = (T *)work.y + element_place(i, work.n, work.y_step), kept = *x;
        *x = *y;
        *y = kept;
    }
}

/* alpha: the cosine; beta: the sine. */
template <typename T> __device__ void vector_rot(const work_vectors &work)
{
    const T cosine = scalar_load<T>(work.alpha), sine = scalar_load<T>(work.beta);

    EACH(i, work.n)
    {
        T *x = (T *)work.x + element_place(i, work.n, work.x_step),
          *y = (T *)work.y + element_place(i, work.n, work.y_step);
        T turned = number_add(number_multiply(cosine, *x), number_multiply(sine, *y));
        *y = number_add(number_multiply(cosine, *y),
                        number_negative(number_multiply(number_conjugate(sine), *x)));
        *x = turned;
    }
}

/* other: the flag, then h11, h21, h12, h22. */
template <typename T> __device__ void vector_rotm(const work_vectors &work)
{
    const T *h = (const T *)work.other, flag = h[0];
    const T h11 = flag == 0 || flag == -2 ? 1 : h[1],
            h21 = flag == 1    ? -1
                  : flag == -2 ? 0
                               : h[2],
            h12 = flag == 1    ? 1
                  : flag == -2 ? 0
                               : h[3],
            h22 = flag == 0 || flag == -2 ? 1 : h[4];

    EACH(i, work.n)
    {
        T *x = (T *)work.x + element_place(i, work.n, work.x_step),
          *y = (T *)work.y + element_place(i, work.n, work.y_step);
        T turned = h11 * *x + h12 * *y;
        *y = h21 * *x + h22 * *y;
        *x = turned;
    }
}

// ---- reductions: a partial result of each block, then one block ----
template <typename Number> struct Sum {
    Number sum;
    __device__ static Sum none()
    {
        return {number_of<Number>(0.0, 0.0)};
    }
    __device__ static Sum both(Sum a, Sum b)
    {
        return {number_add(a.sum, b.sum)};
    }
    __device__ void store(const work_vectors &work) const
    {
        value_store(work.result, work.result_type, number_real(sum), number_imaginary(sum));
    }
};

/* scale^2 sum is the sum of squares: no square overflows. */
template <typename Real> struct Norm {
    Real scale, sum;
    __device__ static Norm none()
    {
        return {0, 0};
    }
    __device__ static Norm both(Norm a, Norm b)
    {
        if (!(a.scale < b.scale) && !(b.scale != b.scale)) {
            Norm kept = a;
            a = b;
            b = kept;
        }
        if (b.scale == 0)
            return b;
        Real ratio = isinf(a.scale) ? (Real)1 : a.scale / b.scale;
        return {b.scale, b.sum + a.sum * ratio * ratio};
    }
    __device__ static Norm one(Real value)
    {
        Real size = value < 0 ? -value : value;
        return {size, size == 0 ? (Real)0 : (Real)1};
    }
    __device__ void store(const work_vectors &work) const
    {
        value_store(work.result, work.result_type, scale == 0 ? 0.0 : (double)(scale * (Real)sqrt(sum)), 0.0);
    }
};

template <typename Real> struct Extreme { /* the place is from 1; 0: none */
    Real value;
    int place, smallest;
    __device__ static Extreme none()
    {
        return {0, 0, 0};
    }
    __device__ static Extreme both(Extreme a, Extreme b)
    {
        if (a.place == 0 || b.place == 0)
            return a.place ? a : b;
        bool better = a.smallest ? b.value < a.value : b.value > a.value;
        return better || (b.value == a.value && b.place < a.place) ? b : a;
    }
    __device__ void store(const work_vectors &work) const
    {
        value_store(work.result, work.result_type, place, 0.0);
    }
};

template <typename Result> __device__ void block_reduce(const work_vectors &work, Result own, bool last)
{
    __shared__ __align__(16) unsigned char bytes[256 * sizeof(Result)];
    Result *all = (Result *)bytes;

    all[threadIdx.x] = own;
    __syncthreads();
#pragma unroll 1
    for (unsigned half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            all[threadIdx.x] = Result::both(all[threadIdx.x], all[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x != 0)
        return;
    if (last)
        all[0].store(work);
    else
        ((Result *)work.partial)[blockIdx.x] = all[0];
}

template <typename Result> __device__ void partials_reduce(const work_vectors &work)
{
    Result own = Result::none();

#pragma unroll 1
    for (long long i = threadIdx.x; i < work.partials; i += 256)
        own = Result::both(own, ((const Result *)work.partial)[i]);
    block_reduce(work, own, true);
}

template <typename T, typename Number> __device__ void vector_dot(const work_vectors &work)
{
    Sum<Number> own = Sum<Number>::none();

    EACH(i, work.n)
    {
        Number x = number_load<Number>((const T *)work.x + element_place(i, work.n, work.x_step));
        Number y = number_load<Number>((const T *)work.y + element_place(i, work.n, work.y_step));
        own.sum = number_multiply_add(work.conjugate ? number_conjugate(x) : x, y, own.sum);
    }
    block_reduce(work, own, gridDim.x == 1);
}

template <typename T, typename Number> __device__ void vector_asum(const work_vectors &work)
{
    Sum<typename Part<Number>::Real> own = {0};

    EACH(i, work.n) own.sum += number_size(number_load<Number>((const T *)work.x + i * work.x_step));
    block_reduce(work, own, gridDim.x == 1);
}

template <typename T, typename Number> __device__ void vector_norm(const work_vectors &work)
{
    typedef Norm<typename Part<Number>::Real> Own;
    Own own = Own::none();

    EACH(i, work.n)
    {
        Number value = number_load<Number>((const T *)work.x + i * work.x_step);
        own = Own::both(own, Own::one(number_real(value)));
        if (sizeof(Number) > sizeof(own.scale))
            own = Own::both(own, Own::one(number_imaginary(value)));
    }
    block_reduce(work, own, gridDim.x == 1);
}

template <typename T> __device__ void vector_extreme(const work_vectors &work)
{
    typedef Extreme<typename Part<T>::Real> Own;
    Own own = Own::none();

    EACH(i, work.n)
    own = Own::both(own, Own{number_size(((const T *)work.x)[i * work.x_step]), (int)(i + 1), work.smallest});
    block_reduce(work, own, gridDim.x == 1);
}

// ---- matrices and vectors ----
template <typename T>
__device__ const T *vector_at(const void *base, const work_vectors &work, long long batch, long long stride)
{
    return work.pointers ? ((const T *const *)base)[batch] : (const T *)base + batch * stride;
}

template <typename T, typename Number>
__device__ void product_store(const work_vectors &work, T *y, Number sum, Number alpha, Number beta)
{
    Number value = number_multiply(alpha, sum);
    if (!number_is_zero(beta))
        value = number_add(value, number_multiply(beta, number_load<Number>(y)));
    number_store(y, value);
}

/* y = alpha A x + beta y; m: the rows of A. A thread for each row, or a warp. */
template <typename T, typename Number, bool WARP> __device__ void vector_product(const work_vectors &work)
{
    const long long batch = work.first + blockIdx.y, row = WARP ? thread_number() / 32 : thread_number();
    const int lane = WARP ? threadIdx.x % 32 : 0;
    const T *a = matrix_at<T>(work.a, batch) + row * work.a.row;
    const T *x = vector_at<T>(work.x, work, batch, work.x_batch);
    T *y = (T *)vector_at<T>(work.y, work, batch, work.y_batch) + element_place(row, work.m, work.y_step);
    const Number alpha = scalar_load<Number>(work.alpha), beta = scalar_load<Number>(work.beta);
    Number sum = number_of<Number>(0.0, 0.0);

    if (row >= work.m)
        return;
    if (!number_is_zero(alpha))
#pragma unroll 1
        for (long long k = lane; k < work.n; k += WARP ? 32 : 1) {
            Number factor = number_load<Number>(a + k * work.a.column);
            sum = number_multiply_add(work.a.conjugate ? number_conjugate(factor) : factor,
                                      number_load<Number>(x + element_place(k, work.n, work.x_step)), sum);
        }
    if (WARP)
        for (int half = 16; half > 0; half /= 2)
            sum = number_add(sum, number_from_lane(sum, half));
    if (lane == 0)
        product_store(work, y, sum, alpha, beta);
}

/* A += alpha x y^T; A is work.a. */
template <typename T> __device__ void vector_outer(const work_vectors &work)
{
    const long long i = (long long)blockIdx.x * 32 + threadIdx.x % 32,
                    j = (long long)blockIdx.y * 8 + threadIdx.x / 32;
    const T alpha = scalar_load<T>(work.alpha);

    if (i >= work.m || j >= work.n || (work.part == PART_LOWER && i < j) ||
        (work.part == PART_UPPER && i > j))
        return;
    T *a = (T *)matrix_at<T>(work.a, 0) + i * work.a.row + j * work.a.column;
    T x = ((const T *)work.x)[element_place(i, work.m, work.x_step)],
      y = ((const T *)work.other)[element_place(j, work.n, work.y_step)];
    T value = number_multiply_add(number_multiply(alpha, work.conjugate ? number_conjugate(x) : x),
                                  work.conjugate_other ? number_conjugate(y) : y, *a);
    *a = work.real_diagonal && i == j ? number_real_part(value) : value;
}

/* y = alpha A + beta B; y has the step y_step from column to column. */
template <typename T> __device__ void matrix_add(const work_vectors &work)
{
    const long long i = (long long)blockIdx.x * 32 + threadIdx.x % 32,
                    j = (long long)blockIdx.y * 8 + threadIdx.x / 32;
    const T alpha = scalar_load<T>(work.alpha), beta = scalar_load<T>(work.beta);
    T value = number_of<T>(0.0, 0.0);

    if (i >= work.m || j >= work.n)
        return;
    if (!number_is_zero(alpha)) {
        T a = matrix_at<T>(work.a, 0)[i * work.a.row + j * work.a.column];
        value = number_multiply(alpha, work.a.conjugate ? number_conjugate(a) : a);
    }
    if (!number_is_zero(beta)) {
        T b = matrix_at<T>(work.b, 0)[i * work.b.row + j * work.b.column];
        value = number_add(value, number_multiply(beta, work.b.conjugate ? number_conjugate(b) : b));
    }
    ((T *)work.y)[i + j * work.y_step] = value;
}

/* y = diag(x) A, or A diag(x). */
template <typename T> __device__ void matrix_scale(const work_vectors &work)
{
    const long long i = (long long)blockIdx.x * 32 + threadIdx.x % 32,
                    j = (long long)blockIdx.y * 8 + threadIdx.x / 32;

    if (i >= work.m || j >= work.n)
        return;
    T factor = ((const T *)work.x)[work.left ? element_place(i, work.m, work.x_step)
                                             : element_place(j, work.n, work.x_step)];
    ((T *)work.y)[i + j * work.y_step] =
        number_multiply(factor, matrix_at<T>(work.a, 0)[i + j * work.a.column]);
}

// ---- the kernels by name ----
#define REDUCED(name, compute, Result) \
    KERNEL(name)                       \
    {                                  \
        compute(work);                 \
    }                                  \
    KERNEL(name##_last)                \
    {                                  \
        partials_reduce<Result>(work); \
    }
#define OF_STORED(name, T, Number)                                                    \
    KERNEL(axpy_##name)                                                               \
    {                                                                                 \
        vector_axpy<T, Number>(work);                                                 \
    }                                                                                 \
    KERNEL(scal_##name)                                                               \
    {                                                                                 \
        vector_scal<T, Number>(work);                                                 \
    }                                                                                 \
    KERNEL(gemv_##name)                                                               \
    {                                                                                 \
        vector_product<T, Number, false>(work);                                       \
    }                                                                                 \
    KERNEL(gemv_##name##_warp)                                                        \
    {                                                                                 \
        vector_product<T, Number, true>(work);                                        \
    }                                                                                 \
    REDUCED(dot_##name, (vector_dot<T, Number>), Sum<Number>)                         \
    REDUCED(nrm2_##name, (vector_norm<T, Number>), Norm<typename Part<Number>::Real>) \
    REDUCED(asum_##name, (vector_asum<T, Number>), Sum<typename Part<Number>::Real>)
#define OF_COMPUTED(name, T)   \
    OF_STORED(name, T, T)      \
    KERNEL(rot_##name)         \
    {                          \
        vector_rot<T>(work);   \
    }                          \
    KERNEL(ger_##name)         \
    {                          \
        vector_outer<T>(work); \
    }                          \
    KERNEL(geam_##name)        \
    {                          \
        matrix_add<T>(work);   \
    }                          \
    KERNEL(dgmm_##name)        \
    {                          \
        matrix_scale<T>(work); \
    }                          \
    REDUCED(amax_##name, vector_extreme<T>, Extreme<typename Part<T>::Real>)

OF_COMPUTED(s, float)
OF_COMPUTED(d, double)
OF_COMPUTED(c, float2)
OF_COMPUTED(z, double2)
OF_STORED(h, __half, float)
OF_STORED(b, __nv_bfloat16, float)
KERNEL(rotm_s)
{
    vector_rotm<float>(work);
}
KERNEL(rotm_d)
{
    vector_rotm<double>(work);
}
KERNEL(copy_2)
{
    vector_copy<unsigned short>(work);
}
KERNEL(copy_4)
{
    vector_copy<unsigned>(work);
}
KERNEL(copy_8)
{
    vector_copy<unsigned long long>(work);
}
KERNEL(copy_16)
{
    vector_copy<ulonglong2>(work);
}
KERNEL(swap_4)
{
    vector_swap<unsigned>(work);
}
KERNEL(swap_8)
{
    vector_swap<unsigned long long>(work);
}
KERNEL(swap_16)
{
    vector_swap<ulonglong2>(work);
}
// SPDX-License-Identifier: Apache-2.0
