/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lane maps of a workload's preview: for each variant the access that costs the most beyond its ideal,
 * the most expensive variant first; variants whose accesses have the same cost share a picture. The host
 * states the addresses without a run. Part of the list of workloads; the tui's thread.
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
    const struct tui_workload *workload; /* the workload that these belong to; NULL: none yet */
    const struct arch *rules;            /* the rules that they are counted by */
    int count;
    struct workload_picture items[WORKLOAD_PICTURES_MAX];
};

/* Makes the pictures again if the workload or the rules have changed. rules: NULL: the device's. */
void workload_pictures_make(const struct screen *screen, struct workload_pictures *pictures,
                            const struct tui_workload *workload, const struct arch *rules);
/* Draws as many pictures as fit, each with all its rows, the first perhaps only with some; not the picture of
 * a variant that is shown in `shown[0...shown_count - 1]`, nor one that looks the same. Returns the lines
 * taken. */
int workload_pictures_draw(const struct workload_pictures *pictures, const struct lane_case *shown,
                           int shown_count, struct canvas *canvas, struct rect area, bool color);

#endif
