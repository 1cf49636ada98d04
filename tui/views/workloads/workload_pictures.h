/*
 * The lane maps of a workload's preview: of each variant the access that costs most beyond its ideal, the
 * costliest variant first; variants whose accesses cost the same have one picture. The addresses are those
 * that the host states without a run. Part of the list of workloads; the tui's thread.
 */
#ifndef TUI_VIEWS_WORKLOAD_PICTURES_H
#define TUI_VIEWS_WORKLOAD_PICTURES_H

#include "tui/frame/screen.h"
#include "tui/views/lanes/lane_picture.h"

#define WORKLOAD_PICTURES_MAX 4

struct lane_case;

struct workload_picture {
    char head[300]; /* "tile: tile[x][y], shared load" */
    uint32_t excess;
    struct lane_picture picture;
};

struct workload_pictures {
    const struct tui_workload *workload; /* that these are of; NULL: none yet */
    const struct arch *rules;            /* that they are counted by */
    int count;
    struct workload_picture items[WORKLOAD_PICTURES_MAX];
};

/* Makes them anew if the workload or the device is another one. */
void workload_pictures_make(const struct screen *screen, struct workload_pictures *pictures,
                            const struct tui_workload *workload);
/* Draws as many as have room, all rows of each or, of the first, some; not those of the variant that is
 * `shown` (NULL: none is), nor one that looks the same. Returns the lines taken. */
int workload_pictures_draw(const struct workload_pictures *pictures, const struct lane_case *shown,
                           struct canvas *canvas, struct rect area, bool color);

#endif
