// SPDX-License-Identifier: Apache-2.0
/* Wrong calls of cuBLAS, one argument at a time: PROGRAM prints the names of the cases, PROGRAM - runs those that it
 * reads, PROGRAM NAME one of them. What an H200 answered is in tests/data/cublas_h200.txt. */
#include "blas.h"

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <iostream>
#include <string>
#include <vector>

/* What the calls are made of: right, until a change makes one of them wrong. */
struct call {
    cublasHandle_t handle;
    int op_a = 0, op_b = 0, side = 0, fill = 0, diag = 0;
    int m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, incx = 1, incy = 1, count = 2, size = 4;
    float one = 1, none = 0, *alpha = &one, *beta = &none, *a, *b, *c, result = 0, *to = &result;
    float **as, **bs, **cs;
    int place = 0, *place_to = &place, type_a = CUDA_R_32F, type_c = CUDA_R_32F, compute = CUBLAS_COMPUTE_32F;
    float host[64] = {};
};

struct change {
    char letter; // which functions have the argument
    const char *name;
    void (*make)(struct call *);
};

#define CHANGE(letter, field, value)                                        \
    {                                                                       \
        letter, #field "=" #value, [](struct call *c) { c->field = value; } \
    }
// clang-format off
static const struct change changes[] = {
    {' ', "right", [](struct call *) {}},
    CHANGE('h', handle, nullptr),
    CHANGE('a', op_a, 1), CHANGE('a', op_a, 2), CHANGE('a', op_a, 3), CHANGE('a', op_a, 9), CHANGE('a', op_a, -1),
    CHANGE('b', op_b, 2), CHANGE('b', op_b, 9),
    CHANGE('s', side, 1), CHANGE('s', side, 2), CHANGE('f', fill, 1), CHANGE('f', fill, 2), CHANGE('f', fill, 7), CHANGE('d', diag, 1), CHANGE('d', diag, 5),
    CHANGE('m', m, -1), CHANGE('m', m, 0), CHANGE('m', m, 5), CHANGE('n', n, -1), CHANGE('n', n, 0), CHANGE('n', n, 5), CHANGE('k', k, -1), CHANGE('k', k, 0), CHANGE('k', k, 5),
    CHANGE('A', lda, 3), CHANGE('A', lda, 0), CHANGE('A', lda, -4), CHANGE('B', ldb, 3), CHANGE('B', ldb, 0), CHANGE('C', ldc, 3), CHANGE('C', ldc, 0),
    CHANGE('x', incx, 0), CHANGE('x', incx, -1), CHANGE('x', incx, 2), CHANGE('y', incy, 0), CHANGE('y', incy, -1),
    CHANGE('c', count, 0), CHANGE('c', count, -1), CHANGE('e', size, 0), CHANGE('e', size, -4),
    CHANGE('1', alpha, nullptr), CHANGE('2', beta, nullptr), CHANGE('t', to, nullptr), CHANGE('i', place_to, nullptr),
    CHANGE('p', a, nullptr), CHANGE('q', b, nullptr), CHANGE('r', c, nullptr), CHANGE('P', as, nullptr),
    CHANGE('T', type_a, CUDA_R_16F), CHANGE('T', type_a, CUDA_R_64F), CHANGE('T', type_c, CUDA_R_16F), CHANGE('T', type_a, 999), CHANGE('T', compute, CUBLAS_COMPUTE_64F), CHANGE('T', compute, 5),
};

