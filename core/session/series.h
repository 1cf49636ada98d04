/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a series is called, counted in and scaled to, by the name it was announced with: CUPTI's metric name,
 * or "model." and the model's own (docs/model.md). One table; a name that is not in it is its own title, and
 * what its ending says decides its unit. Static data, any thread.
 */
#ifndef CORE_SESSION_SERIES_H
#define CORE_SESSION_SERIES_H

#include "core/base/event.h"
#include "core/base/value.h"

#include <stdbool.h>
#include <stddef.h>

/* What the device model samples: its series are named "model." and one of these. */
#define SERIES_MODEL_LIST(X)           \
    X(OCCUPANCY, "occupancy_pct")      \
    X(ACTIVE_SMS, "active_sms_pct")    \
    X(DRAM_READ, "dram_read_pct")      \
    X(DRAM_WRITE, "dram_write_pct")    \
    X(WAVEFRONTS, "shared_wavefronts") \
    X(CONFLICTS, "bank_conflicts")     \
    X(L2_SECTORS, "l2_sectors")
#define SERIES_MODEL_ENUM(id, name) SERIES_MODEL_##id,
enum series_model { SERIES_MODEL_LIST(SERIES_MODEL_ENUM) SERIES_MODEL_COUNT };
#undef SERIES_MODEL_ENUM
const char *series_model_name(enum series_model which); /* "model.occupancy_pct" */

enum series_unit {
    SERIES_PERCENT,    /* drawn on 0...100 */
    SERIES_PER_SECOND, /* of things */
    SERIES_BYTES_PER_SECOND,
    SERIES_NUMBER
};

struct series_description {
    const char *title;   /* "DRAM read"; CUPTI's name if it is not known */
    const char *meaning; /* a sentence; "" if it is not known */
    enum series_unit unit;
    bool counted;   /* the numbers are counts within the sample's time: shown per second */
    unsigned order; /* order in which series are shown; unknown ones come last */
};

struct series_description series_describe(const char *name);
/* On the model's clock: MODELLED, else MEASURED. */
enum provenance series_provenance(enum clock_kind clock);

/* "57.3 %", "1.23 TB/s", "12.3 M/s"; "n/a" for NaN. */
void series_format(enum series_unit unit, double number, char *text, size_t size_bytes);
/* The top of a scale from 0 that contains `most`: 100 for percentages, else one of ten round figures times a
 * power of ten. */
double series_scale(enum series_unit unit, double most);

#endif
