/* Sums and ratios of the counters of one launch: a counter that was not taken, or that is no number, makes
 * the value unavailable and says why. */
#include "core/metric/metric_counted.h"

#include <math.h>
#include <string.h>

#define WHY_NOT_A_NUMBER "the GPU gave no number for one of its counters"

struct value value_none(const char *why)
{
    return (struct value){.provenance = PROVENANCE_MEASURED, .why = why};
}

struct value value_measured(double number)
{
    return (struct value){.available = true, .provenance = PROVENANCE_MEASURED, .number = number};
}

struct value value_derived(double number)
{
    return (struct value){
        .available = true, .derived = true, .provenance = PROVENANCE_MEASURED, .number = number};
}

static const struct counter_sample *counted_find(const struct counted *counted, const char *counter)
{
    for (size_t i = 0; i < counted->count; i++)
        if (strcmp(counted->samples[i].counter, counter) == 0)
            return &counted->samples[i];
    return NULL;
}

double counted_number(struct counted *counted, const char *counter)
{
    const struct counter_sample *sample = counted_find(counted, counter);
    const char *alias = sample ? NULL : metric_counter_alias(counter);
    if (alias)
        sample = counted_find(counted, alias);
    if (sample && isfinite(sample->number))
        return sample->number;
    if (sample)
        counted->why = WHY_NOT_A_NUMBER;
    else if (!counted->why)
        counted->why = WHY_NOT_TAKEN;
    return 0;
}

double counted_if_there(const struct counted *counted, const char *counter)
{
    struct counted quiet = *counted;
    return counted_number(&quiet, counter);
}

bool counted_has(const struct counted *counted, const char *counter)
{
    struct counted quiet = {counted->samples, counted->count, NULL};
    counted_number(&quiet, counter);
    return quiet.why == NULL;
}

struct value counted_value(struct counted *counted, const char *counter)
{
    double number = counted_number(counted, counter);
    return counted->why ? value_none(counted->why) : value_measured(number);
}
