// Products of matrices: tiles of 64 x 64 in shared memory, 4 x 4 values a thread; tiles of 16 x 16 for small
// matrices. lanescope's own kernels, in the place of cuBLAS's, which are others.
#include "standin/libraries/cublas/kernels/number.cuh"

template <typename Number> struct alignas(sizeof(Number) * 4 < 16 ? sizeof(Number) * 4 : 16) Four {
    Number of[4];
};

/* The element at row i and column k, with the kinds of matrices of which half is stored. */
template <typename In, typename Number>
__device__ Number element_load(const work_matrix &matrix, const In *at, long long i, long long k,
                               int rounding)
{
    bool stored = true, mirrored = false;

    if (matrix.kind != KIND_GENERAL) {
        stored = matrix.lower ? i >= k : i <= k;
        if (matrix.kind == KIND_UNIT_TRIANGLE && i == k)
            return number_of<Number>(1.0, 0.0);
        if (!stored && matrix.kind >= KIND_TRIANGLE)
            return number_of<Number>(0.0, 0.0);
        mirrored = !stored;
    }
    if (mirrored) {
        long long row = i;
        i = k;
        k = row;
    }
    Number value = number_load<Number>(at + i * matrix.row + k * matrix.column);
    if (matrix.kind == KIND_HERMITIAN && i == k)
        value = number_real_part(value);
    if ((matrix.conjugate != 0) != (mirrored && matrix.kind == KIND_HERMITIAN))
        value = number_conjugate(value);
    return number_round(value, rounding);
}

/* TILE x 16 elements of a, or of b, to shared memory; threads go along the dimension that is contiguous. */
template <typename In, typename Number, int TILE, int PADDED>
__device__ void tile_load(Number (*tile)[PADDED], const work_matrix &matrix, const In *at, bool transposed,
                          long long first, long long most, long long k_first, long long k_most, int rounding)
{
    const long long along = transposed ? matrix.row : matrix.column;

#pragma unroll 1
    for (int i = 0; i < TILE * 16 / 256; i++) {
        int number = threadIdx.x + i * 256;
        int place = along == 1 ? number / 16 : number % TILE, k = along == 1 ? number % 16 : number / TILE;
        long long row = first + place, column = k_first + k;
        Number value = number_of<Number>(0.0, 0.0);
        if (row < most && column < k_most)
            value = transposed ? element_load<In, Number>(matrix, at, column, row, rounding)
                               : element_load<In, Number>(matrix, at, row, column, rounding);
        tile[k][place] = value;
    }
}

/* alpha sum + beta c, bias, activation. */
template <typename Out, typename Number>
__device__ void result_store(const work_product &work, long long batch, const Out *c, Out *d, Number sum,
                             Number alpha, Number beta, long long i, long long j)
{
    if ((work.part == PART_LOWER && i < j) || (work.part == PART_UPPER && i > j))
        return;
    Number value = number_multiply(alpha, sum);
    if (!number_is_zero(beta))
        value = number_add(
            value, number_multiply(beta, number_load<Number>(c + i * work.c.row + j * work.c.column)));
    if (work.real_diagonal && i == j)
        value = number_real_part(value);
    if (work.bias)
        value =
            number_add(value, number_from<Number>(work.bias, work.bias_type, batch * work.bias_batch + i));
    Out *aux = (Out *)work.aux + batch * work.aux_batch + j * work.aux_column + i;
    if (work.aux && work.activation == ACTIVATION_GELU)
        number_store(aux, value);
    if (work.activation)
        value =
            number_activate(value, work.activation,
                            work.activation == ACTIVATION_GELU_GRADIENT ? number_load<Number>(aux) : value);
    number_store(d + i * work.d.row + j * work.d.column, value);
}

