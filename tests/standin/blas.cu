/* lanescope's cuBLAS as a program calls it: results against sums of doubles on the host, all transpositions,
 * odd sizes, scalars of zero, both pointer modes, batches, types, and what wrong arguments are answered. */
#include "blas.h"
#include "case.h"

#include <cmath>
#include <complex>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

typedef std::complex<double> number;

#define BLAS(call) MUST((call) == CUBLAS_STATUS_SUCCESS)

// ---- elements of every type ----
template <typename T> static T make(number value)
{
    return T(value.real());
}
template <> float2 make(number value)
{
    return make_float2(float(value.real()), float(value.imag()));
}
template <> double2 make(number value)
{
    return make_double2(value.real(), value.imag());
}
template <> __half make(number value)
{
    return __float2half(float(value.real()));
}
template <> __nv_bfloat16 make(number value)
{
    return __float2bfloat16(float(value.real()));
}
template <typename T> static number value_of(T element)
{
    return number(double(element));
}
static number value_of(float2 element)
{
    return number(element.x, element.y);
}
static number value_of(double2 element)
{
    return number(element.x, element.y);
}
static number value_of(__half element)
{
    return number(double(__half2float(element)));
}
static number value_of(__nv_bfloat16 element)
{
    return number(double(__bfloat162float(element)));
}
template <typename T> struct part {
    typedef T real;
    static constexpr bool complex = false;
    static constexpr double error = sizeof(T) == 8 ? 1e-14 : sizeof(T) == 4 ? 1e-6 : 1e-2;
};
template <> struct part<float2> {
    typedef float real;
    static constexpr bool complex = true;
    static constexpr double error = 1e-6;
};
template <> struct part<double2> {
    typedef double real;
    static constexpr bool complex = true;
    static constexpr double error = 1e-14;
};

static unsigned seed = 1;

/* From -1 to 1 in steps of 1/32, which every type has. */
static double draw()
{
    seed = seed * 1664525u + 1013904223u;
    return double(int(seed >> 24) - 128) / 128;
}

