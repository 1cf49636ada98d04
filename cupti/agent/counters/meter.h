/*
 * What measures launches in one context: the range profiler in a counter or memory run, SASS metrics in a
 * lines run that counts instructions. Sends what it found. Not thread-safe: its user serialises, with the
 * context current.
 */
#ifndef CUPTI_AGENT_COUNTERS_METER_H
#define CUPTI_AGENT_COUNTERS_METER_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "cupti/load/driver.h"

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

struct meter;

/* Measures what agent.config says. driver: NULL if not known; needed to count instructions. */
enum status meter_open(struct meter **meter, CUcontext context, uint32_t device, const struct driver *driver,
                       struct error *error);

/* detach: the context still works, so detach CUPTI from it. */
void meter_close(struct meter *meter, bool detach);

/* Call these around one launch, on the calling thread. */
enum status meter_begin(struct meter *meter, struct error *error);

/* measurement: a MEASUREMENT without its end, id and numbers. */
enum status meter_end(struct meter *meter, struct event *measurement, struct error *error);

/* Can it measure no further launch in this process? */
bool meter_is_spent(const struct meter *meter);

#endif
