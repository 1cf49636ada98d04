/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variant of a library runs only where the bench has the library and the routine; otherwise its result says
 * why it was not run.
 */
#include "workloads/frame/library.h"

#include "workloads/frame/workload.h"

#include <stdio.h>

bool library_missing(const struct workload_case *c, const struct workbench *bench,
                     enum library_routine routine, struct workload_result *result)
{
    struct error why = {0};

    if (!c->variant->library)
        return false;
    if (!bench->library)
        error_set(&why, STATUS_UNSUPPORTED,
                  "it needs a GPU and the program lanescope-ladder beside lanescope; the build makes that "
                  "program where the CUDA toolkit has nvcc and CUB");
    else if (bench->library->find(routine, &why) == STATUS_OK)
        return false;
    snprintf(result->detail, sizeof result->detail, "Not run: %s:%s is a routine of %s: %.180s.",
             c->workload->name, c->variant->name, c->variant->library, why.text);
    return true;
}

enum status library_launch(struct workbench *bench, const struct library_call *call, struct error *error)
{
    enum status status = STATUS_OK;

    bench->device->ops->info(bench->device); /* makes its context the thread's, which the library uses */
    for (uint32_t i = 0; i < bench->launches && status == STATUS_OK; i++)
        status = bench->library->call(call, error);
    return status;
}
