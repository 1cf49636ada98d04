/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue: the rows of core/metric/metric_rows.h as a table, and functions that read single rows. Data
 * only: the agent links it to choose counters, and computes no values.
 *
 * `replacements` says which counters a metric takes on which chip, and in which run. Names as the host API of
 * CUPTI 13.0 lists them for TU102 to GB20B. TU1xx has no cp.async, so no ldgsts counters; GA10B, GB10B and
 * GB20B have no DRAM counters (memory shared with the CPU); GB20x has DRAM bytes by other names; all others
 * have GH100's names.
 *
 * metric_choose_counters parses --counters: metrics, groups and CUPTI names become a list of counters without
 * repetitions.
 */
#include "core/metric/metric.h"

#include "core/metric/metric_counters.h"

#include <string.h>

/* ---- the counters that a metric takes on a chip ---- */

/* What a chip has instead of a counter; the chip's name begins with `chip`, and the first row that matches
 * decides. */
static const struct replacement {
    const char *chip, *counter;
    const char *instead; /* NULL: nothing */
    bool needless; /* the chip lacks what the counter counts, so it is 0; else a metric needs this counter */
} replacements[] = {
    {"TU1", COUNTER_GLOBAL_SECTORS(ldgsts), NULL, true},
    {"TU1", COUNTER_GLOBAL_BYTES(ldgsts), NULL, true},
    {"GA10B", COUNTER_DRAM_READ, NULL, false},
    {"GA10B", COUNTER_DRAM_WRITE, NULL, false},
    {"GA10B", COUNTER_DRAM_PEAK, NULL, false},
    {"GB10B", COUNTER_DRAM_READ, NULL, false},
    {"GB10B", COUNTER_DRAM_WRITE, NULL, false},
    {"GB10B", COUNTER_DRAM_PEAK, NULL, false},
    {"GB20B", COUNTER_DRAM_READ, NULL, false},
    {"GB20B", COUNTER_DRAM_WRITE, NULL, false},
    {"GB20B", COUNTER_DRAM_PEAK, NULL, false},
    {"GB20", COUNTER_DRAM_READ, COUNTER_DRAM_READ_GB20X, false},
    {"GB20", COUNTER_DRAM_WRITE, COUNTER_DRAM_WRITE_GB20X, false},
};
#define REPLACEMENTS (sizeof replacements / sizeof *replacements)

static bool chip_begins(const char *chip, const char *text)
{
    return chip && strncmp(chip, text, strlen(text)) == 0;
}

static const struct replacement *replacement_find(const char *chip, const char *counter)
{
    for (size_t i = 0; i < REPLACEMENTS; i++)
        if (strcmp(replacements[i].counter, counter) == 0 && chip_begins(chip, replacements[i].chip))
            return &replacements[i];
    return NULL;
}

struct metric_counters metric_counters(enum metric metric, const char *chip)
{
    static const struct metric_counters none;
    struct metric_counters counters = none;
    const struct metric_info *info = metric_info(metric);
    size_t count = 0;
    for (size_t i = 0; info && i < METRIC_COUNTERS_MAX && info->counters[i]; i++) {
        const struct replacement *replacement = replacement_find(chip, info->counters[i]);
        if (!replacement)
            counters.names[count++] = info->counters[i];
        else if (replacement->instead)
            counters.names[count++] = replacement->instead;
        else if (!replacement->needless)
            return none;
    }
    return counters;
}

const char *metric_counter_alias(const char *counter)
{
    for (size_t i = 0; i < REPLACEMENTS; i++)
        if (replacements[i].instead && strcmp(replacements[i].counter, counter) == 0)
            return replacements[i].instead;
    return NULL;
}

bool metric_in_share(enum metric metric, const char *chip, enum metric_share share)
{
    const struct metric_info *info = metric_info(metric);
    bool memory =
        (info->runs & METRIC_OF_MEMORY) && !(info->two_passes_on && chip_begins(chip, info->two_passes_on));
    if (info->how == HOW_COMBINED || metric_when_asked(metric))
        return false;
    return share == METRIC_SHARE_ALL || memory == (share == METRIC_SHARE_MEMORY);
}

/* ---- the catalogue ---- */

/* Names that rows share. */
#define LOAD_SECTORS COUNTER_GLOBAL_SECTORS(ld), COUNTER_GLOBAL_SECTORS(ldgsts)
#define LOAD_BYTES COUNTER_GLOBAL_BYTES(ld), COUNTER_GLOBAL_BYTES(ldgsts)
#define WIDTHS COUNTER_WIDTH(8), COUNTER_WIDTH(16), COUNTER_WIDTH(64), COUNTER_WIDTH(128)
#define LOAD_IDEAL LOAD_SECTORS, LOAD_BYTES, COUNTER_GLOBAL_REQUESTS(ld), WIDTHS, COUNTER_GENERIC(ld)
#define STORE_SECTORS COUNTER_GLOBAL_SECTORS(st)
#define STORE_BYTES COUNTER_GLOBAL_BYTES(st)
#define STORE_IDEAL STORE_SECTORS, STORE_BYTES, COUNTER_GLOBAL_REQUESTS(st), WIDTHS, COUNTER_GENERIC(st)
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

/* METRIC_GROUP_COUNT when unknown */
static enum metric_group metric_group_find(const char *id)
{
    enum metric_group group = 0;
    while (group < METRIC_GROUP_COUNT && strcmp(metric_group_id(group), id) != 0)
        group++;
    return group;
}

/* ---- the choice of counters ---- */

struct chosen {
    const char **names;
    size_t count, most;
};

static void choose_counter(struct chosen *chosen, const char *name)
{
    for (size_t i = 0; i < chosen->count; i++)
        if (strcmp(chosen->names[i], name) == 0)
            return;
    if (chosen->count < chosen->most)
        chosen->names[chosen->count++] = name;
}

static void choose_metric(struct chosen *chosen, enum metric metric, const char *chip)
{
    const struct metric_counters counters = metric_counters(metric, chip);
    for (const char *const *counter = counters.names; *counter; counter++)
        choose_counter(chosen, *counter);
}

static void choose_group(struct chosen *chosen, enum metric_group group, const char *chip)
{
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
        if (metric_info(metric)->group == group)
            choose_metric(chosen, metric, chip);
}

static bool share_takes_words(bool catalogue, enum metric_share share)
{
    return !catalogue || share != METRIC_SHARE_MEMORY;
}

size_t metric_choose_counters(char *choice, const char *chip, enum metric_share share, const char **names,
                              size_t most)
{
    struct chosen chosen = {.names = names, .most = most};
    bool catalogue = *choice == '\0' || *choice == '+';
    char *rest = choice;
    char *word;

    for (int metric = 0; catalogue && metric < METRIC_COUNT; metric++)
        if (metric_in_share((enum metric)metric, chip, share))
            choose_metric(&chosen, (enum metric)metric, chip);
    /* DRAM bytes are measured in one pass of their own; extra counters go with the other counters. */
    while (share_takes_words(catalogue, share) && (word = strsep(&rest, ","))) {
        word += *word == '+';
        enum metric metric = metric_find(word);
        enum metric_group group = metric_group_find(word);

        if (metric != METRIC_COUNT)
            choose_metric(&chosen, metric, chip);
        else if (group != METRIC_GROUP_COUNT)
            choose_group(&chosen, group, chip);
        else if (*word)
            choose_counter(&chosen, word);
    }
    return chosen.count;
}
