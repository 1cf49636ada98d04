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
    struct plan *plan;         /* of one pass; both must outlive the object */
    uint32_t gpu;              /* CUPTI's index of the device */
    uint64_t interval_ns;
    size_t room; /* samples that the buffer must hold */
};

/* STATE when another profiler has the counters, PERMISSION when this user may not read them. */
enum status pm_open(struct pm **pm, const struct pm_options *options, struct error *error);
void pm_close(struct pm *pm); /* stops it too */

enum status pm_start(struct pm *pm, struct error *error);
enum status pm_stop(struct pm *pm, struct error *error);

struct pm_sample {
    int64_t start_ns, end_ns;
    const double *values; /* as many as the plan has metrics; not finite: not there */
};

struct pm_taken {
    size_t samples;      /* given to `take` */
    int64_t last_end_ns; /* of the last one; stays what it was when there was none */
    bool lost;           /* samples were lost because the image was full */
    bool overflow;       /* the buffer was full: no more samples arrive until the object is opened again */
};

/*
 * Decode what there is and give its samples to `take` in their order. `expected`: how many there can be; what
 * is beyond would be lost, so it should be more rather than less (an image for it is made at the first time:
 * 36 KB a sample). The first sample after a start spans the time since the counters were last reset, and is
 * left out; so are samples of no length.
 */
enum status pm_take(struct pm *pm, size_t expected,
                    void (*take)(void *context, const struct pm_sample *sample), void *context,
                    struct pm_taken *taken, struct error *error);

#endif
