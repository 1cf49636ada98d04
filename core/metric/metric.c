/*
 * The catalogue: the rows of core/metric/metric_rows.h as a table, and functions that read single rows. Data
 * only: the agent links it to choose counters, and computes no values.
 */
#include "core/metric/metric.h"

#include "core/metric/metric_counters.h"

#include <string.h>

/* Names that rows share. */
#define LOAD_SECTORS COUNTER_GLOBAL_SECTORS(ld), COUNTER_GLOBAL_SECTORS(ldgsts)
#define LOAD_BYTES COUNTER_GLOBAL_BYTES(ld), COUNTER_GLOBAL_BYTES(ldgsts)
#define WIDTHS COUNTER_WIDTH(8), COUNTER_WIDTH(16), COUNTER_WIDTH(64), COUNTER_WIDTH(128)
#define LOAD_IDEAL LOAD_SECTORS, LOAD_BYTES, COUNTER_GLOBAL_REQUESTS(ld), WIDTHS, COUNTER_GENERIC(ld)
#define STORE_IDEAL                                                                            \
    COUNTER_GLOBAL_SECTORS(st), COUNTER_GLOBAL_BYTES(st), COUNTER_GLOBAL_REQUESTS(st), WIDTHS, \
        COUNTER_GENERIC(st)
#define SHARED_IDEAL(op) \
    COUNTER_SHARED_WAVEFRONTS(op), COUNTER_SHARED_INSTRUCTIONS(op), COUNTER_WIDTH(64), COUNTER_WIDTH(128)
#define SHARED_BOTH                                                                                \
    COUNTER_SHARED_WAVEFRONTS(ld), COUNTER_SHARED_INSTRUCTIONS(ld), COUNTER_SHARED_WAVEFRONTS(st), \
        COUNTER_SHARED_INSTRUCTIONS(st), COUNTER_WIDTH(64), COUNTER_WIDTH(128)
#define OPERATIONS(kind) \
    COUNTER_OPERATION(kind##add), COUNTER_OPERATION(kind##mul), COUNTER_OPERATION(kind##fma)
#define ALL_OPERATIONS OPERATIONS(f), OPERATIONS(d)
#define OF(input)                              \
    {                                          \
        .metric = METRIC_##input, .used = true \
    }
#define OVER(input)                                             \
    {                                                           \
        .metric = METRIC_##input, .divides = true, .used = true \
    }
#define OF_IF_KNOWN(input)                                       \
    {                                                            \
        .metric = METRIC_##input, .optional = true, .used = true \
    }
#define OVER_IF_KNOWN(input)                                                      \
    {                                                                             \
        .metric = METRIC_##input, .divides = true, .optional = true, .used = true \
    }
/* In the order that core/metric/metric_combine.c expects. */
#define ROOF_INPUTS                                                                             \
    OF(float_operations), OF(double_operations), OF(dram_read_bytes), OF(dram_write_bytes),     \
        OVER(theoretical_bandwidth_bytes_per_second), OVER(peak_float_per_second),              \
        OVER(peak_double_per_second), OVER_IF_KNOWN(time_ns), OF_IF_KNOWN(global_load_sectors), \
        OF_IF_KNOWN(global_store_sectors), OF_IF_KNOWN(local_load_sectors),                     \
        OF_IF_KNOWN(local_store_sectors), OF_IF_KNOWN(shared_load_wavefronts),                  \
        OF_IF_KNOWN(shared_store_wavefronts), OVER_IF_KNOWN(l1_bandwidth_bytes_per_second),     \
        OF_IF_KNOWN(l2_peak_pct)
/* The reasons for waiting for memory, and the sum of all stalls, cost GH100 no extra pass
 * (tests/data/plan.csv); the other stalls do. */
#define ASKED_STALLS \
    .asked_by = "stalls", .not_asked = "it costs a pass and is counted on request: --counters +stalls"
/* Few kernels have any, and the tensor pipe's counter is hard to interpret (docs/cupti-notes.md). */
#define ASKED_MATRICES .asked_by = "matrices", .not_asked = "it is counted on request: --counters +matrices"
#define ASKED_CLUSTERS .asked_by = "clusters", .not_asked = "it is counted on request: --counters +clusters"
#define ASKED_EXCHANGE .asked_by = "exchange", .not_asked = "it is counted on request: --counters +exchange"
#define NO_STALLS_MODELLED "the device model times whole kernels: of the waits it has only those for memory"

#define METRIC(metric_id, ...) [METRIC_##metric_id] = {.id = #metric_id, __VA_ARGS__},
static const struct metric_info infos[METRIC_COUNT] = {
#include "core/metric/metric_rows.h"
};

const struct metric_info *metric_info(enum metric metric)
{
    return (unsigned)metric < METRIC_COUNT ? &infos[metric] : NULL;
}

bool metric_from_launch(enum metric metric)
{
    return infos[metric].how == HOW_LAUNCH;
}

bool metric_when_asked(enum metric metric)
{
    return infos[metric].asked_by != NULL;
}

const struct metric_input *metric_inputs(enum metric metric, size_t *count)
{
    *count = 0;
    if ((unsigned)metric >= METRIC_COUNT)
        return NULL;
    while (*count < METRIC_INPUTS_MAX && infos[metric].inputs[*count].used)
        ++*count;
    return infos[metric].inputs;
}

enum metric metric_find(const char *id)
{
    for (unsigned metric = 0; metric < METRIC_COUNT; metric++)
        if (strcmp(infos[metric].id, id) == 0)
            return (enum metric)metric;
    return METRIC_COUNT;
}

const char *metric_group_text(enum metric_group group)
{
#define GROUP_TEXT(name, id, text) [METRIC_GROUP_##name] = text,
    static const char *const texts[] = {METRIC_GROUP_LIST(GROUP_TEXT)};
#undef GROUP_TEXT
    return (unsigned)group < METRIC_GROUP_COUNT ? texts[group] : "unknown";
}

const char *metric_group_id(enum metric_group group)
{
#define GROUP_ID(name, id, text) [METRIC_GROUP_##name] = id,
    static const char *const ids[] = {METRIC_GROUP_LIST(GROUP_ID)};
#undef GROUP_ID
    return ids[group];
}

enum metric_group metric_group_find(const char *id)
{
    enum metric_group group = 0;
    while (group < METRIC_GROUP_COUNT && strcmp(metric_group_id(group), id) != 0)
        group++;
    return group;
}
