/*
 * The lane map: the addresses of one memory instruction of one warp, and where they lie: in the sectors of
 * the 128-byte lines of memory, or in the banks of shared memory. The addresses are the host's, which has the
 * device model run the case (MODELLED); what they cost under a compute capability is core/hardware/coalesce's
 * and core/hardware/bank's. Workload, variant and parameters are the lab's. Part of the screen; the tui's
 * thread.
 */
#ifndef TUI_VIEWS_LANE_MAP_H
#define TUI_VIEWS_LANE_MAP_H

#include "tui/frame/host.h"
#include "tui/frame/screen.h"
#include "tui/views/lane_picture.h"
#include "tui/widgets/list.h"

#include <stdbool.h>
#include <stdint.h>

enum lane_row_kind { /* rows of the form behind the lab's */
                     LANE_ROW_INSTRUCTION,
                     LANE_ROW_EXECUTION,
                     LANE_ROW_BLOCK,
                     LANE_ROW_WARP,
                     LANE_ROW_RULES,
                     LANE_ROW_COUNT
};

struct lane_map {
    struct tui_accesses got;
    char asked[1000]; /* the spec that `got` is of; "": nothing was asked */
    const struct arch *asked_rules, *rules;
    uint64_t asked_block, block;
    uint32_t asked_warp, warp;
    uint32_t site, execution;
    bool chosen;          /* the user chose the instruction */
    uint32_t wanted_line; /* of the source, whose instruction is to be shown; 0: none */
    struct list form;
    int top;       /* first row of the picture that is shown */
    uint32_t step; /* of the picture, from 1, whose lanes are lit; 0: all */
    struct lane_picture picture;
    char error[400]; /* why there is nothing to show; "": there is */
};

static inline struct lane_map *lane_map_state(const struct screen *screen)
{
    return screen->view_state[VIEW_LANE_MAP];
}

/* Opens it over the lab of the current workload, or shows a message if there is none. */
void lane_map_open(struct screen *screen);
void lane_map_fini(struct screen *screen);
/* Requests the addresses from the host if the settings have changed, and makes the picture. */
void lane_map_make(struct screen *screen);
/* The chosen row's value, smaller or larger. */
void lane_map_step(struct screen *screen, int by);
/* The next step of the picture; after the last one all of it. */
void lane_map_walk(struct lane_map *map);
/* The next instruction, or the one before. */
void lane_map_turn(struct lane_map *map, int by);
/* The instruction that costs most beyond its ideal, over all its executions: of the line, or if it is 0 of
 * all. Where none does, the first load from shared memory, for which a kernel that has one is looked at, or
 * else the first instruction. NONE: the line has no instruction. */
uint32_t lane_map_worst(const struct tui_accesses *got, uint32_t line);
/* What is shown; NULL: nothing. */
const struct tui_access *lane_map_access(const struct lane_map *map);

#endif
