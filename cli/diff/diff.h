/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope diff A B`: two recordings, or two selections of one, compared kernel by kernel; limits for CI.
 * The rules for pairs and differences are in core/analysis/compare_match.h and core/analysis/compare.h. The
 * output is a table or JSON with a schema (docs/diff.schema.json). The result holds the two sides, the pairs
 * of kernels, and the state of each limit.
 *
 * A side is a recording, and the part of it that is compared. Written FILE, or FILE:WORK with WORK as
 * [WORKLOAD or program][:variant][,param=value]...; device=simt or device=cuda among the parameters takes the
 * runs on the device model, or on a GPU. A file whose name has a colon is found by its whole name first. One
 * thread; owned by the caller.
 */
#ifndef CLI_DIFF_DIFF_H
#define CLI_DIFF_DIFF_H

#include "cli/diff/limit.h"
#include "cli/options/options.h"
#include "cli/output/sheet_print.h"
#include "core/analysis/compare.h"
#include "core/analysis/compare_match.h"
#include "core/sheet/sheet.h"
#include "tui/widgets/short_names.h"

struct diff_side {
    const char *text; /* as typed */
    char *words;      /* the pick's texts lie in it */
    char *file;
    struct session *session;
    struct kernel_index *index;
    struct compare_pick pick;
};

/* Loads it. STATUS_USAGE: not a recording, or the selection is malformed. The caller frees with
 * diff_side_close, also after a failure. */
enum status diff_side_open(struct diff_side *side, const char *text, struct error *error);
void diff_side_close(struct diff_side *side);

/* "transpose:tile n=128" */
void diff_side_run_name(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes);
/* "NVIDIA H200", "device model of NVIDIA H200" */
void diff_side_device(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes);

/* The works of the recording, "transpose:copy, transpose:naive, ...", for a sentence. */
void diff_side_works(const struct diff_side *side, char *text, size_t size_bytes);

struct diff {
    struct diff_side sides[2]; /* A, B */
    struct compare_matches matches;
    struct short_names *names; /* of the kernels of both */
    const struct limit *limits;
    size_t limit_count;
    uint8_t *states; /* enum limit_state, by limit and match */
    bool wide;       /* also what is equal */
};

struct compare_metric diff_metric(const struct diff *diff, const struct compare_match *match,
                                  enum metric metric);
struct compare_kernel diff_kernel(const struct diff *diff, const struct compare_match *match, int side);

/* The short name of a side's kernel; `wide`: all of it except the parameters. */
void diff_kernel_name(const struct diff *diff, int side, uint32_t kernel, char *text, size_t size_bytes);

/* The pairs of runs whose kernels were compared, each once, with the worst result of their kernels. */
struct diff_runs {
    struct compare_run *rows; /* in the order of the kernels */
    uint32_t *kernels[2];     /* of A, of B, one a pair: names it */
    size_t count;
};
/* STATUS_STATE: not all events are in memory. The caller frees with diff_runs_fini, also after a failure. */
enum status diff_runs_make(struct diff_runs *runs, const struct diff *diff, struct error *error);
void diff_runs_fini(struct diff_runs *runs);
enum limit_state diff_state(const struct diff *diff, size_t limit, size_t match);
/* Over all matches: BROKEN if one is, else KEPT if one is, else UNCHECKED. */
enum limit_state diff_limit(const struct diff *diff, size_t limit);
/* Is all as it should be? */
bool diff_is_fine(const struct diff *diff);

/* Compares and writes to `out`. EXIT_CHECK: nothing was compared, a limit was exceeded, or a limit could be
 * checked nowhere. STATUS_USAGE: a limit, a selection or a file is not valid. */
enum status diff_command(const struct options *options, FILE *out, int *exit_status, struct error *error);

/* The sheets of a comparison, each from a struct diff; NULL past the end. */
const struct sheet *diff_sheet_at(size_t index);
extern const struct sheet_document diff_document; /* diff --json: docs/diff.schema.json */
/* The text: the sheets that a reader wants, one below the other. */
enum status diff_print(const struct diff *diff, struct sheet_look look, FILE *out, struct error *error);

#endif
