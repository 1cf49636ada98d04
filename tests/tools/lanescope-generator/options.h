/* SPDX-License-Identifier: Apache-2.0 */
/* What the generator was asked to do. */
#ifndef TESTS_TOOLS_LANESCOPE_GENERATOR_OPTIONS_H
#define TESTS_TOOLS_LANESCOPE_GENERATOR_OPTIONS_H

#include "core/base/event.h"

#include <stdbool.h>
#include <stdint.h>

enum ending { ENDING_RETURN, ENDING_QUICK_EXIT, ENDING_ABORT, ENDING_SEGV, ENDING_KILL, ENDING_HANG };

struct options {
    const char *socket;
    uint64_t seed;
    double rate;       /* records a second, of all threads together; 0: as fast as it goes */
    uint64_t events;   /* records to send; 0: no end */
    double duration_s; /* 0: no end */
    const char *until; /* a path, or NULL */
    uint32_t threads, contexts, streams, shapes, devices;
    uint32_t disorder; /* records of a thread are sent shuffled within so many */
    uint32_t watermark_ms;
    uint32_t long_every; /* one kernel of so many runs for long and is announced by CALL_BEGIN */
    uint32_t long_ms;
    uint32_t samples_us; /* between two samples; 0: none */
    enum run_mode mode;
    bool numbered, model, wait, goodbye, report;
    uint32_t role; /* enum wire_role */
    int32_t rank, exit_status;
    const char *workload;
    uint64_t ring_bytes;
    int64_t base_ns; /* 0: the clock's time */
    uint32_t forks;
    /* faults */
    bool hostile_names;
    uint32_t malformed_every, wrong_ids_every, losses_every, torn;
    enum ending ending;
    double hold_s; /* stay connected and silent at the end */
};

/* Fills the options; 0 go on, 1 --help was answered, 2 the command line is wrong (said on standard error). */
int options_parse(struct options *options, int argc, char **argv);

#endif
