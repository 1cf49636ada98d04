/*
 * Which counters a metric takes on which chip, and in which run. Names as the host API of CUPTI 13.0 lists
 * them for TU102 to GB20B. TU1xx has no cp.async, so no ldgsts counters; GA10B, GB10B and GB20B have no DRAM
 * counters (memory shared with the CPU); GB20x has DRAM bytes by other names; all others have GH100's names.
 */
#include "core/metric/metric_counters.h"

#include "core/metric/metric.h"

#include <string.h>

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
