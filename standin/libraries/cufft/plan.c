/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuFFT's interface: plans under small numbers, their making, and execution. Wrong arguments have the codes that
 * an H200 gave (tests/data/cufft_h200.txt).
 */
#include "standin/libraries/cufft/cufft.h"

#include "standin/libraries/launch.h"

#include <pthread.h>
#include <stdlib.h>

#define FFT_API __attribute__((visibility("default")))
#define VERSION 12000 /* of CUDA 13.0's cuFFT */
#define ELEMENTS_MOST (INT64_C(1) << 36)

EMBED_PTX(cufft_ptx_fft, LIBRARY_PTX "/fft.ptx");

const struct kernel_library kernel_library = {"cuFFT", {cufft_ptx_fft}};

enum fft_type {
    TYPE_C2C = 0x29,
    TYPE_R2C = 0x2a,
    TYPE_C2R = 0x2c,
    TYPE_Z2Z = 0x69,
    TYPE_D2Z = 0x6a,
    TYPE_Z2D = 0x6c
};
enum { FORWARD = -1, INVERSE = 1 };

static struct {
    pthread_mutex_t lock;
    struct fft_plan **rows; /* NULL: free */
    int count;
} plans = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- plans ---- */
static struct fft_plan *plan_find(int handle)
{
    struct fft_plan *plan = NULL;

    pthread_mutex_lock(&plans.lock);
    if (handle >= 0 && handle < plans.count)
        plan = plans.rows[handle];
    pthread_mutex_unlock(&plans.lock);
    return plan;
}

static bool plans_grow(void)
{
    int count = plans.count * 2 + 16;
    struct fft_plan **rows = realloc(plans.rows, (size_t)count * sizeof *rows);

    if (!rows)
        return false;
    for (int i = plans.count; i < count; i++)
        rows[i] = NULL;
    plans.rows = rows;
    plans.count = count;
    return true;
}

FFT_API enum fft_status cufftCreate(int *handle)
{
    enum fft_status status = FFT_SUCCESS;
    int free_row = 0;

    if (!handle)
        return FFT_INVALID_VALUE;
    if (!library_load())
        return FFT_INTERNAL_ERROR;
    struct fft_plan *plan = calloc(1, sizeof *plan);
    pthread_mutex_lock(&plans.lock);
    while (free_row < plans.count && plans.rows[free_row])
        free_row++;
    if (!plan || (free_row == plans.count && !plans_grow()))
        status = FFT_ALLOC_FAILED;
    else {
        plan->allocates = true;
        plans.rows[free_row] = plan;
        *handle = free_row;
    }
    pthread_mutex_unlock(&plans.lock);
    if (status != FFT_SUCCESS)
        free(plan);
    return status;
}

FFT_API enum fft_status cufftDestroy(int handle)
{
    struct fft_plan *plan = NULL;

    if (handle == -1)
        return FFT_SUCCESS;
    pthread_mutex_lock(&plans.lock);
    if (handle >= 0 && handle < plans.count) {
        plan = plans.rows[handle];
        plans.rows[handle] = NULL;
    }
    pthread_mutex_unlock(&plans.lock);
    if (!plan)
        return FFT_INVALID_PLAN;
    fft_tables_free(plan);
    if (plan->owned)
        cudaFree(plan->work);
    free(plan);
    return FFT_SUCCESS;
}

/* ---- making ---- */
/* What the caller gave; NULL layouts: packed. */
struct request {
    int type, rank;
    long long n[DIMENSIONS];
    const long long *in_embed, *out_embed;
    long long in_stride, in_distance, out_stride, out_distance, batch;
};

static struct fft_side side_make(const struct request *request, const long long *embed, long long stride,
                                 long long distance, bool halved)
{
    struct fft_side side = {{stride, stride, stride}, distance};
    long long apart = 1;

    if (!embed)
        stride = 1;
    for (int i = request->rank - 1; i >= 0; i--) {
        long long room = embed                              ? embed[i]
                         : halved && i == request->rank - 1 ? request->n[i] / 2 + 1
                                                            : request->n[i];
        side.stride[DIMENSIONS - request->rank + i] = apart * stride;
        apart *= room;
    }
    if (!embed)
        side.distance = apart;
    return side;
}