/* n elements on both sides; each call of `get` fetches the device's. */
template <typename T> struct array {
    std::vector<T> host;
    T *device;

    explicit array(size_t n, bool poisoned = false) : host(n)
    {
        for (T &element : host)
            element = make<T>(poisoned ? number(NAN, NAN) : number(draw(), draw()));
        CALL(cudaMalloc(&device, n * sizeof(T)));
        put();
    }
    ~array()
    {
        cudaFree(device);
    }
    void put()
    {
        CALL(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get()
    {
        std::vector<T> copy(host.size());
        CALL(cudaMemcpy(copy.data(), device, copy.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }
    number at(size_t i) const
    {
        return value_of(host[i]);
    }
};

/* Each element is its expected value within `error` times its size. */
static bool is_near(number got, number wanted, double size, double error)
{
    return std::abs(got - wanted) <= error * (size + 1e-30) && !std::isnan(got.real()) &&
           !std::isnan(got.imag());
}

/* Element (i, k) of op(A). */
template <typename T>
static number element(const array<T> &a, int leading, cublasOperation_t operation, int i, int k)
{
    number value = operation == CUBLAS_OP_N ? a.at(size_t(k) * leading + i) : a.at(size_t(i) * leading + k);
    return operation == CUBLAS_OP_C ? std::conj(value) : value;
}

// ---- calls by type ----
#define BY_TYPE(name)                                                            \
    template <typename... R> static cublasStatus_t name##_of(float, R... rest)   \
    {                                                                            \
        return cublasS##name(rest...);                                           \
    }                                                                            \
    template <typename... R> static cublasStatus_t name##_of(double, R... rest)  \
    {                                                                            \
        return cublasD##name(rest...);                                           \
    }                                                                            \
    template <typename... R> static cublasStatus_t name##_of(float2, R... rest)  \
    {                                                                            \
        return cublasC##name(rest...);                                           \
    }                                                                            \
    template <typename... R> static cublasStatus_t name##_of(double2, R... rest) \
    {                                                                            \
        return cublasZ##name(rest...);                                           \
    }
#define BY_NAME(name, s, d, c, z)                                                \
    template <typename... R> static cublasStatus_t name##_of(float, R... rest)   \
    {                                                                            \
        return cublas##s(rest...);                                               \
    }                                                                            \
    template <typename... R> static cublasStatus_t name##_of(double, R... rest)  \
    {                                                                            \
        return cublas##d(rest...);                                               \
    }                                                                            \
    template <typename... R> static cublasStatus_t name##_of(float2, R... rest)  \
    {                                                                            \
        return cublas##c(rest...);                                               \
    }                                                                            \
    template <typename... R> static cublasStatus_t name##_of(double2, R... rest) \
    {                                                                            \
        return cublas##z(rest...);                                               \
    }
BY_TYPE(gemm_v2)
BY_TYPE(gemm_v2_64)
BY_TYPE(gemmBatched)
BY_TYPE(gemmStridedBatched)
BY_TYPE(gemv_v2)
BY_TYPE(axpy_v2)
BY_TYPE(scal_v2)
BY_TYPE(copy_v2)
BY_TYPE(swap_v2)
BY_TYPE(rot_v2)
BY_TYPE(geam)
BY_TYPE(dgmm)
BY_TYPE(symm_v2)
BY_TYPE(symv_v2)
BY_TYPE(syrk_v2)
BY_TYPE(syr2k_v2)
BY_TYPE(syr2_v2)
BY_TYPE(trmm_v2)
BY_TYPE(trsm_v2)
BY_TYPE(trsv_v2)
BY_TYPE(trmv_v2)
BY_NAME(dot, Sdot_v2, Ddot_v2, Cdotc_v2, Zdotc_v2)
BY_NAME(nrm2, Snrm2_v2, Dnrm2_v2, Scnrm2_v2, Dznrm2_v2)
BY_NAME(asum, Sasum_v2, Dasum_v2, Scasum_v2, Dzasum_v2)
BY_NAME(amax, Isamax_v2, Idamax_v2, Icamax_v2, Izamax_v2)
BY_NAME(ger, Sger_v2, Dger_v2, Cgerc_v2, Zgerc_v2)

static cublasHandle_t open_handle()
{
    cublasHandle_t handle;

    BLAS(cublasCreate(&handle));
    return handle;
}

// ---- gemm ----
struct sizes {
    int m, n, k;
};
static const struct sizes all_sizes[] = {{1, 1, 1},    {5, 7, 3},     {17, 33, 65},
                                         {64, 64, 16}, {70, 130, 19}, {3, 2, 0}};
static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

/* The product of `batch`, of which c was `before`; a, b and c lie `batch` strides away. */
template <typename T, typename R>
static bool product_is_right(const array<T> &a, const array<T> &b, const std::vector<R> &before,
                             const std::vector<R> &c, const struct sizes &size, cublasOperation_t ta,
                             cublasOperation_t tb, int lda, int ldb, int ldc, number alpha, number beta,
                             double error, size_t a_at = 0, size_t b_at = 0, size_t c_at = 0)
{
    for (int j = 0; j < size.n; j++)
        for (int i = 0; i < size.m; i++) {
            number sum = 0;
            double large = 0;
            for (int k = 0; k < size.k && alpha != 0.0; k++) {
                number left =
                    ta == CUBLAS_OP_N ? a.at(a_at + size_t(k) * lda + i) : a.at(a_at + size_t(i) * lda + k);
                number right =
                    tb == CUBLAS_OP_N ? b.at(b_at + size_t(j) * ldb + k) : b.at(b_at + size_t(k) * ldb + j);
                left = ta == CUBLAS_OP_C ? std::conj(left) : left;
                right = tb == CUBLAS_OP_C ? std::conj(right) : right;
                sum += left * right;
                large += std::abs(left * right);
            }
            size_t place = c_at + size_t(j) * ldc + i;
            number wanted = alpha == 0.0 ? 0.0 : alpha * sum;
            wanted += beta == 0.0 ? 0.0 : beta * value_of(before[place]);
            large = large * std::abs(alpha) + std::abs(wanted);
            if (!is_near(value_of(c[place]), wanted, large, error * 3))
                return false;
        }
    return true;
}

template <typename T> static void multiply(cublasHandle_t handle)
{
    const number scalars[][2] = {{1.0, 0.0}, {1.5, -0.5}, {0.0, 2.0}, {0.0, 0.0}};

    for (const struct sizes &size : all_sizes)
        for (cublasOperation_t ta : operations)
            for (cublasOperation_t tb : operations)
                for (const auto &scalar : scalars) {
                    const int lda = (ta == CUBLAS_OP_N ? size.m : size.k) + 3,
                              ldb = (tb == CUBLAS_OP_N ? size.k : size.n) + 1, ldc = size.m + 2;
                    /* What is multiplied by zero is not read. */
                    array<T> a(size_t(lda) * (size.m + size.k), scalar[0] == 0.0),
                        b(size_t(ldb) * (size.n + size.k)), c(size_t(ldc) * size.n, scalar[1] == 0.0);
                    const T alpha = make<T>(scalar[0]), beta = make<T>(scalar[1]);
                    std::vector<T> before = c.host;
                    if (size.n == 33)
                        BLAS(gemm_v2_64_of(T(), handle, ta, tb, size.m, size.n, size.k, &alpha, a.device, lda,
                                           b.device, ldb, &beta, c.device, ldc));
                    else
                        BLAS(gemm_v2_of(T(), handle, ta, tb, size.m, size.n, size.k, &alpha, a.device, lda,
                                        b.device, ldb, &beta, c.device, ldc));
                    MUST(product_is_right(a, b, before, c.get(), size, ta, tb, lda, ldb, ldc, scalar[0],
                                          scalar[1], part<T>::error));
                }
}

static void multiply_matrices()
{
    cublasHandle_t handle = open_handle();

    multiply<float>(handle);
    multiply<double>(handle);
    multiply<float2>(handle);
    multiply<double2>(handle);
    BLAS(cublasDestroy(handle));
}

template <typename T> static void multiply_batches(cublasHandle_t handle)
{
    const struct sizes size = {9, 5, 20};
    const int batches = 7, lda = 10, ldb = 20, ldc = 9;
    const T alpha = make<T>(2.0), beta = make<T>(0.5);
    array<T> a(lda * 20 * batches), b(ldb * 5 * batches), c(ldc * 5 * batches);
    std::vector<T> before = c.host;
    std::vector<T *> pointers;
    T **on_device;

    BLAS(gemmStridedBatched_of(T(), handle, CUBLAS_OP_N, CUBLAS_OP_N, size.m, size.n, size.k, &alpha,
                               a.device, lda, lda * 20LL, b.device, ldb, 0LL, &beta, c.device, ldc, ldc * 5LL,
                               batches));
    std::vector<T> strided = c.get();
    for (int i = 0; i < batches; i++) /* b has a stride of zero: it is the same matrix for all */
        MUST(product_is_right(a, b, before, strided, size, CUBLAS_OP_N, CUBLAS_OP_N, lda, ldb, ldc, 2.0, 0.5,
                              part<T>::error, size_t(i) * lda * 20, 0, size_t(i) * ldc * 5));
    c.put();
    for (int i = 0; i < batches; i++)
        pointers.push_back(a.device + i * lda * 20);
    for (int i = 0; i < batches; i++)
        pointers.push_back(b.device + (batches - 1 - i) * ldb * 5);
    for (int i = 0; i < batches; i++)
        pointers.push_back(c.device + i * ldc * 5);
    CALL(cudaMalloc(&on_device, pointers.size() * sizeof(T *)));
    CALL(cudaMemcpy(on_device, pointers.data(), pointers.size() * sizeof(T *), cudaMemcpyHostToDevice));
    BLAS(gemmBatched_of(T(), handle, CUBLAS_OP_N, CUBLAS_OP_N, size.m, size.n, size.k, &alpha, on_device, lda,
                        on_device + batches, ldb, &beta, on_device + 2 * batches, ldc, batches));
    strided = c.get();
    for (int i = 0; i < batches; i++)
        MUST(product_is_right(a, b, before, strided, size, CUBLAS_OP_N, CUBLAS_OP_N, lda, ldb, ldc, 2.0, 0.5,
                              part<T>::error, size_t(i) * lda * 20, size_t(batches - 1 - i) * ldb * 5,
                              size_t(i) * ldc * 5));
    cudaFree(on_device);
}

static void multiply_in_batches()
{
    cublasHandle_t handle = open_handle();

    multiply_batches<float>(handle);
    multiply_batches<double>(handle);
    multiply_batches<float2>(handle);
    multiply_batches<double2>(handle);
    BLAS(cublasDestroy(handle));
}

// ---- GemmEx ----
template <typename In, typename Out>
static void multiply_types(cublasHandle_t handle, cudaDataType in, cudaDataType out,
                           cublasComputeType_t compute, double error)
{
    const struct sizes size = {67, 35, 40};
    array<In> a(67 * 40), b(40 * 35);
    array<Out> c(67 * 35);
    std::vector<Out> before = c.host;
    const float alpha = 1.5f, beta = 2.0f;
    const __half half_alpha = __float2half(alpha), half_beta = __float2half(beta);
    const int whole_alpha = 3, whole_beta = 2;
    const void *alphas = compute == CUBLAS_COMPUTE_16F   ? (const void *)&half_alpha
                         : compute == CUBLAS_COMPUTE_32I ? (const void *)&whole_alpha
                                                         : &alpha;
    const void *betas = compute == CUBLAS_COMPUTE_16F   ? (const void *)&half_beta
                        : compute == CUBLAS_COMPUTE_32I ? (const void *)&whole_beta
                                                        : &beta;

    BLAS(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 67, 35, 40, alphas, a.device, in, 40, b.device, in,
                      40, betas, c.device, out, 67, compute, CUBLAS_GEMM_DEFAULT));
    MUST(product_is_right(a, b, before, c.get(), size, CUBLAS_OP_T, CUBLAS_OP_N, 40, 40, 67,
                          compute == CUBLAS_COMPUTE_32I ? 3.0 : 1.5, 2.0, error));
}

static void multiply_by_types()
{
    cublasHandle_t handle = open_handle();
    __half one = __float2half(1.0f), none = __float2half(0.0f);

    multiply_types<float, float>(handle, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-6);
    multiply_types<float, float>(handle, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 1e-3);
    multiply_types<__half, __half>(handle, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 1e-3);
    multiply_types<__half, __half>(handle, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, 1e-2);
    multiply_types<__half, float>(handle, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-6);
    multiply_types<__nv_bfloat16, __nv_bfloat16>(handle, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 8e-3);
    multiply_types<__nv_bfloat16, float>(handle, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-6);
    multiply_types<signed char, int>(handle, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 0);
    multiply_types<signed char, float>(handle, CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-6);
    array<__half> a(32 * 32), b(32 * 32), c(32 * 32, true);
    BLAS(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 32, 32, 32, &one, a.device, 32, b.device, 32, &none,
                     c.device, 32));
    MUST(product_is_right(a, b, c.host, c.get(), {32, 32, 32}, CUBLAS_OP_N, CUBLAS_OP_T, 32, 32, 32, 1.0, 0.0,
                          1e-3));

    /* Elements with more bits than TF32 has, and a size at which NVIDIA's library uses it: a product of one
     * element it computes in float (seen on an H200 with cuBLAS 13.1.0.3). */
    const float unit = 1.0f, zero = 0.0f;
    array<float> left(64 * 64), right(64 * 64), product(64 * 64, true);
    for (array<float> *each : {&left, &right}) {
        for (float &element : each->host)
            element += float(draw()) / 4096;
        each->put();
    }
    std::vector<float> got[2];
    for (int rounded : {0, 1}) {
        BLAS(cublasSetMathMode(handle, rounded ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH));
        BLAS(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &unit, left.device, 64,
                            right.device, 64, &zero, product.device, 64));
        got[rounded] = product.get();
        MUST(product_is_right(left, right, product.host, got[rounded], {64, 64, 64}, CUBLAS_OP_N, CUBLAS_OP_N,
                              64, 64, 64, 1.0, 0.0, rounded ? 1e-3 : 1e-6));
    }
    MUST(got[0] != got[1]);
    BLAS(cublasDestroy(handle));
}

// ---- vectors ----
template <typename T> static void compute_vectors(cublasHandle_t handle, int n, int x_step, int y_step)
{
    typedef typename part<T>::real real;
    const double error = part<T>::error * 4;
    const size_t x_size = size_t(n) * abs(x_step) + 1, y_size = size_t(n) * abs(y_step) + 1;
    const T alpha = make<T>(number(0.75, 0.25));
    const number scale = part<T>::complex ? number(0.75, 0.25) : number(0.75);
    const real cosine = real(0.6);
    const T sine = make<T>(number(0.8, 0.0));
    array<T> x(x_size), y(y_size), z(y_size, true);
    auto place = [&](int i, int step) { return size_t(step < 0 ? (i - (n - 1)) * step : i * step); };
    number dot = 0;
    double squares = 0, sum = 0, most = -1;
    int largest = 0, index = -1;
    T result;
    real size;

    for (int i = 0; i < n; i++) {
        number value = x.at(place(i, x_step));
        dot += std::conj(value) * y.at(place(i, y_step));
        squares += std::norm(value);
        sum += std::abs(value.real()) + std::abs(value.imag());
        if (std::abs(value.real()) + std::abs(value.imag()) > most) {
            most = std::abs(value.real()) + std::abs(value.imag());
            largest = i + 1;
        }
    }
    BLAS(dot_of(T(), handle, n, x.device, x_step, y.device, y_step, &result));
    MUST(is_near(value_of(result), dot, n, error));
    if (x_step > 0) {
        BLAS(nrm2_of(T(), handle, n, x.device, x_step, &size));
        MUST(is_near(double(size), std::sqrt(squares), std::sqrt(squares), error));
        BLAS(asum_of(T(), handle, n, x.device, x_step, &size));
        MUST(is_near(double(size), sum, sum, error));
        BLAS(amax_of(T(), handle, n, x.device, x_step, &index));
        MUST(index == largest);
    }
    BLAS(copy_v2_of(T(), handle, n, y.device, y_step, z.device, y_step));
    BLAS(axpy_v2_of(T(), handle, n, &alpha, x.device, x_step, z.device, y_step));
    std::vector<T> got = z.get();
    for (int i = 0; i < n; i++)
        MUST(is_near(value_of(got[place(i, y_step)]), scale * x.at(place(i, x_step)) + y.at(place(i, y_step)),
                     3, error));
    BLAS(swap_v2_of(T(), handle, n, x.device, x_step, y.device, y_step));
    BLAS(rot_v2_of(T(), handle, n, x.device, x_step, y.device, y_step, &cosine, &sine));
    got = x.get();
    std::vector<T> turned = y.get();
    for (int i = 0; i < n; i++) {
        number first = y.at(place(i, y_step)), second = x.at(place(i, x_step));
        MUST(is_near(value_of(got[place(i, x_step)]), 0.6 * first + 0.8 * second, 3, error));
        MUST(is_near(value_of(turned[place(i, y_step)]), 0.6 * second - 0.8 * first, 3, error));
    }
    if (y_step > 0) {
        y.put();
        BLAS(scal_v2_of(T(), handle, n, &alpha, y.device, y_step));
        got = y.get();
        for (size_t i = 0; i < y_size; i++)
            MUST(is_near(value_of(got[i]),
                         (i % y_step == 0 && i < size_t(n) * y_step ? scale : 1.0) * y.at(i), 3, error));
    }
}

template <typename T> static void compute_vectors_of(cublasHandle_t handle)
{
    compute_vectors<T>(handle, 1, 1, 1);
    compute_vectors<T>(handle, 1000, 1, 1);
    compute_vectors<T>(handle, 5000, 2, 3);
    compute_vectors<T>(handle, 77, -1, 2);
    compute_vectors<T>(handle, 77, 1, -2);
}

static void compute_with_vectors()
{
    cublasHandle_t handle = open_handle();
    const float factor = 2.0f;
    float huge[2] = {3e30f, 4e30f}, size, *device;
    int index;

    compute_vectors_of<float>(handle);
    compute_vectors_of<double>(handle);
    compute_vectors_of<float2>(handle);
    compute_vectors_of<double2>(handle);

    /* A norm whose squares overflow; nothing of no elements; results on the device. */
    CALL(cudaMalloc(&device, 4 * sizeof(float)));
    BLAS(cublasSetVector(2, sizeof(float), huge, 1, device, 1));
    BLAS(cublasSnrm2_v2(handle, 2, device, 1, &size));
    MUST(is_near(double(size), 5e30, 5e30, 1e-6));
    BLAS(cublasIsamin_v2(handle, 2, device, 1, &index));
    MUST(index == 1);
    BLAS(cublasSnrm2_v2(handle, 0, device, 1, &size));
    MUST(size == 0);
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(cublasSasum_v2(handle, 2, device, 1, device + 3));
    CALL(cudaMemcpy(&size, device + 3, sizeof size, cudaMemcpyDeviceToHost));
    MUST(is_near(double(size), 7e30, 7e30, 1e-6));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));

    array<__half> x(900), y(900);
    float sum = 0;
    __half result;
    for (size_t i = 0; i < 900; i++)
        sum += __half2float(x.host[i]) * __half2float(y.host[i]);
    BLAS(cublasDotEx(handle, 900, x.device, CUDA_R_16F, 1, y.device, CUDA_R_16F, 1, &result, CUDA_R_16F,
                     CUDA_R_32F));
    MUST(is_near(value_of(result), double(sum), 40, 1e-3));
    BLAS(cublasAxpyEx(handle, 900, &factor, CUDA_R_32F, x.device, CUDA_R_16F, 1, y.device, CUDA_R_16F, 1,
                      CUDA_R_32F));
    std::vector<__half> got = y.get();
    for (size_t i = 0; i < 900; i++)
        MUST(is_near(value_of(got[i]), 2.0 * x.at(i) + y.at(i), 3, 1e-3));
    cudaFree(device);
    BLAS(cublasDestroy(handle));
}

