/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counter planner: from metric names in order of priority it finds which ones a chip has, and the number
 * of passes. Runs on CUPTI's host API, which needs neither GPU nor driver.
 *
 * A plan is made once per chip and metric list and is then read only; evaluate may be called by one thread at
 * a time. All metrics go into one configuration: one by one they would cost a pass each.
 */
#ifndef CUPTI_PROFILER_PLAN_H
#define CUPTI_PROFILER_PLAN_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_MAX_METRICS 256u

struct plan;

struct plan_request {
    const char *cupti_path;      /* tried last, may be NULL */
    const char *chip;            /* "GH100" */
    const char *const *names;    /* CUPTI metric names, most important first; a repeated one is taken once */
    size_t count;                /* at most PLAN_MAX_METRICS */
    size_t max_passes;           /* the least important metrics are left out to stay below; 0 = no limit */
    bool sampling;               /* for PM sampling; else for the range profiler */
    const uint8_t *availability; /* counter availability image of the device, or NULL: all the chip has */
};

/* STATUS_UNSUPPORTED: libcupti or the chip is not there, or no metric is left. */
enum status plan_create(struct plan **plan, const struct plan_request *request, struct error *error);
void plan_destroy(struct plan *plan);

size_t plan_count(const struct plan *plan); /* metrics taken, in the request's order */
const char *plan_name(const struct plan *plan, size_t index);
size_t plan_left_out_count(const struct plan *plan);
const char *plan_left_out(const struct plan *plan, size_t index);
bool plan_unknown(
    const struct plan *plan,
    size_t index); /* why metric `index` was left out: the chip has no such metric (else: too many passes) */
size_t plan_passes(const struct plan *plan);

/* For the range profiler: the configuration image, and the metrics' names in its form. */
const uint8_t *plan_config(const struct plan *plan, size_t *size_bytes);
const char **plan_names(const struct plan *plan);

/* The values of all taken metrics in one range of a decoded counter data image. */
enum status plan_evaluate(struct plan *plan, const uint8_t *image, size_t image_bytes, size_t range,
                          double *values, struct error *error);

/* Chips that the host API knows. Names are static. */
enum status plan_chips(const char *cupti_path, const char *const **names, size_t *count, struct error *error);

#endif