#define OA cublasOperation_t(c->op_a)
#define OB cublasOperation_t(c->op_b)
#define SIDE cublasSideMode_t(c->side)
#define FILL cublasFillMode_t(c->fill)
#define DIAG cublasDiagType_t(c->diag)
#define FUNCTION(name, letters, list) {#name, letters, [](struct call *c) { return int(cublas##name list); }}
static const struct function {
    const char *name, *letters;
    int (*run)(struct call *);
} functions[] = {
    FUNCTION(SetStream_v2, "h", (c->handle, nullptr)),
    FUNCTION(SetPointerMode_v2, "ha", (c->handle, cublasPointerMode_t(c->op_a))),
    FUNCTION(SetMathMode, "ha", (c->handle, cublasMath_t(c->op_a))),
    FUNCTION(GetVersion_v2, "hi", (c->handle, c->place_to)),
    FUNCTION(SetVector, "nexypr", (c->n, c->size, c->host, c->incx, c->a, c->incy)),
    FUNCTION(GetVector, "nexyp", (c->n, c->size, c->a, c->incx, c->host, c->incy)),
    FUNCTION(SetMatrix, "mneABp", (c->m, c->n, c->size, c->host, c->lda, c->a, c->ldb)),
    FUNCTION(GetMatrix, "mneABp", (c->m, c->n, c->size, c->a, c->lda, c->host, c->ldb)),
    FUNCTION(Saxpy_v2, "hn1xypq", (c->handle, c->n, c->alpha, c->a, c->incx, c->b, c->incy)),
    FUNCTION(Sscal_v2, "hn1xp", (c->handle, c->n, c->alpha, c->a, c->incx)),
    FUNCTION(Scopy_v2, "hnxypq", (c->handle, c->n, c->a, c->incx, c->b, c->incy)),
    FUNCTION(Sswap_v2, "hnxypq", (c->handle, c->n, c->a, c->incx, c->b, c->incy)),
    FUNCTION(Srot_v2, "hnxy12pq", (c->handle, c->n, c->a, c->incx, c->b, c->incy, c->alpha, c->beta)),
    FUNCTION(Sdot_v2, "hnxytpq", (c->handle, c->n, c->a, c->incx, c->b, c->incy, c->to)),
    FUNCTION(Snrm2_v2, "hnxtp", (c->handle, c->n, c->a, c->incx, c->to)),
    FUNCTION(Sasum_v2, "hnxtp", (c->handle, c->n, c->a, c->incx, c->to)),
    FUNCTION(Isamax_v2, "hnxip", (c->handle, c->n, c->a, c->incx, c->place_to)),
    FUNCTION(Isamin_v2, "hnxip", (c->handle, c->n, c->a, c->incx, c->place_to)),
    FUNCTION(Sgemv_v2, "hamn12Axypqr", (c->handle, OA, c->m, c->n, c->alpha, c->a, c->lda, c->b, c->incx, c->beta, c->c, c->incy)),
    FUNCTION(Sger_v2, "hmn1xyApqr", (c->handle, c->m, c->n, c->alpha, c->a, c->incx, c->b, c->incy, c->c, c->lda)),
    FUNCTION(Ssymv_v2, "hfn12Axy", (c->handle, FILL, c->n, c->alpha, c->a, c->lda, c->b, c->incx, c->beta, c->c, c->incy)),
    FUNCTION(Strsv_v2, "hfadnAx", (c->handle, FILL, OA, DIAG, c->n, c->a, c->lda, c->b, c->incx)),
    FUNCTION(Strmv_v2, "hfadnAx", (c->handle, FILL, OA, DIAG, c->n, c->a, c->lda, c->b, c->incx)),
    FUNCTION(Sgemm_v2, "habmnk12ABCpqr", (c->handle, OA, OB, c->m, c->n, c->k, c->alpha, c->a, c->lda, c->b, c->ldb, c->beta, c->c, c->ldc)),
    FUNCTION(SgemmStridedBatched, "habmnk12ABCc", (c->handle, OA, OB, c->m, c->n, c->k, c->alpha, c->a, c->lda, 16, c->b, c->ldb, 16, c->beta, c->c, c->ldc, 16, c->count)),
    FUNCTION(SgemmBatched, "habmnk12ABCcP", (c->handle, OA, OB, c->m, c->n, c->k, c->alpha, c->as, c->lda, c->bs, c->ldb, c->beta, c->cs, c->ldc, c->count)),
    FUNCTION(GemmEx, "habmnk12ABCT", (c->handle, OA, OB, c->m, c->n, c->k, c->alpha, c->a, cudaDataType(c->type_a), c->lda, c->b, cudaDataType(c->type_a), c->ldb, c->beta, c->c, cudaDataType(c->type_c),
        c->ldc, cublasComputeType_t(c->compute), CUBLAS_GEMM_DEFAULT)),
    FUNCTION(Sgeam, "habmn12ABC", (c->handle, OA, OB, c->m, c->n, c->alpha, c->a, c->lda, c->beta, c->b, c->ldb, c->c, c->ldc)),
    FUNCTION(Sdgmm, "hsmnACx", (c->handle, SIDE, c->m, c->n, c->a, c->lda, c->b, c->incx, c->c, c->ldc)),
    FUNCTION(Ssymm_v2, "hsfmn12ABC", (c->handle, SIDE, FILL, c->m, c->n, c->alpha, c->a, c->lda, c->b, c->ldb, c->beta, c->c, c->ldc)),
    FUNCTION(Ssyrk_v2, "hfank12AC", (c->handle, FILL, OA, c->n, c->k, c->alpha, c->a, c->lda, c->beta, c->c, c->ldc)),
    FUNCTION(Ssyr2k_v2, "hfank12ABC", (c->handle, FILL, OA, c->n, c->k, c->alpha, c->a, c->lda, c->b, c->ldb, c->beta, c->c, c->ldc)),
    FUNCTION(Ssyr2_v2, "hfn1xyA", (c->handle, FILL, c->n, c->alpha, c->a, c->incx, c->b, c->incy, c->c, c->lda)),
    FUNCTION(Strmm_v2, "hsfadmn1ABC", (c->handle, SIDE, FILL, OA, DIAG, c->m, c->n, c->alpha, c->a, c->lda, c->b, c->ldb, c->c, c->ldc)),
    FUNCTION(Strsm_v2, "hsfadmn1AB", (c->handle, SIDE, FILL, OA, DIAG, c->m, c->n, c->alpha, c->a, c->lda, c->b, c->ldb)),
};
// clang-format on