// ---- matrices ----
template <typename T> static void compute_matrices(cublasHandle_t handle, int m, int n)
{
    const double error = part<T>::error * 8;
    const number scale = part<T>::complex ? number(0.75, 0.25) : number(0.75);
    const T alpha = make<T>(number(0.75, 0.25)), beta = make<T>(number(-0.5));
    const int leading = m + 2;
    array<T> a(size_t(leading) * n), x(2 * (m + n)), y(3 * (m + n)), b(size_t(leading) * n),
        c(size_t(m) * n, true);
    std::vector<T> got;

    for (cublasOperation_t operation : operations) {
        const int rows = operation == CUBLAS_OP_N ? m : n, length = operation == CUBLAS_OP_N ? n : m;
        y.put();
        BLAS(gemv_v2_of(T(), handle, operation, m, n, &alpha, a.device, leading, x.device, 2, &beta, y.device,
                        3));
        got = y.get();
        for (int i = 0; i < rows; i++) {
            number sum = 0;
            for (int k = 0; k < length; k++)
                sum += element(a, leading, operation, i, k) * x.at(2 * k);
            MUST(is_near(value_of(got[3 * i]), scale * sum - 0.5 * y.at(3 * i), length, error));
        }
    }
    BLAS(geam_of(T(), handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, &alpha, a.device, leading, &beta, b.device,
                 leading, c.device, m));
    got = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            MUST(is_near(value_of(got[j * m + i]),
                         scale * a.at(j * leading + i) - 0.5 * b.at(j * leading + i), 3, error));
    BLAS(geam_of(T(), handle, CUBLAS_OP_C, CUBLAS_OP_N, n, m, &alpha, a.device, leading, &beta, b.device, n,
                 c.device, n));
    got = c.get();
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            MUST(is_near(value_of(got[j * n + i]),
                         scale * element(a, leading, CUBLAS_OP_C, i, j) - 0.5 * b.at(j * n + i), 3, error));
    BLAS(dgmm_of(T(), handle, CUBLAS_SIDE_RIGHT, m, n, a.device, leading, x.device, 1, c.device, m));
    got = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            MUST(is_near(value_of(got[j * m + i]), a.at(j * leading + i) * x.at(j), 3, error));
    y.put();
    BLAS(ger_of(T(), handle, m, n, &alpha, x.device, 1, y.device, 1, a.device, leading));
    got = a.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            MUST(is_near(value_of(got[j * leading + i]),
                         a.at(j * leading + i) + scale * x.at(i) * std::conj(y.at(j)), 3, error));
}

