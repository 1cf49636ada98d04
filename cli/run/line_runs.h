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
#define LINE_RUNS_PROGRAM 4    /* of a program, unless more are asked for */
#define LINE_RUNS_SHARE 0.8    /* and no more than have this share of its time */
#define LINE_KERNEL_BYTES 4096 /* agent_config.kernel_glob's */
#define LINE_RUNS_SECONDS 60   /* no further process is begun after so long */

struct line_run {
    char work[512]; /* the case that launches it, as workload_parse takes it; "" of a program */
    char kernel[LINE_KERNEL_BYTES]; /* pattern that names it, its mangled name */
    uint32_t name;                  /* string of the session: readable */
};

/* A program whose GPU was busy for so short that fewer samples were taken is sampled once more, every
 * 2^LINE_RUNS_FINE cycles: that cannot overflow anything then. */
#define LINE_RUNS_FEW 2000u
#define LINE_RUNS_FINE 10u

/* Samples of lines runs from row `first_run` on. */
uint64_t line_runs_samples(const struct session *session, uint32_t first_run);

/* The case of a run of ours, "NAME:variant,param=value"; "" of a program's. False: it does not fit. */
bool line_runs_name_work(const struct session *session, const struct run_row *run, char *text,
                         size_t size_bytes);

/* What is chosen. */
struct line_choice {
    size_t most;     /* at most LINE_RUNS_MAX */
    double share;    /* of the time, at which no further kernel is chosen; 1: all */
    size_t left_out; /* given: how many more have samples */
    double chosen;   /* given: the share of those chosen */
};

/* Of the kernels that lines runs from row `first_run` on have sampled; time is that of the kernels in trace
 * runs of programs, or their samples where there is none. Gives how many. */
size_t line_runs_choose(const struct session *session, uint32_t first_run, struct line_choice *choice,
                        struct line_run list[LINE_RUNS_MAX]);

#endif
