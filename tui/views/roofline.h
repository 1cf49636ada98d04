/*
 * The roofline of the kernels in the list: the roofs of the selected kernel's device, and a row for every
 * kernel and provenance with known bytes and time. Kernels have the numbers of their rows in the list. All
 * numbers come from the catalogue. Part of the screen; the tui's thread.
 */
#ifndef TUI_VIEWS_ROOFLINE_H
#define TUI_VIEWS_ROOFLINE_H

#include "core/analysis/kernel_index.h"
#include "core/hardware/roofline.h"

#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

struct roofline_row {
    uint32_t kernel;
    int number;                 /* from 1 */
    enum provenance provenance; /* measured or modelled */
    struct value intensity, speed, roof, share, bandwidth;
    double possible; /* operations per second that the roof allows; 0: the kernel does not compute */
};

struct roofline_view {
    struct list list;
    struct roofline_row *rows;
    size_t capacity;
    int count;
    int without, elsewhere;      /* kernels without bytes or operations; of devices with other roofs */
    const char *why;             /* the first such reason, NULL: none */
    struct roofline_roofs roofs; /* 0: not known */
    uint32_t device_of;          /* the kernel whose device has these roofs; NONE */
    double x_least, x_most, y_least, y_most; /* of the chart; powers of ten */
    struct kernel_index *index;
    uint64_t made_of;
    int64_t made_ms;
    uint32_t followed; /* the kernel that was selected at the last look at the list */
};

static inline struct roofline_view *roofline_state(const struct screen *screen)
{
    return screen->view_state[VIEW_ROOFLINE];
}

/* Reads the values again if there are new ones. */
void roofline_make(struct screen *screen);
void roofline_forget(struct screen *screen); /* frees everything, since the session is gone */

/* Can the row be a point of the chart? It must compute, and its place must be known. */
bool roofline_row_is_point(const struct roofline_row *row);

#endif