/* Codes and their order are as an H200 gave them. */
static enum fft_status request_check(const struct request *request)
{
    long long elements = request->batch;

    if (request->type != TYPE_C2C && request->type != TYPE_R2C && request->type != TYPE_C2R &&
        request->type != TYPE_Z2Z && request->type != TYPE_D2Z && request->type != TYPE_Z2D)
        return FFT_INVALID_TYPE;
    if (request->batch < 1)
        return FFT_INVALID_SIZE;
    for (int i = 0; i < request->rank; i++) {
        if (request->n[i] < 1)
            return FFT_INVALID_SIZE;
        if (elements > ELEMENTS_MOST / request->n[i])
            return FFT_INTERNAL_ERROR;
        elements *= request->n[i];
    }
    if (!request->in_embed != !request->out_embed)
        return FFT_INVALID_VALUE;
    if (request->in_embed &&
        (request->in_stride < 1 || request->out_stride < 1 ||
         (request->batch > 1 && (request->in_distance < 1 || request->out_distance < 1))))
        return FFT_INVALID_VALUE;
    return FFT_SUCCESS;
}

static enum fft_status plan_fill(struct fft_plan *plan, const struct request *request)
{
    enum fft_status status = request_check(request);

    if (status != FFT_SUCCESS)
        return status;
    plan->of_double = request->type >= TYPE_Z2Z;
    plan->kind = request->type == TYPE_C2C || request->type == TYPE_Z2Z   ? KIND_C2C
                 : request->type == TYPE_R2C || request->type == TYPE_D2Z ? KIND_R2C
                                                                          : KIND_C2R;
    plan->given = request->in_embed != NULL;
    plan->rank = request->rank;
    plan->batch = (uint64_t)request->batch;
    for (int i = 0; i < DIMENSIONS; i++)
        plan->n[i] = 1;
    for (int i = 0; i < request->rank; i++)
        plan->n[DIMENSIONS - request->rank + i] = (uint64_t)request->n[i];
    plan->in = side_make(request, request->in_embed, request->in_stride, request->in_distance,
                         plan->kind == KIND_C2R);
    plan->out = side_make(request, request->out_embed, request->out_stride, request->out_distance,
                          plan->kind == KIND_R2C);
    return fft_run(plan, NULL, NULL, false, true);
}

static enum fft_status plan_make(int handle, const struct request *request, size_t *work_bytes)
{
    struct fft_plan *plan = plan_find(handle);

    if (!work_bytes)
        return FFT_INVALID_VALUE;
    if (!plan || plan->made)
        return FFT_INVALID_PLAN;
    enum fft_status status = plan_fill(plan, request);
    if (status == FFT_SUCCESS && plan->allocates && plan->work_bytes) {
        if (cudaMalloc(&plan->work, plan->work_bytes) != cudaSuccess)
            status = FFT_ALLOC_FAILED;
        else
            plan->owned = true;
    }
    plan->made = status == FFT_SUCCESS;
    *work_bytes = plan->work_bytes;
    return status;
}

/* A plan in one step. The number is written even if it is of no plan. */
static enum fft_status plan_create(int *handle, const struct request *request)
{
    size_t bytes = 0;
    enum fft_status status = cufftCreate(handle);

    if (status != FFT_SUCCESS)
        return status;
    status = plan_make(*handle, request, &bytes);
    if (status != FFT_SUCCESS)
        cufftDestroy(*handle);
    return status;
}

/* The bytes that a plan would need. */
static enum fft_status plan_measure(const struct request *request, size_t *work_bytes)
{
    struct fft_plan plan = {.made = false};

    if (!work_bytes)
        return FFT_INVALID_VALUE;
    if (!library_load())
        return FFT_INTERNAL_ERROR;
    enum fft_status status = plan_fill(&plan, request);
    fft_tables_free(&plan);
    if (status == FFT_SUCCESS)
        *work_bytes = plan.work_bytes;
    return status;
}

#define REQUEST(type_, batch_, rank_, ...)                                      \
    (struct request)                                                            \
    {                                                                           \
        .type = (type_), .rank = (rank_), .n = {__VA_ARGS__}, .batch = (batch_) \
    }

