/*
 * Sends the events of a child that runs workloads or a kernel to the collector, on the clock of its device,
 * and for the device model also the model's description and the findings of its checks. Without a collector
 * nothing is sent. One thread.
 */
#ifndef CLI_CHILDREN_TELLER_H
#define CLI_CHILDREN_TELLER_H

#include "core/wire/wire.h"
#include "simt/device/device.h"

#define TELLER_REPORTS_MAX 100 /* reports of checks that become notices */

struct teller {
    struct wire_producer *producer; /* NULL: nobody listens */
    struct device *device;          /* NULL: not open yet */
    const char *kind;               /* of the device, "cuda" or "simt": on the model */
    bool on_model;
    uint32_t ordinal; /* of the device */
    enum run_mode mode;
    struct sampling_control *sampling; /* a traced case on a GPU begins kernels' bursts anew; NULL: none */
    bool prints_to_stderr;             /* what kernels print: stdout holds a report */
    uint32_t reports;                  /* of the model's checks */
    struct error first;                /* the first of them; STATUS_OK: none */
    /* Called after each launch on the model; NULL: not wanted. */
    void (*launched)(void *context, const struct simt_launch *launch);
    void *context;
};

/* Connects to the collector that the environment names, if it names one. */
enum status teller_connect(struct teller *teller, enum run_mode mode, const char *kind, uint32_t ordinal,
                           struct error *error);
void teller_close(struct teller *teller); /* says goodbye; the device may be closed already */

/*
 * The device, announced. To be opened after teller_connect: that injects the agent, and the collector should
 * know by then whose process this is. model: how the device model is to be, its ordinal and sink are filled
 * in here. Tells the collector when it fails.
 */
enum status teller_open_device(struct teller *teller, struct simt_options *model, struct device **device,
                               struct error *error);
/* The same of a device that is open already. */
void teller_use_device(struct teller *teller, struct device *device);

int64_t teller_now_ns(const struct teller *teller); /* of the clock that the events are on */
uint32_t teller_string(const struct teller *teller, const char *text);
void teller_emit(const struct teller *teller, enum event_kind kind, struct event event); /* of this device */
void teller_notice(const struct teller *teller, enum severity severity, enum status status, const char *text);
bool teller_is_alone(const struct teller *teller); /* who listened has gone */

/* A RUN_BEGIN of work on the device. `params` without what the device adds: a run under other rules than the
 * device's own, or of PTX as it stands, is other work than the same on a GPU, and says so, "stride=8,cc=1.0".
 */
struct event teller_run(const struct teller *teller, const char *workload, const char *variant,
                        const char *params, const struct arch *rules, bool keep_ptx);

#endif
