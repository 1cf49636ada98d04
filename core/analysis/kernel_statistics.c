/* One kernel's values. Its sources are looked up for one metric, or once for all metrics. */
#include "core/analysis/kernel_sources.h"

#include <stdlib.h>

#define WHY_NO_MEMORY "out of memory"

struct gathered {
    struct kernel_sources sources;
    uint32_t *measurements[RUN_MODE_COUNT];
    bool there; /* false: no memory */
};

/* The measurements of a counter run's kernel, to be freed by the caller. */
static uint32_t *measurements_of(const struct session *session, uint32_t kernel, uint32_t *count)
{
    uint32_t all = session_measurement_count(session), most = 0;
    *count = 0;
    for (uint32_t i = 0; i < all; i++)
        most += session_measurement(session, i)->kernel == kernel;
    uint32_t *found = malloc((most + 1) * sizeof *found);
    for (uint32_t i = 0; found && i < all && *count < most; i++)
        if (session_measurement(session, i)->kernel == kernel)
            found[(*count)++] = i;
    return found;
}

static void gather_counters(struct gathered *gathered, const struct session *session)
{
    for (enum run_mode mode = RUN_COUNTERS; mode < RUN_MODE_COUNT; mode++) {
        struct kernel_measurements *measured = &gathered->sources.measured[mode];
        if (gathered->sources.rows[mode] != NONE) {
            measured->rows = gathered->measurements[mode] =
                measurements_of(session, gathered->sources.rows[mode], &measured->count);
            gathered->there = gathered->there && measured->rows;
        }
    }
}

static void gather_rows(struct gathered *gathered, const struct session *session, uint32_t kernel, bool model)
{
    *gathered = (struct gathered){.there = true};
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++)
        gathered->sources.rows[mode] = kernel_find_row(session, kernel, mode, model);
}

static void gathered_fini(struct gathered *gathered)
{
    for (int mode = 0; mode < RUN_MODE_COUNT; mode++)
        free(gathered->measurements[mode]);
}

static struct kernel_statistic no_statistic(enum provenance provenance, const char *why)
{
    return (struct kernel_statistic){.value = {.provenance = provenance, .why = why}};
}

struct kernel_statistic kernel_statistic(const struct session *session, uint32_t kernel, enum metric metric,
                                         enum provenance provenance)
{
    if ((unsigned)metric >= METRIC_COUNT || !kernel_is_whole(session, kernel))
        return no_statistic(provenance, WHY_NOT_MEASURED);
    if (provenance == PROVENANCE_EXPECTED)
        return kernel_expected(session, kernel, metric);
    struct gathered gathered;
    gather_rows(&gathered, session, kernel, provenance == PROVENANCE_MODELLED);
    uint32_t traced = gathered.sources.rows[RUN_TRACE];
    bool of_trace = kernel_metric_of_trace(metric),
         timed = of_trace || metric == METRIC_operations_per_second || metric == METRIC_roof ||
                 metric == METRIC_roof_pct;
    if (timed && traced != NONE)
        gathered.sources.times = kernel_times(session, traced, true);
    if (!of_trace || traced == NONE)
        gather_counters(&gathered, session);
    struct kernel_statistic statistic =
        gathered.there ? kernel_statistic_of(session, &gathered.sources, metric, provenance)
                       : no_statistic(provenance, WHY_NO_MEMORY);
    gathered_fini(&gathered);
    return statistic;
}

void kernel_statistics(const struct session *session, uint32_t kernel, enum provenance provenance,
                       struct kernel_statistic statistics[METRIC_COUNT])
{
    bool whole = kernel_is_whole(session, kernel), gather = whole && provenance != PROVENANCE_EXPECTED;
    struct gathered gathered = {.there = true};
    if (gather) {
        gather_rows(&gathered, session, kernel, provenance == PROVENANCE_MODELLED);
        if (gathered.sources.rows[RUN_TRACE] != NONE)
            gathered.sources.times = kernel_times(session, gathered.sources.rows[RUN_TRACE], true);
        gather_counters(&gathered, session);
    }
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        statistics[metric] = !whole    ? no_statistic(provenance, WHY_NOT_MEASURED)
                             : !gather ? kernel_expected(session, kernel, metric)
                             : gathered.there
                                 ? kernel_statistic_of(session, &gathered.sources, metric, provenance)
                                 : no_statistic(provenance, WHY_NO_MEMORY);
    }
    gathered_fini(&gathered);
}
