/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roofline of the kernels in the list: the roofs of the selected kernel's device, and a row for every
 * kernel and provenance with known bytes and time. As in ncu's hierarchical roofline, a kernel has an
 * intensity for each level of memory whose bytes were counted. All numbers come from the catalogue, but for
 * L2's roof: the bytes that a kernel moved through L2, over its time and the share of the peak that this was.
 * Part of the screen; the tui's thread.
 */
#ifndef TUI_VIEWS_ROOFLINE_H
#define TUI_VIEWS_ROOFLINE_H

#include "core/analysis/kernel_index.h"
#include "core/hardware/roofline.h"

#include "tui/frame/screen.h"
#include "tui/widgets/sheet_table.h"

enum roofline_level { LEVEL_DRAM, LEVEL_L2, LEVEL_L1, LEVEL_COUNT };

struct roofline_row {
    uint32_t kernel;
    int place;                           /* in the order of the kernel list */
    char letter;                         /* of its name, the same in every view */
    uint8_t color;                       /* enum color, of its name */
    enum provenance provenance;          /* measured or modelled */
    struct value intensity[LEVEL_COUNT]; /* operations per byte of each level */
    struct value speed, roof, share, bandwidth;
    double possible; /* operations per second that the roof allows; 0: the kernel does not compute */
};

struct roofline_view {
    struct sheet_table table; /* its rows are `rows` */
    struct roofline_row *rows;
    size_t capacity;
    int count;
    int without, elsewhere;           /* kernels without bytes or operations; of devices with other roofs */
    int idle;                         /* rows without floating-point operations: they are not in the chart */
    const char *why;                  /* the first such reason, NULL: none */
    struct roofline_roofs roofs;      /* 0: not known */
    struct value levels[LEVEL_COUNT]; /* bytes per second; DRAM: that of roofs */
    uint32_t peak_of;                 /* the kernel that L2's roof follows from; NONE */
    uint32_t device_of;               /* the kernel whose device has these roofs; NONE */
    double x_least, x_most, y_least, y_most; /* of the chart; powers of ten */
    struct kernel_index *index;
    uint64_t made_of;
    int64_t made_ms;
    uint32_t followed; /* the kernel that was selected at the last look at the list */
    size_t selected;   /* the table's row at the last look at it; SIZE_MAX: it was made anew since */
};

static inline struct roofline_view *roofline_state(const struct screen *screen)
{
    return screen->view_state[VIEW_ROOFLINE];
}

/* Reads the values again if there are new ones; false: the rows are as before. */
bool roofline_make(struct screen *screen);
void roofline_forget(struct screen *screen); /* frees everything, since the session is gone */

/* Can the row be a point of the chart? It must compute, and its place must be known. */
bool roofline_row_is_point(const struct roofline_row *row);
/* "DRAM", "L2", "L1" */
const char *roofline_level_text(enum roofline_level level);

/* Draws the chart: roofs, the rows' letters, and for the selected row the bytes of each level. Returns the
 * number of rows for whose letters there is no room. */
int roofline_chart_draw(const struct roofline_view *view, struct canvas *canvas, struct rect area);

#endif
