/* SPDX-License-Identifier: Apache-2.0 */
/* cuFFT: transforms of rows of complex words, each a pair of floats. */
#include "cli/ladder/ladder.h"

#define C2C 0x29 /* CUFFT_C2C */
#define FORWARD (-1)

static struct {
    bool opened;
    int (*plan)(int *plan, int n, int type, int batch);
    int (*transform)(int plan, const void *in, void *out, int direction);
    int (*destroy)(int plan);
} cufft;

enum status ladder_cufft_find(struct error *error)
{
    struct ladder_function functions[] = {
        {"cufftPlan1d", &cufft.plan}, {"cufftExecC2C", &cufft.transform}, {"cufftDestroy", &cufft.destroy}};
    enum status status = cufft.opened ? STATUS_OK
                                      : ladder_open("libcufft.so.12", functions,
                                                    sizeof functions / sizeof functions[0], error);

    cufft.opened = status == STATUS_OK;
    return status;
}

enum status ladder_cufft(const struct library_call *call, struct error *error)
{
    enum status status = ladder_cufft_find(error);
    int plan;

    if (status)
        return status;
    int result = cufft.plan(&plan, (int)call->n, C2C, (int)call->rows);
    if (result)
        return error_set(error, STATUS_DEVICE, "cuFFT makes no plan: status %d of its own.", result);
    result =
        cufft.transform(plan, (const void *)(uintptr_t)*call->in, (void *)(uintptr_t)*call->out, FORWARD);
    if (result)
        status =
            error_set(error, STATUS_DEVICE, "cuFFT's transform failed with status %d of its own.", result);
    cufft.destroy(plan);
    return status;
}
