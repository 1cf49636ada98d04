/*
 * The occupancy calculator: a launch as the user sets it, its theoretical occupancy, and the three curves of
 * the spreadsheet that came with the old toolkits: over the block size, the registers and the shared memory,
 * each with the other values as they are set. All numbers are core/hardware/occupancy's. Part of the screen;
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
                                            is; that of CAPABILITY is not used */
};

struct occupancy_view {
    struct occupancy_setting set, own; /* own: of the kernel; its arch is NULL where none is looked at */
    uint32_t kernel;                   /* own's */
    char name[100];                    /* own's */
    struct occupancy now;              /* of `set` */
    struct list form;
    struct chart curves[CURVE_COUNT];
    struct chart_point points[CURVE_COUNT][OCCUPANCY_POINTS_MAX]; /* first those that the axis names */
};

static inline struct occupancy_view *occupancy_state(const struct screen *screen)
{
    return screen->view_state[VIEW_OCCUPANCY];
}

/* Open it with the values of the kernel looked at, or with sensible ones. */
void occupancy_open(struct screen *screen);
/* Take those values again; at first use, and when they are asked for. */
void occupancy_reset(struct screen *screen);
/* The value of the chosen row, smaller or larger; far: by more. */
void occupancy_step(struct occupancy_view *view, int by, bool far);

struct occupancy occupancy_of_setting(const struct occupancy_setting *setting);
/* Where the setting lies on a curve's axis. */
double occupancy_place(const struct occupancy_setting *setting, enum occupancy_curve curve);
/* What is set and its curves, for drawing. */
void occupancy_make(struct occupancy_view *view);

#endif
