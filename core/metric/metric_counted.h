/*
 * The counters of one launch by name, for functions that compute values from them. A sum over several
 * counters keeps the first reason why it is not available. Internal to core/metric.
 */
#ifndef CORE_METRIC_METRIC_COUNTED_H
#define CORE_METRIC_METRIC_COUNTED_H

#include "core/metric/metric.h"

#define WHY_NOT_TAKEN "its counters were not taken for this launch"

struct counted {
    const struct counter_sample *samples;
    size_t count;
    const char *why; /* the first reason; NULL: all counters read so far are available */
};

/* The counter's number, by its name or its alternative name on some chips. If it is not available or not a
 * number: 0, and `why` is set. */
double counted_number(struct counted *counted, const char *counter);
/* The same, but 0 for a counter that is missing because the chip lacks the hardware that it counts. */
double counted_if_there(const struct counted *counted, const char *counter);
bool counted_has(const struct counted *counted, const char *counter);
struct value counted_value(struct counted *counted, const char *counter);

/* Why a ratio over accesses has no value: there were none. */
const char *metric_no_accesses(const struct metric_accesses *accesses);

/* MEASURED values. */
struct value value_none(const char *why);
struct value value_measured(double number);
struct value value_derived(double number);

#endif
