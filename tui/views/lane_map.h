/*
 * The lane map: the addresses of one memory instruction of one warp, and where they lie: in the sectors of
 * the 128-byte lines of memory, or in the banks of shared memory. The addresses are the host's, which has the
 * device model run the case (MODELLED); what they cost under a compute capability is core/hardware/coalesce's
 * and core/hardware/bank's. Workload, variant and parameters are the lab's. Part of the screen; the tui's
 * thread.
 */
#ifndef TUI_VIEWS_LANE_MAP_H
#define TUI_VIEWS_LANE_MAP_H

#include "core/hardware/access.h"
#include "core/hardware/arch.h"

#include "tui/widgets/list.h"

#include <stdbool.h>
#include <stdint.h>

struct screen;

enum tui_space { TUI_SPACE_GLOBAL, TUI_SPACE_LOCAL, TUI_SPACE_SHARED };

struct tui_access_query {
    const char *spec;         /* the case: "copy-stride:copy,stride=8" */
    const struct arch *rules; /* to count by */
    uint64_t block;           /* by its number in the grid; the warp in it */
    uint32_t warp;
};

struct tui_access { /* one execution of one memory instruction */
    uint32_t site;  /* instructions are numbered from 0, in their order */
    uint32_t execution;
    enum tui_space space;
    bool atomic, compare_and_swap;
    bool by_rule; /* its cost is that of an access by the rules alone; else ptxas makes another instruction of
                     it */
    struct warp_access access;
    uint32_t counted, counted_ideal; /* by the model: sectors or wavefronts */
    uint32_t line;                   /* of the source; 0: not known */
    char kernel[64], place[48];      /* "transpose.cu:31" */
    char instruction[80], text[100]; /* as the PTX has it; the line of the source, "": not known */
};

struct tui_accesses {
    struct tui_access *items; /* by site, then execution; free() */
    uint32_t count, sites;
    uint64_t blocks; /* of the launch that has most */
    uint32_t warps;  /* of its blocks */
    bool cut;        /* there were more than are kept */
    char model[64];
};

/* ---- the picture ---- */

#define LANE_ROWS_MAX 160
struct lane_row {
    char label[24], cells[68];
    bool heading;
};
struct lane_picture {
    uint32_t cost, ideal; /* sectors or wavefronts, by the rules */
    char sentence[160];   /* what it costs, in words */
    struct lane_row rows[LANE_ROWS_MAX];
    int count;
    uint32_t sectors_drawn; /* moved ones, of memory */
};
/* Lane 0...31 as a letter: 0-9, a-v. */
char lane_letter(uint32_t lane);
void lane_picture_make(struct lane_picture *picture, const struct arch *arch,
                       const struct tui_access *access);

/* ---- the view ---- */

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
    int top; /* first row of the picture that is shown */
    struct lane_picture picture;
    char error[400]; /* why there is nothing to show; "": there is */
};

/* Open it over the lab of the workload that is looked at; a sentence where there is none. */
void lane_map_open(struct screen *screen);
void lane_map_fini(struct lane_map *map);
/* Ask the host again if what was asked is not what is set; and make the picture. */
void lane_map_make(struct screen *screen);
/* The chosen row's value, smaller or larger. */
void lane_map_step(struct screen *screen, int by);
/* The next instruction, or the one before. */
void lane_map_turn(struct lane_map *map, int by);
/* What is shown; NULL: nothing. */
const struct tui_access *lane_map_access(const struct lane_map *map);

#endif
