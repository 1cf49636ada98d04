/*
 * The counters of one launch, by name, for those who work values out of them: a sum over several says once
 * why it is not there. Internal to core/metric.
 */
#ifndef CORE_METRIC_METRIC_COUNTED_H
#define CORE_METRIC_METRIC_COUNTED_H

#include "core/metric/metric.h"

#define WHY_NOT_TAKEN "its counters were not taken for this launch"

struct counted {
    const struct counter_sample *samples;
    size_t count;
    const char *why; /* the first reason met; NULL: all that was asked for was there */
};

/* The counter's number, by its name or the one that some chips have for it; not there or no number: 0, and
 * why is set. */
double counted_number(struct counted *counted, const char *counter);
/* A counter some chips do not have because they lack what it counts: 0 there. */
double counted_if_there(const struct counted *counted, const char *counter);
bool counted_has(const struct counted *counted, const char *counter);
struct value counted_value(struct counted *counted, const char *counter);

/* Why a ratio over accesses has no value: there are none. */
const char *metric_no_accesses(const struct metric_accesses *accesses);

/* MEASURED values. */
struct value value_none(const char *why);
struct value value_measured(double number);
struct value value_derived(double number);

#endif
