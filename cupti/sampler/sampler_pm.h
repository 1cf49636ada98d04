/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PM sampling of one GPU: the hardware writes a sample per interval into a buffer, which is decoded into an
 * image of few slots, one image after the other. Needs no context on the GPU. One object per GPU and process,
 * used by one thread. Times are ns of CLOCK_REALTIME.
 */
#ifndef CUPTI_SAMPLER_SAMPLER_PM_H
#define CUPTI_SAMPLER_SAMPLER_PM_H

#include "cupti/load/load.h"
#include "cupti/profiler/plan.h"

#include <stdbool.h>

/* An upper bound of a sample's size in the buffer: on GH100 6 KB with four metrics and 13 KB with twelve were
 * seen (docs/cupti-notes.md). */
#define PM_SAMPLE_BYTES ((size_t)16384)

struct pm;

struct pm_options {
    const struct cupti *cupti; /* cuptiProfilerInitialize is done */
    struct plan *plan;         /* the metrics, in one pass; both must outlive the object */
    uint32_t gpu;              /* CUPTI's index of the device */
    uint64_t interval_ns;
    size_t room; /* samples that the buffer must hold */
};

/* STATUS_STATE: another profiler uses the counters; STATUS_PERMISSION: this user may not read them. */
enum status pm_open(struct pm **pm, const struct pm_options *options, struct error *error);
void pm_close(struct pm *pm); /* stops it too */

enum status pm_start(struct pm *pm, struct error *error);
enum status pm_stop(struct pm *pm, struct error *error);

struct pm_sample {
    int64_t start_ns, end_ns;
    const double *values; /* as many as the plan has metrics; not finite: no value */
};

struct pm_taken {
    size_t samples;      /* given to `take` */
    int64_t last_end_ns; /* of the last sample; unchanged if there was none */
    bool lost;           /* samples were lost because the image was full */
    bool overflow;       /* the buffer was full: no more samples arrive until the object is opened again */
};

/* Decodes what there is and gives the samples to `take` in order. `expected`: how many there can be; those
 * beyond it would be lost, so give a large number (an image of this size is made at the first call: 36 KB per
 * sample). The first sample after a start covers the time since the counters were last reset, and is left
 * out; so are samples of length 0. */
enum status pm_take(struct pm *pm, size_t expected,
                    void (*take)(void *context, const struct pm_sample *sample), void *context,
                    struct pm_taken *taken, struct error *error);

/* ---- series ---- */

/*
 * The series that are sampled over time: a list of counters in order of priority, each with its names on
 * different chips, and the choice of those that fit into one pass on a chip, which is the limit of PM
 * sampling. Runs on CUPTI's host API: no GPU is needed. Static data; the plan is the caller's.
 */

/* The plan for all wishes that fit together; at least one. availability as in struct plan_request.
 * STATUS_UNSUPPORTED if the chip has none. */
enum status sampler_plan(struct plan **plan, const char *cupti_path, const char *chip,
                         const uint8_t *availability, struct error *error);

#endif
