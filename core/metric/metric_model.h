/*
 * Values from what the device model counted. Internal to core/metric.
 *
 * The model's samples are catalogue metrics themselves, named METRIC_MODEL_PREFIX + id. Of a metric it did
 * not count the catalogue's formula gives the value where its inputs are there; such a value is marked as
 * derived.
 */
#ifndef CORE_METRIC_METRIC_MODEL_H
#define CORE_METRIC_METRIC_MODEL_H

#include "core/metric/metric.h"

/* Did the model count these? One sample of its own is enough: its numbers are never taken for measured ones.
 */
bool metric_is_modelled(const struct counter_sample *samples, size_t count);

/* PROVENANCE_MODELLED; what follows from the launch's shape is not its business. */
struct value metric_model_evaluate(enum metric metric, const struct counter_sample *samples, size_t count,
                                   const struct metric_facts *facts);

#endif