/* Half-stored operands: the other half holds NaNs, which must not be read or written. */
template <typename T> static void compute_halves(cublasHandle_t handle, int n, int m, cublasFillMode_t fill)
{
    const double error = part<T>::error * 16;
    const T alpha = make<T>(1.5), beta = make<T>(0.5);
    const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
    array<T> a(size_t(n) * n), b(size_t(n) * m), c(size_t(n) * m), r(size_t(n) * n), x(n), y(n);
    auto stored = [&](int i, int j) { return lower ? i >= j : i <= j; };
    auto symmetric = [&](int i, int j) { return stored(i, j) ? a.at(j * n + i) : a.at(i * n + j); };

    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (i == j)
                a.host[j * n + i] = make<T>(4.0 + draw());
            if (!stored(i, j))
                a.host[j * n + i] = r.host[j * n + i] = make<T>(number(NAN, NAN));
        }
    a.put();
    r.put();
    BLAS(symm_v2_of(T(), handle, CUBLAS_SIDE_LEFT, fill, n, m, &alpha, a.device, n, b.device, n, &beta,
                    c.device, n));
    std::vector<T> got = c.get();
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            number sum = 0;
            for (int k = 0; k < n; k++)
                sum += symmetric(i, k) * b.at(j * n + k);
            MUST(is_near(value_of(got[j * n + i]), 1.5 * sum + 0.5 * c.at(j * n + i), 4 * n, error));
        }
    c.put();
    BLAS(symm_v2_of(T(), handle, CUBLAS_SIDE_RIGHT, fill, m, n, &alpha, a.device, n, b.device, m, &beta,
                    c.device, m));
    got = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            number sum = 0;
            for (int k = 0; k < n; k++)
                sum += b.at(k * m + i) * symmetric(k, j);
            MUST(is_near(value_of(got[j * m + i]), 1.5 * sum + 0.5 * c.at(j * m + i), 4 * n, error));
        }
    BLAS(symv_v2_of(T(), handle, fill, n, &alpha, a.device, n, x.device, 1, &beta, y.device, 1));
    got = y.get();
    for (int i = 0; i < n; i++) {
        number sum = 0;
        for (int k = 0; k < n; k++)
            sum += symmetric(i, k) * x.at(k);
        MUST(is_near(value_of(got[i]), 1.5 * sum + 0.5 * y.at(i), 4 * n, error));
    }
    BLAS(syrk_v2_of(T(), handle, fill, CUBLAS_OP_N, n, m, &alpha, b.device, n, &beta, r.device, n));
    got = r.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            number sum = 0;
            for (int k = 0; k < m; k++)
                sum += b.at(k * n + i) * b.at(k * n + j);
            MUST(stored(i, j) ? is_near(value_of(got[j * n + i]), 1.5 * sum + 0.5 * r.at(j * n + i), m, error)
                              : std::isnan(value_of(got[j * n + i]).real()));
        }
    r.put();
    BLAS(syr2k_v2_of(T(), handle, fill, CUBLAS_OP_T, n, m, &alpha, b.device, m, c.device, m, &beta, r.device,
                     n));
    got = r.get();
    std::vector<T> second = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            number sum = 0;
            for (int k = 0; k < m; k++)
                sum += b.at(i * m + k) * value_of(second[j * m + k]) +
                       value_of(second[i * m + k]) * b.at(j * m + k);
            MUST(!stored(i, j) ||
                 is_near(value_of(got[j * n + i]), 1.5 * sum + 0.5 * r.at(j * n + i), 30 * m, error));
        }
    r.put();
    BLAS(syr2_v2_of(T(), handle, fill, n, &alpha, x.device, 1, b.device, 1, r.device, n));
    got = r.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            MUST(!stored(i, j) ||
                 is_near(value_of(got[j * n + i]),
                         r.at(j * n + i) + 1.5 * (x.at(i) * b.at(j) + b.at(i) * x.at(j)), 6, error));
}

