/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS for programs of cases: NVIDIA's header where the toolkit has it, else the functions that blas.cu
 * calls. */
#ifndef TESTS_STANDIN_BLAS_H
#define TESTS_STANDIN_BLAS_H

#if __has_include(<cublas_v2.h>) && __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#else
#include <cstdint>
#include <library_types.h>
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasMath_t { CUBLAS_DEFAULT_MATH = 0, CUBLAS_TF32_TENSOR_OP_MATH = 3 };
enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_NOT_SUPPORTED = 15
};
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 };
enum cublasLtOrder_t { CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW };
enum cublasLtMatrixLayoutAttribute_t { CUBLASLT_MATRIX_LAYOUT_ORDER = 1 };
enum cublasLtMatmulDescAttributes_t {
    CUBLASLT_MATMUL_DESC_TRANSA = 3,
    CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8
};
enum cublasLtMatmulPreferenceAttributes_t { CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1 };
enum cublasLtEpilogue_t {
    CUBLASLT_EPILOGUE_DEFAULT = 1,
    CUBLASLT_EPILOGUE_RELU_BIAS = 6,
    CUBLASLT_EPILOGUE_GELU_BIAS = 36
};
typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cublasLtOperation *cublasLtMatmulDesc_t;
typedef struct cublasLtLayout *cublasLtMatrixLayout_t;
typedef struct cublasLtPreference *cublasLtMatmulPreference_t;
struct cublasLtMatmulAlgo_t {
    uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
    cublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    cublasStatus_t state;
    float wavesCount;
    int reserved[4];
};

