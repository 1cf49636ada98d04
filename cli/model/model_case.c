/* The case has its own workbench, which is freed together with the device when the case has run. */
#include "cli/model/model_case.h"

#include "workloads/frame/workload.h"

#include <stdlib.h>

static enum status run_case(struct workload_case *c, struct device *device, struct error *error)
{
    struct workbench bench;
    struct workload_result result = {.verified = -1};
    enum status status;

    c->info = device->ops->info(device);
    c->small = true;
    status = c->workload->resolve(c, error);
    if (status)
        return status;
    workbench_init(&bench, device, 1, 1);
    status = c->workload->run(c, &bench, &result, error);
    workbench_fini(&bench);
    return status;
}

enum status model_case_run(const char *spec, struct simt_options *options, struct error *error)
{
    struct workload_case *cases = NULL;
    struct device *device = NULL;
    size_t count;
    enum status status = workload_parse(spec, &cases, &count, error);

    if (status == STATUS_OK)
        status = workload_model_open(options, &device, error);
    if (status == STATUS_OK) {
        status = run_case(&cases[0], device, error);
        device->ops->close(device);
    }
    free(cases);
    return status;
}