/* op(A) X = alpha B and back by trmm gives B again. */
template <typename T> static void solve_triangles(cublasHandle_t handle, int m, int n)
{
    const double error = part<T>::error * 64;
    const T half = make<T>(0.5), two = make<T>(2.0);

    for (cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
        for (cublasFillMode_t fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
            for (cublasOperation_t operation : operations)
                for (cublasDiagType_t diagonal : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT}) {
                    const int size = side == CUBLAS_SIDE_LEFT ? m : n, leading = size + 1;
                    array<T> a(size_t(leading) * size), b(size_t(m + 1) * n), x(size_t(m) * n, true), v(size);
                    for (int j = 0; j < size; j++)
                        for (int i = 0; i < size; i++) {
                            number value =
                                i == j ? number(3.0 + draw(), draw()) : number(draw(), draw()) / double(size);
                            bool read = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
                            if (!read || (i == j && diagonal == CUBLAS_DIAG_UNIT))
                                value = number(NAN, NAN);
                            a.host[j * leading + i] = make<T>(value);
                        }
                    a.put();
                    auto at = [&](int i, int k) {
                        int row = operation == CUBLAS_OP_N ? i : k, column = operation == CUBLAS_OP_N ? k : i;
                        if (row == column && diagonal == CUBLAS_DIAG_UNIT)
                            return number(1.0);
                        if (fill == CUBLAS_FILL_MODE_LOWER ? row < column : row > column)
                            return number(0.0);
                        number value = a.at(column * leading + row);
                        return operation == CUBLAS_OP_C ? std::conj(value) : value;
                    };
                    BLAS(trmm_v2_of(T(), handle, side, fill, operation, diagonal, m, n, &half, a.device,
                                    leading, b.device, m + 1, x.device, m));
                    std::vector<T> got = x.get();
                    for (int j = 0; j < n; j++)
                        for (int i = 0; i < m; i++) {
                            number sum = 0;
                            for (int k = 0; k < size; k++)
                                sum += side == CUBLAS_SIDE_LEFT ? at(i, k) * b.at(j * (m + 1) + k)
                                                                : b.at(k * (m + 1) + i) * at(k, j);
                            MUST(is_near(value_of(got[j * m + i]), 0.5 * sum, 4, error));
                        }
                    BLAS(trsm_v2_of(T(), handle, side, fill, operation, diagonal, m, n, &two, a.device,
                                    leading, x.device, m));
                    got = x.get();
                    for (int j = 0; j < n; j++)
                        for (int i = 0; i < m; i++)
                            MUST(is_near(value_of(got[j * m + i]), b.at(j * (m + 1) + i), 4, error));
                    if (operation == CUBLAS_OP_C && part<T>::complex)
                        continue;
                    BLAS(trmv_v2_of(T(), handle, fill, operation, diagonal, size, a.device, leading, v.device,
                                    1));
                    got = v.get();
                    for (int i = 0; i < size; i++) {
                        number sum = 0;
                        for (int k = 0; k < size; k++)
                            sum += at(i, k) * v.at(k);
                        MUST(is_near(value_of(got[i]), sum, 4, error));
                    }
                    BLAS(trsv_v2_of(T(), handle, fill, operation, diagonal, size, a.device, leading, v.device,
                                    1));
                    got = v.get();
                    for (int i = 0; i < size; i++)
                        MUST(is_near(value_of(got[i]), v.at(i), 4, error));
                }
}

template <typename T> static void compute_matrices_of(cublasHandle_t handle)
{
    compute_matrices<T>(handle, 1, 1);
    compute_matrices<T>(handle, 37, 21);
    compute_matrices<T>(handle, 9, 300);
    compute_halves<T>(handle, 19, 7, CUBLAS_FILL_MODE_LOWER);
    compute_halves<T>(handle, 70, 3, CUBLAS_FILL_MODE_UPPER);
    solve_triangles<T>(handle, 18, 5);
}

static void compute_with_matrices()
{
    cublasHandle_t handle = open_handle();
    const float2 alpha = make_float2(1.0f, 0.5f), beta = make_float2(0.0f, 0.0f);
    const double factor = 0.5, none = 0.0;
    const int n = 20;

    compute_matrices_of<float>(handle);
    compute_matrices_of<double>(handle);
    compute_matrices_of<float2>(handle);
    compute_matrices_of<double2>(handle);

    array<float2> a(n * n), b(n * n), c(n * n, true);
    BLAS(cublasChemm_v2(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, n, n, &alpha, a.device, n,
                        b.device, n, &beta, c.device, n));
    std::vector<float2> got = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            number sum = 0;
            for (int k = 0; k < n; k++) {
                number value = k > j   ? a.at(j * n + k)
                               : k < j ? std::conj(a.at(k * n + j))
                                       : number(a.at(j * n + k).real());
                sum += b.at(k * n + i) * value;
            }
            MUST(is_near(value_of(got[j * n + i]), number(1.0, 0.5) * sum, n, 1e-6));
        }
    array<double2> d(n * n), r(n * n, true);
    BLAS(cublasZherk_v2(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, n, n, &factor, d.device, n, &none,
                        r.device, n));
    std::vector<double2> product = r.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            number sum = 0;
            for (int k = 0; k < n; k++)
                sum += std::conj(d.at(i * n + k)) * d.at(j * n + k);
            MUST(is_near(value_of(product[j * n + i]), 0.5 * sum, n, 1e-14) &&
                 (i != j || product[j * n + i].y == 0));
        }
    BLAS(cublasDestroy(handle));
}

