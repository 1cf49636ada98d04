/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the events of a child that runs workloads or a kernel to the collector, on the clock of its device,
 * and for the device model also the model's description and the findings of its checks. Without a collector
 * nothing is sent. One thread.
 */
#ifndef CLI_CHILDREN_RUN_REPORTER_H
#define CLI_CHILDREN_RUN_REPORTER_H

#include "core/wire/wire.h"
#include "simt/device/tally.h"

#define TELLER_REPORTS_MAX 100 /* most reports of checks that become notices */

struct run_reporter {
    struct wire_producer *producer; /* NULL: nobody listens */
    struct device *device;          /* NULL: not open yet */
    const char *kind;               /* of the device: "cuda", or "simt" for the model */
    bool on_model;
    uint32_t ordinal; /* of the device */
    enum run_mode mode;
    struct sampling_control *sampling; /* on a GPU each traced case starts new bursts; NULL: none */
    bool prints_to_stderr;             /* what kernels print: stdout holds a report */
    uint32_t reports;                  /* of the model's checks */
    const char *scratch;               /* a folder whose name is left out of reports: "/tmp/x/"; NULL: none */
    bool limits_told;                  /* what the checks left out was said */
    struct error first;                /* the first of them; STATUS_OK: none */
    /* Called after each launch on the model; may be NULL. */
    void (*launched)(void *context, const struct simt_launch *launch);
    void *context;
    struct tally *tally;     /* of the launches on the model; NULL: nobody asked for one */
    struct checked *checked; /* what the checks on demand looked at; NULL: there are none */
};

/* Connects to the collector that the environment names, if there is one. */
enum status reporter_connect(struct run_reporter *reporter, enum run_mode mode, const char *kind,
                             uint32_t ordinal, struct error *error);
/* Says what was checked, at the device's time, and closes it. */
void reporter_close_device(struct run_reporter *reporter, struct device *device);
void reporter_close(struct run_reporter *reporter); /* sends the goodbye; the device may be closed already */

/* Opens a device and announces it. Call it after reporter_connect, which injects the agent and makes this
 * process known to the collector. model: the device model's settings; this function fills in its ordinal and
 * sink. Reports a failure to the collector. */
enum status reporter_open_device(struct run_reporter *reporter, struct simt_options *model,
                                 struct device **device, struct error *error);
/* The same for a device that is open already. */
void reporter_use_device(struct run_reporter *reporter, struct device *device);
/* Announces a further GPU of the model's device, `number` behind its first. */
void reporter_tell_gpu(const struct run_reporter *reporter, uint32_t number);

int64_t reporter_now_ns(const struct run_reporter *reporter); /* on the clock that the events use */
uint32_t reporter_string(const struct run_reporter *reporter, const char *text);
void reporter_emit(const struct run_reporter *reporter, enum event_kind kind,
                   struct event event); /* of this device */
void reporter_notice(const struct run_reporter *reporter, enum severity severity, enum status status,
                     const char *text);
bool reporter_is_alone(const struct run_reporter *reporter); /* who listened has gone */

/* Sends a RUN_BEGIN for work on the device. The device adds to `params` what makes the work different from
 * the same work on a GPU: other rules, or unmerged PTX: "stride=8,cc=1.0". */
struct event reporter_run(const struct run_reporter *reporter, const char *workload, const char *variant,
                          const char *params, const struct arch *rules, bool keep_ptx);

#endif
