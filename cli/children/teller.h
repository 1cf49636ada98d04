/*
 * Sends the events of a child that runs workloads or a kernel to the collector, on the clock of its device,
 * and for the device model also the model's description and the findings of its checks. Without a collector
 * nothing is sent. One thread.
 */
#ifndef CLI_CHILDREN_TELLER_H
#define CLI_CHILDREN_TELLER_H

#include "core/wire/wire.h"
#include "simt/device/tally.h"

#define TELLER_REPORTS_MAX 100 /* most reports of checks that become notices */

struct teller {
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
    struct tally *tally; /* of the launches on the model; NULL: nobody asked for one */
};

/* Connects to the collector that the environment names, if there is one. */
enum status teller_connect(struct teller *teller, enum run_mode mode, const char *kind, uint32_t ordinal,
                           struct error *error);
void teller_close(struct teller *teller); /* sends the goodbye; the device may be closed already */

/* Opens a device and announces it. Call it after teller_connect, which injects the agent and makes this
 * process known to the collector. model: the device model's settings; this function fills in its ordinal and
 * sink. Reports a failure to the collector. */
enum status teller_open_device(struct teller *teller, struct simt_options *model, struct device **device,
                               struct error *error);
/* The same for a device that is open already. */
void teller_use_device(struct teller *teller, struct device *device);
/* Announces a further GPU of the model's device, `number` behind its first. */
void teller_tell_gpu(const struct teller *teller, uint32_t number);

int64_t teller_now_ns(const struct teller *teller); /* on the clock that the events use */
uint32_t teller_string(const struct teller *teller, const char *text);
void teller_emit(const struct teller *teller, enum event_kind kind, struct event event); /* of this device */
void teller_notice(const struct teller *teller, enum severity severity, enum status status, const char *text);
bool teller_is_alone(const struct teller *teller); /* who listened has gone */

/* Sends a RUN_BEGIN for work on the device. The device adds to `params` what makes the work different from
 * the same work on a GPU: other rules, or unmerged PTX: "stride=8,cc=1.0". */
struct event teller_run(const struct teller *teller, const char *workload, const char *variant,
                        const char *params, const struct arch *rules, bool keep_ptx);

#endif