// ---- cublasLt ----
static double activate(double value, int epilogue)
{
    if (epilogue == CUBLASLT_EPILOGUE_RELU_BIAS)
        return value > 0 ? value : 0;
    if (epilogue == CUBLASLT_EPILOGUE_GELU_BIAS)
        return 0.5 * value * (1 + std::tanh(0.7978845608 * (value + 0.044715 * value * value * value)));
    return value;
}

static void multiply_light()
{
    const int m = 40, n = 30, k = 25;
    const size_t workspace = 1 << 20;
    void *space;
    const float alpha = 1.0f, beta = 0.0f;
    const int epilogues[] = {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU_BIAS,
                             CUBLASLT_EPILOGUE_GELU_BIAS};
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t a_layout, b_layout, d_layout;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    cublasOperation_t turned = CUBLAS_OP_T;
    cudaStream_t stream;
    int given = 0;

    CALL(cudaStreamCreate(&stream));
    CALL(cudaMalloc(&space, workspace));
    BLAS(cublasLtCreate(&handle));
    for (int order : {int(CUBLASLT_ORDER_COL), int(CUBLASLT_ORDER_ROW)})
        for (int epilogue : epilogues) {
            array<float> a(m * k), b(k * n), d(m * n, true), bias(m);
            const bool rows = order == CUBLASLT_ORDER_ROW;
            BLAS(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
            BLAS(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &turned,
                                                sizeof turned));
            BLAS(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                                sizeof epilogue));
            BLAS(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.device,
                                                sizeof bias.device));
            BLAS(cublasLtMatrixLayoutCreate(&a_layout, CUDA_R_32F, k, m, rows ? m : k));
            BLAS(cublasLtMatrixLayoutCreate(&b_layout, CUDA_R_32F, k, n, rows ? n : k));
            BLAS(cublasLtMatrixLayoutCreate(&d_layout, CUDA_R_32F, m, n, rows ? n : m));
            for (cublasLtMatrixLayout_t layout : {a_layout, b_layout, d_layout})
                BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                                      sizeof order));
            BLAS(cublasLtMatmulPreferenceCreate(&preference));
            BLAS(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                      &workspace, sizeof workspace));
            BLAS(cublasLtMatmulAlgoGetHeuristic(handle, operation, a_layout, b_layout, d_layout, d_layout,
                                                preference, 1, &result, &given));
            MUST(given == 1 && result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= workspace);
            BLAS(cublasLtMatmul(handle, operation, &alpha, a.device, a_layout, b.device, b_layout, &beta,
                                d.device, d_layout, d.device, d_layout, &result.algo, space,
                                result.workspaceSize, stream));
            CALL(cudaStreamSynchronize(stream));
            std::vector<float> got = d.get();
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++) {
                    double sum = 0;
                    for (int l = 0; l < k; l++)
                        sum += (rows ? a.at(l * m + i) * b.at(l * n + j) : a.at(i * k + l) * b.at(j * k + l))
                                   .real();
                    if (epilogue != CUBLASLT_EPILOGUE_DEFAULT)
                        sum += bias.at(i).real();
                    MUST(
                        is_near(double(got[rows ? i * n + j : j * m + i]), activate(sum, epilogue), k, 1e-6));
                }
            MUST(cublasLtMatmul(handle, operation, &alpha, a.device, b_layout, b.device, b_layout, &beta,
                                d.device, d_layout, d.device, d_layout, NULL, nullptr, 0,
                                stream) == CUBLAS_STATUS_INVALID_VALUE);
            BLAS(cublasLtMatmulPreferenceDestroy(preference));
            for (cublasLtMatrixLayout_t layout : {a_layout, b_layout, d_layout})
                BLAS(cublasLtMatrixLayoutDestroy(layout));
            BLAS(cublasLtMatmulDescDestroy(operation));
        }
    BLAS(cublasLtDestroy(handle));
    cudaFree(space);
    CALL(cudaStreamDestroy(stream));
}

