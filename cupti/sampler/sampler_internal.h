/*
 * The sampler's state and functions. Internal to cupti/sampler. One thread.
 */
#ifndef CUPTI_SAMPLER_SAMPLER_INTERNAL_H
#define CUPTI_SAMPLER_SAMPLER_INTERNAL_H

#include "core/wire/sampling_control.h"
#include "core/wire/wire.h"
#include "cupti/load/driver.h"
#include "cupti/sampler/sampler.h"
#include "cupti/sampler/sampler_pm.h"

/* Samples that the hardware's buffer must hold: SAMPLER_ROOM_NS of them, at least SAMPLER_ROOM_LEAST, since a
 * large buffer takes long to set up; for a burst, which ends after at most SAMPLER_BURST_SAMPLES, twice as
 * many, to cover the time until it is stopped. */
#define SAMPLER_ROOM_NS 800000000u
#define SAMPLER_ROOM_LEAST 512u
#define SAMPLER_BURST_ROOM 8192u
#define SAMPLER_BURST_SAMPLES 3000u

struct sampler {
    const struct sampler_options *options;
    struct cupti cupti;
    struct driver driver;
    struct wire_producer *wire;
    struct sampling_control *control;
    struct sampling_slot *slot;
    struct plan *plan;
    struct pm *pm; /* NULL: the GPU's counters are not taken */
    uint64_t interval_ns;
    uint32_t series, next_series; /* of the current sampling; 0: not announced yet */
    bool running;                 /* continuously while samples are wanted */
    bool told;                    /* that the counters cannot be had */
    bool told_gap;                /* that samples are missing */
    bool behind;                  /* decoding took most of the time, last time */
    bool described;               /* the GPU has been, to lanescope */
    uint32_t failures;            /* of CUPTI, since samples were taken */
    uint32_t overruns;            /* at this interval */
    int64_t retry_ns, retry_at_ns, taken_at_ns, last_end_ns, watermark_ns;
};

int64_t sampler_now_ns(void); /* CLOCK_REALTIME */

/* ---- sampler_tell.c ---- */

void sampler_notice(const struct sampler *sampler, enum severity severity, const struct error *error);
void sampler_tell(const struct sampler *sampler, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The sentence that the timeline shows instead of charts. */
void sampler_tell_why(struct sampler *sampler, const char *why);
/* It never goes back. */
void sampler_watermark(struct sampler *sampler, int64_t time_ns);

/* Sends a SAMPLE of struct sampler *context; before the first one of a sampling its SERIES. */
void sampler_emit(void *context, const struct pm_sample *sample);

/* ---- sampler_setup.c ---- */

/* STATUS_NO_DEVICE: there is no such GPU, or no driver; then there is nothing to report. */
enum status sampler_find_gpu(struct sampler *sampler, uint32_t *gpus, struct error *error);
/* Announces which GPU it is, once; chip "": not known. */
void sampler_describe(struct sampler *sampler, const char *chip);
/* Sets up CUPTI, the plan, and the hardware if it is free. */
enum status sampler_set_up(struct sampler *sampler, struct error *error);
/* Sets up the hardware, with the plan and the current interval. */
enum status sampler_open_hardware(struct sampler *sampler, struct error *error);

#endif
