/* No data: opens what a lines run opens, with callbacks that drop everything, and closes it. */
#include "cupti/probe/probe_lines.h"

#include "cupti/profiler/pc.h"
#include "cupti/profiler/sass.h"

#define PERIOD 12u

static uint32_t no_string(void *user, const char *text)
{
    (void)user, (void)text;
    return 0;
}

static void no_samples(void *user, const CUpti_PCSamplingPCData *record, struct event *events, size_t count)
{
    (void)user, (void)record, (void)events, (void)count;
}

enum status probe_samples(const struct cupti *cupti, CUcontext context, struct error *error)
{
    const struct pc_options options = {
        .cupti = cupti, .context = context, .period = PERIOD, .string = no_string, .take = no_samples};
    struct pc_totals totals;
    struct pc *pc;
    enum status status = pc_open(&pc, &options, error);
    if (status == STATUS_OK)
        pc_close(pc, true, &totals);
    return status;
}

static void no_counts(void *user, const CUpti_SassMetrics_Data *record, struct event *events, size_t count)
{
    (void)user, (void)record, (void)events, (void)count;
}

enum status probe_instructions(const struct cupti *cupti, const struct driver *driver, CUcontext context,
                               struct error *error)
{
    const struct sass_options options = {.cupti = cupti,
                                         .context = context,
                                         .synchronize = driver->cuCtxSynchronize,
                                         .string = no_string,
                                         .take = no_counts};
    struct sass *sass;
    enum status status = sass_open(&sass, &options, error);
    if (status != STATUS_OK)
        return status;
    status = sass_begin(sass, error);
    sass_close(sass, true);
    return status;
}
