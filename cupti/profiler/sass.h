/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SASS metrics of one launch: the kernel is patched so that each of its instructions counts exactly what it
 * does.
 *
 * CUPTI 13.0 counts the first function that is launched after Enable, and takes one configuration in the life
 * of a process (docs/cupti-notes.md): so one launch of one kernel, and another process for the next kernel.
 * sass_begin and sass_end stand around that launch on its thread, with the context current and nothing else
 * under way in it. Not thread-safe. The function below the line is pure.
 */
#ifndef CUPTI_PROFILER_SASS_H
#define CUPTI_PROFILER_SASS_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "cupti/load/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sass;

struct sass_options {
    const struct cupti *cupti;
    CUcontext context;
    uint32_t device;
    CUresult (*synchronize)(void); /* the driver's, of the current context */
    uint32_t (*string)(void *user, const char *text);
    /* One instruction and the events made from it: one per metric; function, correlation and shape are not
     * set. */
    void (*take)(void *user, const CUpti_SassMetrics_Data *record, struct event *events, size_t count);
    void *user;
};

/* Finds out which of the metrics this chip has. STATUS_UNSUPPORTED if it has none. */
enum status sass_open(struct sass **sass, const struct sass_options *options, struct error *error);

enum status sass_begin(struct sass *sass, struct error *error);

/* Waits for the kernel and hands over its instructions. */
enum status sass_end(struct sass *sass, struct error *error);

/* Allowed also between begin and end if nothing was launched. detach: the context still works, so detach
 * CUPTI from it. */
void sass_close(struct sass *sass, bool detach);

/* ---- */

struct sass_metric {
    uint64_t id;   /* CUPTI's */
    uint32_t text; /* string id of its name */
};

/* The events of an instruction, at most metric_count: instances of a metric are added up; none for metrics
 * that counted nothing. */
size_t sass_events(const CUpti_SassMetrics_Data *record, size_t instances, const struct sass_metric *metrics,
                   size_t metric_count, struct event *events);

#endif