// ---- streams, pointer modes, wrong arguments ----
static void use_handles()
{
    const int n = 24;
    const float one = 1.0f, none = 0.0f, scalars[2] = {2.0f, 0.5f};
    cublasHandle_t handle = open_handle();
    cudaStream_t stream, given;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    float *on_device;
    int version;

    BLAS(cublasGetVersion(handle, &version));
    MUST(version >= 12000);
    CALL(cudaStreamCreate(&stream));
    BLAS(cublasSetStream(handle, stream));
    BLAS(cublasSetWorkspace(handle, nullptr, 0));
    BLAS(cublasGetStream(handle, &given));
    MUST(given == stream);
    CALL(cudaMalloc(&on_device, sizeof scalars));
    CALL(cudaMemcpy(on_device, scalars, sizeof scalars, cudaMemcpyHostToDevice));
    array<float> a(n * n), b(n * n), c(n * n);
    std::vector<float> before = c.host;
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    BLAS(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, on_device, a.device, n, b.device, n,
                        on_device + 1, c.device, n));
    CALL(cudaStreamEndCapture(stream, &graph));
    MUST(c.get() == before);
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphLaunch(executable, stream));
    CALL(cudaStreamSynchronize(stream));
    MUST(product_is_right(a, b, before, c.get(), {n, n, n}, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, 2.0, 0.5,
                          1e-6));
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(graph));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));

    std::vector<float> part(5 * 4, -1.0f);
    BLAS(cublasGetMatrix(4, 4, sizeof(float), a.device, n, part.data(), 5));
    MUST(part[0] == a.host[0] && part[5 + 3] == a.host[n + 3] && part[4] == -1.0f);
    BLAS(cublasGetVector(4, sizeof(float), a.device, n, part.data(), 2));
    MUST(part[6] == a.host[3 * n]);

    MUST(cublasSgemm_v2(NULL, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.device, n, b.device, n, &none,
                        c.device, n) == CUBLAS_STATUS_NOT_INITIALIZED);
    MUST(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, -1, n, n, &one, a.device, n, b.device, n, &none,
                        c.device, n) == CUBLAS_STATUS_INVALID_VALUE);
    MUST(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.device, n - 1, b.device, n, &none,
                        c.device, n) == CUBLAS_STATUS_INVALID_VALUE);
    MUST(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.device, n, b.device, n, &none,
                        c.device, n - 1) == CUBLAS_STATUS_INVALID_VALUE);
    MUST(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, (float *)NULL, a.device, n, b.device, n,
                        &none, c.device, n) == CUBLAS_STATUS_INVALID_VALUE);
    MUST(cublasSgemm_v2(handle, cublasOperation_t(9), CUBLAS_OP_N, n, n, n, &one, a.device, n, b.device, n,
                        &none, c.device, n) == CUBLAS_STATUS_INVALID_VALUE);
    MUST(cublasSetMatrix(4, 4, sizeof(float), part.data(), 3, a.device, n) == CUBLAS_STATUS_MAPPING_ERROR);
    MUST(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.device, CUDA_R_32F, n, b.device,
                      CUDA_R_16F, n, &none, c.device, CUDA_R_32F, n, CUBLAS_COMPUTE_32F,
                      CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
    BLAS(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, n, n, &one, NULL, n, NULL, n, &none, NULL, n));
    cudaFree(on_device);
    BLAS(cublasDestroy(handle));
    MUST(cublasDestroy(NULL) == CUBLAS_STATUS_NOT_INITIALIZED);
    CALL(cudaStreamDestroy(stream));
}

/* What the library does not have. */
static void call_absent()
{
    std::printf("before\n");
    std::printf("status %d\n", int(cublasXtCreate(NULL)));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"products", multiply_matrices},
        {"batches", multiply_in_batches},
        {"types", multiply_by_types},
        {"vectors", compute_with_vectors},
        {"matrices", compute_with_matrices},
        {"light", multiply_light},
        {"handles", use_handles},
        {"absent", call_absent},
    };

    return run_cases(cases, argc, argv);
}
// SPDX-License-Identifier: Apache-2.0