/* Of every type of pointer, since void * takes all of them. */
#define IN const void *
#define OUT void *
#define H cublasHandle_t
#define OP cublasOperation_t
#define SIDE cublasSideMode_t
#define FILL cublasFillMode_t
#define DIAG cublasDiagType_t
extern "C" {
#define F(name, ...) cublasStatus_t cublas##name(__VA_ARGS__)
F(Create_v2, cublasHandle_t *);
F(Destroy_v2, H);
F(SetStream_v2, H, cudaStream_t);
F(GetStream_v2, H, cudaStream_t *);
F(SetPointerMode_v2, H, cublasPointerMode_t);
F(SetMathMode, H, cublasMath_t);
F(SetWorkspace_v2, H, OUT, size_t);
F(GetVersion_v2, H, int *);
F(SetMatrix, int, int, int, IN, int, OUT, int);
F(GetMatrix, int, int, int, IN, int, OUT, int);
F(SetVector, int, int, IN, int, OUT, int);
F(GetVector, int, int, IN, int, OUT, int);
F(XtCreate, OUT);
#define OF_TYPE(L)                                                                                          \
    F(L##gemm_v2, H, OP, OP, int, int, int, IN, IN, int, IN, int, IN, OUT, int);                            \
    F(L##gemm_v2_64, H, OP, OP, int64_t, int64_t, int64_t, IN, IN, int64_t, IN, int64_t, IN, OUT, int64_t); \
    F(L##gemmBatched, H, OP, OP, int, int, int, IN, IN, int, IN, int, IN, OUT, int, int);                   \
    F(L##gemmStridedBatched, H, OP, OP, int, int, int, IN, IN, int, long long, IN, int, long long, IN, OUT, \
      int, long long, int);                                                                                 \
    F(L##gemv_v2, H, OP, int, int, IN, IN, int, IN, int, IN, OUT, int);                                     \
    F(L##axpy_v2, H, int, IN, IN, int, OUT, int);                                                           \
    F(L##scal_v2, H, int, IN, OUT, int);                                                                    \
    F(L##copy_v2, H, int, IN, int, OUT, int);                                                               \
    F(L##swap_v2, H, int, OUT, int, OUT, int);                                                              \
    F(L##rot_v2, H, int, OUT, int, OUT, int, IN, IN);                                                       \
    F(L##geam, H, OP, OP, int, int, IN, IN, int, IN, IN, int, OUT, int);                                    \
    F(L##dgmm, H, SIDE, int, int, IN, int, IN, int, OUT, int);                                              \
    F(L##symm_v2, H, SIDE, FILL, int, int, IN, IN, int, IN, int, IN, OUT, int);                             \
    F(L##symv_v2, H, FILL, int, IN, IN, int, IN, int, IN, OUT, int);                                        \
    F(L##syrk_v2, H, FILL, OP, int, int, IN, IN, int, IN, OUT, int);                                        \
    F(L##syr2k_v2, H, FILL, OP, int, int, IN, IN, int, IN, int, IN, OUT, int);                              \
    F(L##syr2_v2, H, FILL, int, IN, IN, int, IN, int, OUT, int);                                            \
    F(L##trmm_v2, H, SIDE, FILL, OP, DIAG, int, int, IN, IN, int, IN, int, OUT, int);                       \
    F(L##trsm_v2, H, SIDE, FILL, OP, DIAG, int, int, IN, IN, int, OUT, int);                                \
    F(L##trsv_v2, H, FILL, OP, DIAG, int, IN, int, OUT, int);                                               \
    F(L##trmv_v2, H, FILL, OP, DIAG, int, IN, int, OUT, int)
OF_TYPE(S);
OF_TYPE(D);
OF_TYPE(C);
OF_TYPE(Z);
F(Sdot_v2, H, int, IN, int, IN, int, OUT);
F(Ddot_v2, H, int, IN, int, IN, int, OUT);
F(Cdotc_v2, H, int, IN, int, IN, int, OUT);
F(Zdotc_v2, H, int, IN, int, IN, int, OUT);
F(DotEx, H, int, IN, cudaDataType, int, IN, cudaDataType, int, OUT, cudaDataType, cudaDataType);
F(AxpyEx, H, int, IN, cudaDataType, IN, cudaDataType, int, OUT, cudaDataType, int, cudaDataType);
F(Snrm2_v2, H, int, IN, int, OUT);
F(Dnrm2_v2, H, int, IN, int, OUT);
F(Scnrm2_v2, H, int, IN, int, OUT);
F(Dznrm2_v2, H, int, IN, int, OUT);
F(Sasum_v2, H, int, IN, int, OUT);
F(Dasum_v2, H, int, IN, int, OUT);
F(Scasum_v2, H, int, IN, int, OUT);
F(Dzasum_v2, H, int, IN, int, OUT);
F(Isamax_v2, H, int, IN, int, int *);
F(Idamax_v2, H, int, IN, int, int *);
F(Icamax_v2, H, int, IN, int, int *);
F(Izamax_v2, H, int, IN, int, int *);
F(Isamin_v2, H, int, IN, int, int *);
F(Sger_v2, H, int, int, IN, IN, int, IN, int, OUT, int);
F(Dger_v2, H, int, int, IN, IN, int, IN, int, OUT, int);
F(Cgerc_v2, H, int, int, IN, IN, int, IN, int, OUT, int);
F(Zgerc_v2, H, int, int, IN, IN, int, IN, int, OUT, int);
F(Chemm_v2, H, SIDE, FILL, int, int, IN, IN, int, IN, int, IN, OUT, int);
F(Zherk_v2, H, FILL, OP, int, int, IN, IN, int, IN, OUT, int);
F(Hgemm, H, OP, OP, int, int, int, IN, IN, int, IN, int, IN, OUT, int);
F(GemmEx, H, OP, OP, int, int, int, IN, IN, cudaDataType, int, IN, cudaDataType, int, IN, OUT, cudaDataType,
  int, cublasComputeType_t, cublasGemmAlgo_t);
F(LtCreate, cublasLtHandle_t *);
F(LtDestroy, cublasLtHandle_t);
F(LtMatmulDescCreate, cublasLtMatmulDesc_t *, cublasComputeType_t, cudaDataType);
F(LtMatmulDescDestroy, cublasLtMatmulDesc_t);
F(LtMatmulDescSetAttribute, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, IN, size_t);
F(LtMatrixLayoutCreate, cublasLtMatrixLayout_t *, cudaDataType, uint64_t, uint64_t, int64_t);
F(LtMatrixLayoutDestroy, cublasLtMatrixLayout_t);
F(LtMatrixLayoutSetAttribute, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, IN, size_t);
F(LtMatmulPreferenceCreate, cublasLtMatmulPreference_t *);
F(LtMatmulPreferenceDestroy, cublasLtMatmulPreference_t);
F(LtMatmulPreferenceSetAttribute, cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, IN,
  size_t);
F(LtMatmulAlgoGetHeuristic, cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
  cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
  cublasLtMatmulHeuristicResult_t *, int *);
F(LtMatmul, cublasLtHandle_t, cublasLtMatmulDesc_t, IN, IN, cublasLtMatrixLayout_t, IN,
  cublasLtMatrixLayout_t, IN, IN, cublasLtMatrixLayout_t, OUT, cublasLtMatrixLayout_t, IN, OUT, size_t,
  cudaStream_t);
}
#undef F
#undef H
#undef IN
#undef OUT
#undef OP
#undef SIDE
#undef FILL
#undef DIAG
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasGetVersion cublasGetVersion_v2
#endif

#endif
