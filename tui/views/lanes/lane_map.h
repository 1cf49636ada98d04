/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lane map: the addresses of one memory instruction of one warp, and where they are: in the sectors of
 * the 128-byte lines of memory, or in the banks of shared memory. The addresses come from the host, which
 * runs the case on the device model (MODELLED); what they cost under a compute capability comes from
 * core/hardware/coalesce and core/hardware/bank. Workload, variant and parameters are the lab's. Of a program
 * that ran on the device model, the addresses were recorded (lane_recorded_make). Part of the screen; the tui's
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

enum lane_row_kind { /* rows of the form after the lab's rows */
                     LANE_ROW_INSTRUCTION,
                     LANE_ROW_EXECUTION,
                     LANE_ROW_BLOCK,
                     LANE_ROW_WARP,
                     LANE_ROW_BESIDE,
                     LANE_ROW_RULES,
                     LANE_ROW_COUNT
};

#define LANE_SIDES 2
/* The map shows a small size: the model would take seconds for a larger one. */
#define LANE_SIZE_MAX 1024

struct lane_map {
    const struct tui_workload *workload;
    bool recorded; /* a program's kernel: what was recorded of it, without lab, blocks and warps to choose */
    uint32_t kernel;                   /* its row */
    struct lane_case side[LANE_SIDES]; /* the lab's case, and the same case of the variant beside it */
    struct lane_case panes; /* of the selected kernel, beside the panes; and the variants of its workload */
    struct workload_pictures panes_variants;
    int beside; /* that variant, from 1; 0: none */
    const struct arch *rules;
    const struct arch
        *chosen_for; /* the user has chosen `rules`, for runs of devices with these; NULL: has not */
    uint64_t block;
    uint32_t warp;
    uint32_t site, execution;
    bool chosen;          /* the user chose the instruction */
    uint32_t wanted_line; /* source line whose instruction is to be shown; 0: none */
    struct list form;
    int top;                           /* first row of the pictures that is shown */
    int hidden;                        /* rows that do not fit */
    struct workload_pictures variants; /* of the workload, if the screen has room for them */
    uint32_t step;                     /* step of the pictures, from 1, whose lanes are highlighted; 0: all */
};

static inline struct lane_map *lane_map_state(const struct screen *screen)
{
    return screen->view_state[VIEW_LANE_MAP];
}

/* The kind of a row of the form: the case's own rows come before these, if it is a workload's. */
enum lane_row_kind lane_map_row_kind(const struct screen *screen, int row);
/* Number of the rows of the case, and of all rows. */
int lane_map_case_rows(const struct screen *screen);
int lane_map_rows(const struct screen *screen);

/* The rules that the run was counted by, if they are not its device's; else NULL. */
const struct arch *lane_map_rules_of_run(const struct screen *screen, uint32_t run);
/* Opens it over the lab of the current workload, or for the current kernel of a program; shows a message if
 * there is nothing to show. */
void lane_map_open(struct screen *screen);
void lane_map_fini(struct screen *screen);
/* Requests the addresses from the host if the settings have changed, and makes the picture. */
void lane_map_make(struct screen *screen);
/* Changes the value of the selected row by one step, down or up. */
void lane_map_step(struct screen *screen, int by);
/* Changes to the next older (by < 0) or newer compute capability, which may have other rules of counting. */
void lane_map_step_rules(struct screen *screen, int by);
/* Shows the next step of the picture; after the last one, all of it. */
void lane_map_walk(struct lane_map *map);
/* Chooses the next instruction, or the one before. */
void lane_map_turn(struct lane_map *map, int by);
/* Shows a variant beside the lab's, or hides it; shows a message if there is no other variant. */
void lane_map_compare(struct screen *screen);
static inline int lane_map_sides(const struct lane_map *map)
{
    return map->beside > 0 ? 2 : 1;
}
/* Is the parameter a size that is too large for the map? */
bool lane_map_leaves_out(const struct lab *lab, size_t param);
/* The number of steps of the picture that has the most. */
uint32_t lane_map_steps(const struct lane_map *map);
/* The access of the lab's case that is shown; NULL: none. */
static inline const struct tui_access *lane_map_access(const struct lane_map *map)
{
    return map->side[0].access;
}

#endif
