/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the kernels whose instructions are counted after a lines run has sampled them, and their order:
 * each needs its own process (docs/cupti-notes.md), so kernels with most time come first and their number is
 * limited: of a program to those that have most of its time. Pure; any thread that may read the session.
 */
#ifndef CLI_RUN_LINE_RUNS_H
#define CLI_RUN_LINE_RUNS_H

#include "core/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_RUNS_MAX 16
#define LINE_RUNS_PROGRAM 4    /* kernels of a program, unless more are requested */
#define LINE_RUNS_SHARE 0.8    /* no further kernels if these have this share of the program's time */
#define LINE_KERNEL_BYTES 4096 /* agent_config.kernel_glob's */
#define LINE_RUNS_SECONDS 60   /* after this time no further process is begun */

struct line_run {
    char work[512]; /* the case that launches it, as workload_parse takes it; "" for a program */
    char kernel[LINE_KERNEL_BYTES]; /* pattern that matches it: its mangled name */
    uint32_t name;                  /* string of the session: readable */
};

/* If a program used the GPU for so short a time that it gave fewer samples, it is sampled again, every
 * 2^LINE_RUNS_FINE cycles: that cannot overflow any buffer then. */
#define LINE_RUNS_FEW 2000u
#define LINE_RUNS_FINE 10u

/* Number of samples in lines runs from row `first_run` on. */
uint64_t line_runs_samples(const struct session *session, uint32_t first_run);

/* The case of one of our workload's runs, "NAME:variant,param=value"; "" for a program. False: it does not
 * fit. */
bool line_runs_name_work(const struct session *session, const struct run_row *run, char *text,
                         size_t size_bytes);

/* What is chosen. */
struct line_choice {
    size_t most;     /* at most LINE_RUNS_MAX */
    double share;    /* no further kernel is chosen once this share of the time is reached; 1: all */
    size_t left_out; /* given: how many more have samples */
    double chosen;   /* given: the share of those chosen */
};

/* Chooses among the kernels that lines runs from row `first_run` on have sampled. Their time is that in trace
 * runs of programs, or else their number of samples. Returns how many. */
size_t line_runs_choose(const struct session *session, uint32_t first_run, struct line_choice *choice,
                        struct line_run list[LINE_RUNS_MAX]);

#endif
