/*
 * Values from the counts of the device model. Internal to core/metric.
 *
 * The model's samples are catalogue metrics themselves, named METRIC_MODEL_PREFIX + id. If the model did not
 * count a metric, the catalogue's formula gives the value from its inputs, if these are available; such a
 * value is marked as derived.
 */
#ifndef CORE_METRIC_METRIC_MODEL_H
#define CORE_METRIC_METRIC_MODEL_H

#include "core/metric/metric.h"

/* Do these samples come from the model? One sample with a model's name is enough, so that modelled numbers
 * are never taken for measured ones. */
bool metric_is_modelled(const struct counter_sample *samples, size_t count);

#endif
