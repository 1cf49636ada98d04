/*
 * Chooses the kernels whose instructions are counted after a lines run has sampled them, and their order:
 * each needs its own process (docs/cupti-notes.md), so kernels with most samples come first and their number
 * is limited. Pure; any thread that may read the session.
 */
#ifndef CLI_RUN_LINE_RUNS_H
#define CLI_RUN_LINE_RUNS_H

#include "core/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_RUNS_MAX 16
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

/* From the samples of lines runs from row `first_run` on. Gives how many; *left_out: how many more have
 * samples. */
size_t line_runs_choose(const struct session *session, uint32_t first_run,
                        struct line_run list[LINE_RUNS_MAX], size_t *left_out);

#endif