static float *upload(const float *first, size_t count)
{
    float *to;
    cudaMalloc(&to, count * sizeof *first);
    cudaMemcpy(to, first, count * sizeof *first, cudaMemcpyHostToDevice);
    return to;
}

static float **upload_places(float *of)
{
    float *places[2] = {of, of + 16}, **to;
    cudaMalloc(&to, sizeof places);
    cudaMemcpy(to, places, sizeof places, cudaMemcpyHostToDevice);
    return to;
}

/* A unit matrix, twice, in each array: what a call computes is within them. */
static void run(const struct function *function, const struct change *change)
{
    struct call call;
    std::vector<float> unit(64);
    for (int i = 0; i < 64; i++)
        unit[i] = i % 5 == 0;
    call.a = upload(unit.data(), 64);
    call.b = upload(unit.data(), 64);
    call.c = upload(unit.data(), 64);
    call.as = upload_places(call.a);
    call.bs = upload_places(call.b);
    call.cs = upload_places(call.c);
    cublasHandle_t handle;
    int created = cublasCreate(&handle);
    call.handle = handle;
    change->make(&call);
    int code = created ? -created : function->run(&call);
    std::printf(" %d sync %d\n", code, int(cudaDeviceSynchronize()));
    cublasDestroy(handle);
}

int main(int argc, char **argv)
{
    bool list = argc < 2, some = !list && std::strcmp(argv[1], "-") == 0;
    std::vector<std::string> wanted;
    for (std::string line; some && std::getline(std::cin, line);)
        wanted.push_back(line);
    int number = 0;
    for (const struct function &function : functions)
        for (const struct change &change : changes) {
            if (change.letter != ' ' && !std::strchr(function.letters, change.letter))
                continue;
            std::string name = "b " + std::to_string(++number) + " " + function.name + " " + change.name;
            bool is_wanted = !some && !list && name == argv[1];
            for (const std::string &one : wanted)
                is_wanted = is_wanted || one == name;
            if (list)
                std::printf("%s\n", name.c_str());
            else if (is_wanted) {
                std::printf("%s:", name.c_str());
                run(&function, &change);
                std::fflush(stdout);
            }
        }
    return 0;
}
