/*
 * What the device model tells, sent to the collector: its events as they are, and what its checks found as
 * notices. For the children that run on it (workload_child, kernel_child); one thread.
 */
#ifndef CLI_MODEL_EVENTS_H
#define CLI_MODEL_EVENTS_H

#include "core/wire.h"
#include "simt/device.h"

#define MODEL_NOTICES_MAX 100

struct model_events {
    struct wire_producer *producer; /* NULL: nobody listens */
    struct device *device;          /* for the time; set by who opens it */
    uint32_t told;                  /* reports of checks that became notices */
    struct error first;             /* the first report; STATUS_OK: none */
    /* Called after each launch's checks were told; NULL: nothing more is wanted of it. */
    void (*launched)(void *context, const struct simt_launch *launch);
    void *context;
};

/* events must outlive the device. producer NULL: reports are still kept in `first`. */
struct simt_sink model_events_sink(struct model_events *events, struct wire_producer *producer);

/* A run under other rules than the device's own, or of PTX as it stands, is other work than the same on a
 * GPU: its parameters say so, "stride=8,cc=1.0,merge=no". */
#define MODEL_PARAMS_BYTES 32
void model_params_append(char *params, size_t size_bytes, const struct arch *rules, bool keep_ptx);

#endif