FFT_API enum fft_status cufftPlan1d(int *handle, int nx, int type, int batch)
{
    return plan_create(handle, &REQUEST(type, batch, 1, nx));
}

FFT_API enum fft_status cufftMakePlan1d(int handle, int nx, int type, int batch, size_t *bytes)
{
    return plan_make(handle, &REQUEST(type, batch, 1, nx), bytes);
}

FFT_API enum fft_status cufftEstimate1d(int nx, int type, int batch, size_t *bytes)
{
    return plan_measure(&REQUEST(type, batch, 1, nx), bytes);
}

FFT_API enum fft_status cufftPlan2d(int *handle, int nx, int ny, int type)
{
    return plan_create(handle, &REQUEST(type, 1, 2, nx, ny));
}

FFT_API enum fft_status cufftMakePlan2d(int handle, int nx, int ny, int type, size_t *bytes)
{
    return plan_make(handle, &REQUEST(type, 1, 2, nx, ny), bytes);
}

FFT_API enum fft_status cufftEstimate2d(int nx, int ny, int type, size_t *bytes)
{
    return plan_measure(&REQUEST(type, 1, 2, nx, ny), bytes);
}

FFT_API enum fft_status cufftPlan3d(int *handle, int nx, int ny, int nz, int type)
{
    return plan_create(handle, &REQUEST(type, 1, 3, nx, ny, nz));
}

FFT_API enum fft_status cufftMakePlan3d(int handle, int nx, int ny, int nz, int type, size_t *bytes)
{
    return plan_make(handle, &REQUEST(type, 1, 3, nx, ny, nz), bytes);
}

FFT_API enum fft_status cufftEstimate3d(int nx, int ny, int nz, int type, size_t *bytes)
{
    return plan_measure(&REQUEST(type, 1, 3, nx, ny, nz), bytes);
}

/* Copies arrays of int, if they are there. `room`: three of DIMENSIONS. */
static enum fft_status request_many(struct request *request, long long room[2][DIMENSIONS], int type,
                                    int rank, const int *n, const int *in_embed, int in_stride,
                                    int in_distance, const int *out_embed, int out_stride, int out_distance,
                                    long long batch)
{
    if (rank < 1 || rank > DIMENSIONS || !n)
        return FFT_INVALID_VALUE;
    *request = (struct request){.type = type,
                                .rank = rank,
                                .batch = batch,
                                .in_embed = in_embed ? room[0] : NULL,
                                .out_embed = out_embed ? room[1] : NULL,
                                .in_stride = in_stride,
                                .in_distance = in_distance,
                                .out_stride = out_stride,
                                .out_distance = out_distance};
    for (int i = 0; i < rank; i++) {
        request->n[i] = n[i];
        room[0][i] = in_embed ? in_embed[i] : 0;
        room[1][i] = out_embed ? out_embed[i] : 0;
    }
    return FFT_SUCCESS;
}

#define MANY_ARGUMENTS                                                                               \
    int rank, int *n, int *in_embed, int in_stride, int in_distance, int *out_embed, int out_stride, \
        int out_distance, int type, int batch
#define MANY(action)                                                                                       \
    struct request request;                                                                                \
    long long room[2][DIMENSIONS];                                                                         \
    enum fft_status status = request_many(&request, room, type, rank, n, in_embed, in_stride, in_distance, \
                                          out_embed, out_stride, out_distance, batch);                     \
    if (status == FFT_SUCCESS)                                                                             \
        status = (action);                                                                                 \
    return status

FFT_API enum fft_status cufftPlanMany(int *handle, MANY_ARGUMENTS)
{
    MANY(plan_create(handle, &request));
}

FFT_API enum fft_status cufftMakePlanMany(int handle, MANY_ARGUMENTS, size_t *bytes)
{
    MANY(plan_make(handle, &request, bytes));
}

FFT_API enum fft_status cufftEstimateMany(MANY_ARGUMENTS, size_t *bytes)
{
    MANY(plan_measure(&request, bytes));
}

#define MANY64_ARGUMENTS \
    int rank, long long *n, long long *in_embed, long long in_stride, long long in_distance,
