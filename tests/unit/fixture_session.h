/*
 * A session made by hand for the tests of the screen: an H200, workloads with expected values and
 * measurements, a program of the user's with streams, copies, ranges and a hostile name. Deterministic.
 */
#ifndef TESTS_FIXTURE_SESSION_H
#define TESTS_FIXTURE_SESSION_H

#include "core/session.h"
#include "tui/host.h"

struct fixture {
    struct session *session;
    struct tui_host host;
    struct tui_host_state state;
    uint32_t process, counter_process, device, trace_run, counter_run;
    char ran[256]; /* what run() was asked for */
    char kept[256];
};

enum fixture_content {
    FIXTURE_EMPTY,      /* nothing yet, but workloads that can be run */
    FIXTURE_WORKLOADS,  /* a recording of three workloads, trace and counters */
    FIXTURE_PROGRAM,    /* a live program: four streams, copies, ranges, an open launch */
    FIXTURE_MODEL,      /* a live session on the device model, of three workloads */
    FIXTURE_TIMELINE,   /* a recording of a program that stages chunks: calls, waits, nested ranges */
    FIXTURE_SAMPLED,    /* the same, with counters over time */
    FIXTURE_UNSAMPLED,  /* the same, on a GPU that cannot be sampled */
    FIXTURE_WATCH,      /* live, nothing but counters over time */
    FIXTURE_ROOFLINE,   /* a recording of kernels that compute, on a GPU and on the model */
    FIXTURE_BOTH,       /* a recording of the same on a GPU, traced and counted, and on the model */
    FIXTURE_LINES,      /* the same, and one kernel's instructions were sampled and counted */
    FIXTURE_MODEL_LIST, /* nothing yet, but workloads that can be run, on the model */
    FIXTURE_EXTREMES,   /* a recording in which every metric has its extreme values */
    FIXTURE_CONTENTS
};

/* Owned by the caller; fixture_fini frees it. Aborts when memory runs out. */
void fixture_init(struct fixture *fixture, enum fixture_content content);
void fixture_fini(struct fixture *fixture);

#endif
