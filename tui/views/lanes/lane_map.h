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
#include "tui/views/lab.h"
#include "tui/views/lanes/lane_case.h"
#include "tui/views/workloads/workload_pictures.h"
#include "tui/widgets/list.h"

#include <stdbool.h>
#include <stdint.h>

enum lane_row_kind { /* rows of the form behind the lab's */
                     LANE_ROW_INSTRUCTION,
                     LANE_ROW_EXECUTION,
                     LANE_ROW_BLOCK,
                     LANE_ROW_WARP,
                     LANE_ROW_BESIDE,
                     LANE_ROW_RULES,
                     LANE_ROW_COUNT
};

#define LANE_SIDES 2
#define LANE_SIZE_MAX                                                                    \
    1024 /* with a larger one the model would take seconds: the map is of the small size \
          */

struct lane_map {
    const struct tui_workload *workload;
    struct lane_case side[LANE_SIDES]; /* the lab's case, and the same of the variant beside */
    int beside;                        /* that variant, from 1; 0: nothing stands beside */
    const struct arch *rules;
    uint64_t block;
    uint32_t warp;
    uint32_t site, execution;
    bool chosen;          /* the user chose the instruction */
    uint32_t wanted_line; /* of the source, whose instruction is to be shown; 0: none */
    struct list form;
    int top;                           /* first row of the pictures that is shown */
    int hidden;                        /* rows that have no room */
    struct workload_pictures variants; /* of the workload, for a screen that has room for them */
    uint32_t step;                     /* of the pictures, from 1, whose lanes are lit; 0: all */
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
/* To the next compute capability, older (by < 0) or newer, with other rules of counting. */
void lane_map_step_rules(struct screen *screen, int by);
/* The next step of the picture; after the last one all of it. */
void lane_map_walk(struct lane_map *map);
/* The next instruction, or the one before. */
void lane_map_turn(struct lane_map *map, int by);
/* A variant beside the lab's, or none any more; a message if there is no other. */
void lane_map_compare(struct screen *screen);
static inline int lane_map_sides(const struct lane_map *map)
{
    return map->beside > 0 ? 2 : 1;
}
/* Is the parameter a size that is too large for the map? */
bool lane_map_leaves_out(const struct lab *lab, size_t param);
/* Steps of the picture that has most. */
uint32_t lane_map_steps(const struct lane_map *map);
/* What is shown of the lab's case; NULL: nothing. */
static inline const struct tui_access *lane_map_access(const struct lane_map *map)
{
    return map->side[0].access;
}

#endif