#define MANY64_REST long long *out_embed, long long out_stride, long long out_distance,

static enum fft_status request_many64(struct request *request, int rank, const long long *n)
{
    if (rank < 1 || rank > DIMENSIONS || !n)
        return FFT_INVALID_VALUE;
    request->rank = rank;
    for (int i = 0; i < rank; i++)
        request->n[i] = n[i];
    return FFT_SUCCESS;
}

#define REQUEST64(type_)                                    \
    struct request request = {.type = (type_),              \
                              .in_embed = in_embed,         \
                              .out_embed = out_embed,       \
                              .in_stride = in_stride,       \
                              .in_distance = in_distance,   \
                              .out_stride = out_stride,     \
                              .out_distance = out_distance, \
                              .batch = batch};              \
    enum fft_status status = request_many64(&request, rank, n)

FFT_API enum fft_status cufftMakePlanMany64(int handle, MANY64_ARGUMENTS MANY64_REST int type,
                                            long long batch, size_t *bytes)
{
    REQUEST64(type);
    if (status == FFT_SUCCESS)
        status = plan_make(handle, &request, bytes);
    return status;
}

/* Types of elements are cudaDataType. */
FFT_API enum fft_status cufftXtMakePlanMany(int handle, MANY64_ARGUMENTS int in_type,
                                            MANY64_REST int out_type, long long batch, size_t *bytes,
                                            int execution_type)
{
    static const struct {
        int in, out, execution, type;
    } rows[] = {{4, 4, 4, TYPE_C2C}, {0, 4, 4, TYPE_R2C}, {4, 0, 4, TYPE_C2R},
                {5, 5, 5, TYPE_Z2Z}, {1, 5, 5, TYPE_D2Z}, {5, 1, 5, TYPE_Z2D}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].in == in_type && rows[i].out == out_type && rows[i].execution == execution_type) {
            REQUEST64(rows[i].type);
            if (status == FFT_SUCCESS)
                status = plan_make(handle, &request, bytes);
            return status;
        }
    library_refuse("cufftXtMakePlanMany for other types than floats and doubles");
}

/* ---- sizes, streams and work areas ---- */
#define SIZE(name, arguments, call)                                                  \
    FFT_API enum fft_status cufftGetSize##name(int handle, arguments, size_t *bytes) \
    {                                                                                \
        return plan_find(handle) || !bytes ? call : FFT_INVALID_PLAN;                \
    }
#define COMMA ,
SIZE(1d, int nx COMMA int type COMMA int batch, cufftEstimate1d(nx, type, batch, bytes))
SIZE(2d, int nx COMMA int ny COMMA int type, cufftEstimate2d(nx, ny, type, bytes))
SIZE(3d, int nx COMMA int ny COMMA int nz COMMA int type, cufftEstimate3d(nx, ny, nz, type, bytes))
SIZE(Many, MANY_ARGUMENTS,
     cufftEstimateMany(rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance, type,
                       batch, bytes))

FFT_API enum fft_status cufftGetSizeMany64(int handle, MANY64_ARGUMENTS MANY64_REST int type, long long batch,
                                           size_t *bytes)
{
    REQUEST64(type);
    if (!plan_find(handle))
        return FFT_INVALID_PLAN;
    if (status == FFT_SUCCESS)
        status = plan_measure(&request, bytes);
    return status;
}

FFT_API enum fft_status cufftGetSize(int handle, size_t *bytes)
{
    struct fft_plan *plan = plan_find(handle);

    if (!bytes)
        return FFT_INVALID_VALUE;
    if (!plan || !plan->made)
        return FFT_INVALID_PLAN;
    *bytes = plan->work_bytes;
    return FFT_SUCCESS;
}

FFT_API enum fft_status cufftSetStream(int handle, cudaStream_t stream)
{
    struct fft_plan *plan = plan_find(handle);

    if (!plan)
        return FFT_INVALID_PLAN;
    plan->stream = stream;
    return FFT_SUCCESS;
}

FFT_API enum fft_status cufftSetAutoAllocation(int handle, int allocates)
{
    struct fft_plan *plan = plan_find(handle);

    if (!plan)
        return FFT_INVALID_PLAN;
    plan->allocates = allocates != 0;
    return FFT_SUCCESS;
}

