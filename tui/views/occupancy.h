/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The occupancy calculator: a launch as the user sets it, its theoretical occupancy, and the three curves of
 * the spreadsheet that came with old toolkits: over the block size, the registers and the shared memory, each
 * with the other values as they are set. All numbers come from core/hardware/occupancy. Part of the screen;
 * the tui's thread.
 */
#ifndef TUI_VIEWS_OCCUPANCY_H
#define TUI_VIEWS_OCCUPANCY_H

#include "core/hardware/occupancy.h"

#include "tui/frame/screen.h"
#include "tui/views/chart/chart.h"
#include "tui/widgets/list.h"

#include <stdbool.h>
#include <stdint.h>

#define OCCUPANCY_ROW_LIST(X)            \
    X(CAPABILITY, "compute capability")  \
    X(BLOCK, "threads per block")        \
    X(REGISTERS, "registers per thread") \
    X(STATIC_SHARED, "shared, static")   \
    X(DYNAMIC_SHARED, "shared, dynamic") \
    X(CARVEOUT, "carve-out")
#define OCCUPANCY_ROW_ENUM(name, title) OCCUPANCY_ROW_##name,
enum occupancy_row { OCCUPANCY_ROW_LIST(OCCUPANCY_ROW_ENUM) OCCUPANCY_ROW_COUNT };
#undef OCCUPANCY_ROW_ENUM

enum occupancy_curve { CURVE_BLOCK, CURVE_REGISTERS, CURVE_SHARED, CURVE_COUNT };
#define OCCUPANCY_POINTS_MAX 300

struct occupancy_setting {
    const struct arch *arch;             /* NULL: nothing is set yet */
    uint32_t value[OCCUPANCY_ROW_COUNT]; /* threads, registers, bytes; carve-out in bytes, 0: as much as there
                                            is; the entry of CAPABILITY is not used */
};

struct occupancy_view {
    struct occupancy_setting set, own; /* own: of the kernel; its arch is NULL if no kernel was selected */
    uint32_t kernel;                   /* the kernel of `own` */
    char name[100];                    /* its name */
    char letter;                       /* and its letter and colour, those of every view */
    uint8_t color;
    struct occupancy now; /* of `set` */
    struct list form;
    struct chart curves[CURVE_COUNT];
    struct chart_point points[CURVE_COUNT][OCCUPANCY_POINTS_MAX]; /* first the points of the axis' labels */
};

static inline struct occupancy_view *occupancy_state(const struct screen *screen)
{
    return screen->view_state[VIEW_OCCUPANCY];
}

/* Opens the calculator with the values of the selected kernel, or with sensible defaults. */
void occupancy_open(struct screen *screen);
/* Takes those values again: at first use, and when the user asks for them. */
void occupancy_reset(struct screen *screen);
/* Changes the value of the selected row by one step, down or up; far: by a larger one. */
void occupancy_step(struct occupancy_view *view, int by, bool far);

struct occupancy occupancy_of_setting(const struct occupancy_setting *setting);
/* The place of the setting on a curve's axis. */
double occupancy_place(const struct occupancy_setting *setting, enum occupancy_curve curve);
/* Computes the occupancy of the setting and its curves, for drawing. */
void occupancy_make(struct occupancy_view *view);

#endif
