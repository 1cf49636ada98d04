/*
 * The addresses of one warp in one case of a workload, as the host's device model gives them, and the picture
 * of one of its instructions. The owner, a view's state that begins as zeros, frees it with lane_case_fini.
 * The tui's thread.
 */
#ifndef TUI_VIEWS_LANE_CASE_H
#define TUI_VIEWS_LANE_CASE_H

#include "tui/frame/host.h"
#include "tui/frame/screen.h"
#include "tui/views/lane_picture.h"

#include <stdbool.h>
#include <stdint.h>

struct lane_case {
    char spec[1000]; /* what was asked for; "": nothing was */
    const struct arch *rules;
    uint64_t block;
    uint32_t warp;
    struct tui_accesses got;
    char error[400];                 /* why there is nothing; "": there is */
    const struct tui_access *access; /* what the picture shows; NULL: nothing */
    struct lane_picture picture;
};

void lane_case_fini(struct lane_case *of);
/* Asks the host, unless it was asked for the same before; true: it was asked now, and nothing is shown yet.
 * The answer takes some milliseconds, since the model runs the case at small size. */
bool lane_case_ask(struct lane_case *of, const struct screen *screen, const struct tui_access_query *query);
/* Makes the picture of an instruction's execution, or of its last one before. */
void lane_case_show(struct lane_case *of, uint32_t site, uint32_t execution);

/* The instruction that costs most beyond its ideal, over all its executions: of the line, or if it is 0 of
 * all. Where none does, the first load from shared memory, for which a kernel that has one is looked at, or
 * else the first instruction. NONE: the line has no instruction. */
uint32_t lane_case_worst(const struct tui_accesses *got, uint32_t line);
/* The instruction that does there what `site` does in `of`: as many of its kind stand before it. NONE: there
 * is no instruction of the kind. */
uint32_t lane_case_alike(const struct tui_accesses *of, uint32_t site, const struct tui_accesses *there);

#endif