FFT_API enum fft_status cufftSetWorkArea(int handle, void *work)
{
    struct fft_plan *plan = plan_find(handle);

    if (!plan)
        return FFT_INVALID_PLAN;
    if (plan->owned)
        cudaFree(plan->work);
    plan->owned = false;
    plan->work = work;
    return FFT_SUCCESS;
}

/* Two properties of how NVIDIA's kernels are compiled: nothing depends on them here. */
FFT_API enum fft_status cufftSetPlanPropertyInt64(int handle, int property, long long value)
{
    struct fft_plan *plan = plan_find(handle);

    if (!plan)
        return FFT_INVALID_PLAN;
    if (property < 1 || property > FFT_PROPERTIES)
        return FFT_INVALID_VALUE;
    plan->properties[property - 1] = value;
    return FFT_SUCCESS;
}

FFT_API enum fft_status cufftGetPlanPropertyInt64(int handle, int property, long long *value)
{
    const struct fft_plan *plan = plan_find(handle);

    if (!plan)
        return FFT_INVALID_PLAN;
    if (property < 1 || property > FFT_PROPERTIES || !value)
        return FFT_INVALID_VALUE;
    *value = plan->properties[property - 1];
    return FFT_SUCCESS;
}

FFT_API enum fft_status cufftResetPlanProperty(int handle, int property)
{
    return cufftSetPlanPropertyInt64(handle, property, 0);
}

FFT_API enum fft_status cufftGetVersion(int *version)
{
    if (version)
        *version = VERSION;
    return FFT_SUCCESS;
}

FFT_API enum fft_status cufftGetProperty(int which, int *value)
{
    if (!value)
        return FFT_INVALID_VALUE;
    if (which < 0 || which > 2)
        return FFT_INVALID_TYPE;
    *value = which == 0 ? VERSION / 1000 : which == 1 ? VERSION / 100 % 10 : VERSION % 100;
    return FFT_SUCCESS;
}

/* ---- execution ---- */
/* The plan's own type counts, not the function's: so it is on an H200. */
static enum fft_status plan_execute(int handle, void *in, void *out, int direction)
{
    struct fft_plan *plan = plan_find(handle);
    size_t complex_bytes = plan && plan->of_double ? 16 : 8;

    if (!plan || !plan->made)
        return FFT_INVALID_PLAN;
    if ((direction != FORWARD && direction != INVERSE) ||
        (uintptr_t)in % (plan->kind == KIND_R2C ? complex_bytes / 2 : complex_bytes) ||
        (uintptr_t)out % (plan->kind == KIND_C2R ? complex_bytes / 2 : complex_bytes))
        return FFT_INVALID_VALUE;
    if (plan->work_bytes && !plan->work)
        return FFT_NO_WORKSPACE;
    if (!out)
        return FFT_EXEC_FAILED;
    return fft_run(plan, in, out, plan->kind == KIND_C2R || (plan->kind == KIND_C2C && direction == INVERSE),
                   false);
}

FFT_API enum fft_status cufftExecC2C(int handle, void *in, void *out, int direction)
{
    return plan_execute(handle, in, out, direction);
}

FFT_API enum fft_status cufftExecZ2Z(int handle, void *in, void *out, int direction)
{
    return plan_execute(handle, in, out, direction);
}

FFT_API enum fft_status cufftXtExec(int handle, void *in, void *out, int direction)
{
    return plan_execute(handle, in, out, direction);
}

FFT_API enum fft_status cufftExecR2C(int handle, void *in, void *out)
{
    return plan_execute(handle, in, out, FORWARD);
}

FFT_API enum fft_status cufftExecD2Z(int handle, void *in, void *out)
{
    return plan_execute(handle, in, out, FORWARD);
}

FFT_API enum fft_status cufftExecC2R(int handle, void *in, void *out)
{
    return plan_execute(handle, in, out, INVERSE);
}

FFT_API enum fft_status cufftExecZ2D(int handle, void *in, void *out)
{
    return plan_execute(handle, in, out, INVERSE);
}