template <typename In, typename Out, typename Number, int TILE>
__device__ void product_compute(const work_product &work)
{
    constexpr int PER = TILE / 16, PADDED = TILE + (sizeof(Number) < 16 ? 16 / (int)sizeof(Number) : 1);
    __shared__ __align__(16) Number a_tile[16][PADDED], b_tile[16][PADDED];
    const long long batch = work.first + blockIdx.z, i_first = (long long)blockIdx.x * TILE,
                    j_first = (long long)blockIdx.y * TILE;
    const int i_own = threadIdx.x % 16 * PER, j_own = threadIdx.x / 16 * PER;
    const Number alpha = scalar_load<Number>(work.alpha), beta = scalar_load<Number>(work.beta);
    const In *a = matrix_at<In>(work.a, batch), *b = matrix_at<In>(work.b, batch);
    const Out *c = matrix_at<Out>(work.c, batch);
    Out *d = (Out *)matrix_at<Out>(work.d, batch);
    Number sums[PER][PER];

    if ((work.part == PART_LOWER && i_first + TILE <= j_first) ||
        (work.part == PART_UPPER && j_first + TILE <= i_first))
        return;
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++)
            sums[i][j] = number_of<Number>(0.0, 0.0);
    if (!number_is_zero(alpha)) {
        for (long long k_first = 0; k_first < work.k; k_first += 16) {
            tile_load<In, Number, TILE, PADDED>(a_tile, work.a, a, false, i_first, work.m, k_first, work.k,
                                                work.rounding);
            tile_load<In, Number, TILE, PADDED>(b_tile, work.b, b, true, j_first, work.n, k_first, work.k,
                                                work.rounding);
            __syncthreads();
#pragma unroll 4
            for (int k = 0; k < 16; k++) {
                Number left[PER], right[PER];
                if constexpr (PER == 4) {
                    Four<Number> four = *(const Four<Number> *)&a_tile[k][i_own];
                    Four<Number> other = *(const Four<Number> *)&b_tile[k][j_own];
#pragma unroll
                    for (int i = 0; i < PER; i++)
                        left[i] = four.of[i], right[i] = other.of[i];
                } else {
                    left[0] = a_tile[k][i_own], right[0] = b_tile[k][j_own];
                }
#pragma unroll
                for (int i = 0; i < PER; i++)
#pragma unroll
                    for (int j = 0; j < PER; j++)
                        sums[i][j] = number_multiply_add(left[i], right[j], sums[i][j]);
            }
            __syncthreads();
        }
    }
    /* By way of shared memory, so that neighbouring threads store neighbouring rows. */
#pragma unroll
    for (int j = 0; j < PER; j++) {
#pragma unroll
        for (int i = 0; i < PER; i++)
            a_tile[threadIdx.x / 16][i_own + i] = sums[i][j];
        __syncthreads();
#pragma unroll 1
        for (int i = threadIdx.x; i < 16 * TILE; i += 256) {
            long long row = i_first + i % TILE, column = j_first + i / TILE * PER + j;
            if (row < work.m && column < work.n)
                result_store(work, batch, c, d, a_tile[i / TILE][i % TILE], alpha, beta, row, column);
        }
        __syncthreads();
    }
}

#define PRODUCT(name, In, Out, Number)                                                                       \
    extern "C" __global__ void __launch_bounds__(256) lanescope_gemm_##name(const work_product work)         \
    {                                                                                                        \
        product_compute<In, Out, Number, 64>(work);                                                          \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(256) lanescope_gemm_##name##_small(const work_product work) \
    {                                                                                                        \
        product_compute<In, Out, Number, 16>(work);                                                          \
    }

PRODUCT(s, float, float, float)
PRODUCT(d, double, double, double)
PRODUCT(c, float2, float2, float2)
PRODUCT(z, double2, double2, double2)
PRODUCT(h, __half, __half, float)
PRODUCT(hs, __half, float, float)
PRODUCT(b, __nv_bfloat16, __nv_bfloat16, float)
PRODUCT(bs, __nv_bfloat16, float, float)
PRODUCT(i, signed char, int, int)
PRODUCT(is, signed char, float, float)

/* op(A) X = alpha B, B in place: a thread solves for one column. The diagonal is divided by. */
template <typename T> __device__ void triangle_solve(const work_product &work)
{
    const long long batch = work.first + blockIdx.z, j = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const T *a = matrix_at<T>(work.a, batch);
    T *x = (T *)matrix_at<T>(work.d, batch) + j * work.d.column;
    const T alpha = scalar_load<T>(work.alpha);

    if (j >= work.n)
        return;
    for (long long number = 0; number < work.m; number++) {
        long long i = work.a.lower ? number : work.m - 1 - number;
        T sum = number_is_zero(alpha) ? alpha : number_multiply(alpha, x[i * work.d.row]);
        for (long long before = 0; before < number && !number_is_zero(alpha); before++) {
            long long k = work.a.lower ? before : work.m - 1 - before;
            T factor = a[i * work.a.row + k * work.a.column];
            if (work.a.conjugate)
                factor = number_conjugate(factor);
            sum = number_multiply_add(number_negative(factor), x[k * work.d.row], sum);
        }
        if (work.a.kind != KIND_UNIT_TRIANGLE && !number_is_zero(alpha)) {
            T diagonal = a[i * work.a.row + i * work.a.column];
            sum = number_divide(sum, work.a.conjugate ? number_conjugate(diagonal) : diagonal);
        }
        x[i * work.d.row] = sum;
    }
}

#define SOLVE(name, T)                                                                               \
    extern "C" __global__ void __launch_bounds__(128) lanescope_trsm_##name(const work_product work) \
    {                                                                                                \
        triangle_solve<T>(work);                                                                     \
    }

SOLVE(s, float)
SOLVE(d, double)
SOLVE(c, float2)
SOLVE(z, double2)
// SPDX-License-Identifier: Apache-2.0
