/*
 * A side of `lanescope diff`: a recording, and the part of it that is compared. Written FILE, or FILE:WORK
 * with WORK as [WORKLOAD or program][:variant][,param=value]...; device=simt or device=cuda among the
 * parameters takes the runs on the device model, or on a GPU. A file whose name has a colon is found by its
 * whole name first. One thread; owned by the caller.
 */
#ifndef CLI_DIFF_DIFF_SIDE_H
#define CLI_DIFF_DIFF_SIDE_H

#include "core/analysis/compare_match.h"

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

#endif
