/* SPDX-License-Identifier: Apache-2.0 */
/* The case has its own workbench, which is freed together with the device when the case has run. */
#include "cli/model/model_case.h"

#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <stdlib.h>
#include <string.h>

static enum status run_case(struct workload_case *c, struct device *device, struct error *error)
{
    struct workbench bench;
    struct workload_result result = {.verified = -1};

    c->info = device->ops->info(device);
    c->small = true;
    enum status status = c->workload->resolve(c, error);
    if (status)
        return status;
    workbench_init(&bench, device, 1, 1);
    bench.seed = workload_seed(c);
    status = c->workload->run(c, &bench, &result, error);
    workbench_fini(&bench);
    return status;
}

const char *model_case_text(const struct model_own *own, const char *path)
{
    const struct text_file *file = text_find(path);

    if (own && strcmp(own->path, path) == 0)
        return own->text;
    return file ? file->text : NULL;
}

enum status model_case_run(const char *spec, const struct model_own *own, struct simt_options *options,
                           struct error *error)
{
    struct workload_case *cases = NULL;
    struct device *device = NULL;
    size_t count;
    enum status status = workload_parse(spec, &cases, &count, error);

    if (own) /* else it is NULL, which another thread may be reading */
        own_image_use(own->image);
    if (status == STATUS_OK)
        status = workload_model_open(options, &device, error);
    if (status == STATUS_OK) {
        status = run_case(&cases[0], device, error);
        device->ops->close(device);
    }
    if (own)
        own_image_use(NULL);
    free(cases);
    return status;
}
