/* No data: opens the ranges of a counter run on the context, takes the hardware once and gives it back. */
#include "cupti/probe/probe_counters.h"

#include "cupti/profiler/ranges.h"

#include <stdlib.h>

enum status probe_counters(const struct cupti *cupti, CUcontext context, const char *counters,
                           uint32_t *passes, struct error *error)
{
    struct ranges *ranges;
    enum status status = ranges_open(&ranges, cupti, context, 0, counters, METRIC_SHARE_ALL, error);
    if (status != STATUS_OK)
        return status;
    *passes = (uint32_t)plan_passes(ranges_plan(ranges));
    status = ranges_begin(ranges, error); /* the hardware is taken here */
    if (status == STATUS_OK)
        ranges_abandon(ranges);
    ranges_close(ranges, true);
    return status;
}
