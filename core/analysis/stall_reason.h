/*
 * The reasons why a warp was stalled, as a GPU's PC sampling names them: what each means, and what to do
 * about it. The names are those of CUPTI without their prefix ("long_scoreboard"); the meanings follow the
 * descriptions of warp stall reasons in NVIDIA's Nsight Compute documentation. Static data; any thread.
 */
#ifndef CORE_ANALYSIS_STALL_REASON_H
#define CORE_ANALYSIS_STALL_REASON_H

#include <stdbool.h>

struct stall_reason {
    const char *name;
    const char *title;   /* at most 18 cells: "global memory" */
    const char *meaning; /* a clause: the warp ... */
    const char *now;     /* what to do, or "" */
    bool works;          /* no stall: the warp issued, or could have */
};

/* NULL: not known. */
const struct stall_reason *stall_reason_find(const char *name);
/* Our name and ncu's, "memory queue (lg_throttle)"; one of them where they are equal or the reason is not
 * known.
 */
#define STALL_REASON_TEXT_BYTES 64
void stall_reason_text(const char *name, char text[STALL_REASON_TEXT_BYTES]);
/* The n-th row of the table; NULL past the end. */
const struct stall_reason *stall_reason_at(unsigned index);

#endif
