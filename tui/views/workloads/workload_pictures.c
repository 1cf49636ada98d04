/* SPDX-License-Identifier: Apache-2.0 */
/*
 * items[0...count - 1] are ordered by their cost beyond the ideal, those of equal cost by their place in the
 * table of variants. Pictures are drawn with the smallest cells, so that several fit below each other, or all
 * of them higher if there is much room.
 */
#include "tui/views/workloads/workload_pictures.h"

#include "tui/views/lanes/lane_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICTURE_WIDTH_LEAST 40 /* cells */
#define HEAD_LINES 2           /* the access, and its cost */
#define ROWS_LEAST 4           /* rows of a picture that does not fit whole */
#define LARGE_FROM 24          /* with as many lines pictures may be higher than necessary */
#define SCALE_MAX 3

static bool looks_same(const struct lane_picture *a, const struct lane_picture *b)
{
    return a->shared == b->shared && a->cost == b->cost && a->ideal == b->ideal && a->count == b->count;
}

/* Inserts the picture in the order of the items; of pictures that look the same only the first is kept. */
static void add_picture(struct workload_pictures *pictures, const struct workload_picture *one)
{
    int at = pictures->count;
    for (int i = 0; i < pictures->count; i++)
        if (looks_same(&pictures->items[i].picture, &one->picture))
            return;
    while (at > 0 && pictures->items[at - 1].excess < one->excess)
        at--;
    if (at == WORKLOAD_PICTURES_MAX)
        return;
    if (pictures->count < WORKLOAD_PICTURES_MAX)
        pictures->count++;
    memmove(&pictures->items[at + 1], &pictures->items[at],
            (size_t)(pictures->count - 1 - at) * sizeof pictures->items[0]);
    pictures->items[at] = *one;
}

static void take_variant(const struct screen *screen, struct workload_pictures *pictures, const char *variant)
{
    static const char *const spaces[] = {
        [TUI_SPACE_GLOBAL] = "global", [TUI_SPACE_LOCAL] = "local", [TUI_SPACE_SHARED] = "shared"};
    char spec[200];
    struct tui_accesses accesses;
    struct error error = {0};
    snprintf(spec, sizeof spec, "%.90s:%.90s", pictures->workload->name, variant);
    const struct tui_access_query query = {.spec = spec, .rules = pictures->rules, .stated = true};
    if (screen->host->accesses(screen->host->context, &query, &accesses, &error) != STATUS_OK)
        return;
    if (accesses.count > 0) {
        struct workload_picture one;
        const struct tui_access *access = &accesses.items[lane_case_worst(&accesses, 0)];
        one.excess = access->counted - access->counted_ideal;
        lane_picture_make(&one.picture, pictures->rules, access);
        snprintf(one.head, sizeof one.head, "%.90s: %.90s, %s %s", variant, access->text,
                 spaces[access->space],
                 access->atomic         ? "update"
                 : access->access.store ? "store"
                                        : "load");
        add_picture(pictures, &one);
    }
    free(accesses.items);
}

void workload_pictures_make(const struct screen *screen, struct workload_pictures *pictures,
                            const struct tui_workload *workload, const struct arch *rules)
{
    if (!rules)
        rules = screen_arch(screen);
    if (pictures->workload == workload && pictures->rules == rules)
        return;
    pictures->workload = workload;
    pictures->rules = rules;
    pictures->count = 0;
    if (!workload || !screen->host->accesses)
        return;
    for (size_t i = 0; i < workload->variant_count; i++)
        take_variant(screen, pictures, workload->variants[i].name);
}

/* "tile: ..." belongs to "transpose:tile,n=64". */
static bool is_of(const struct workload_picture *one, const char *spec)
{
    const char *variant = strchr(spec, ':');
    size_t length = variant ? strcspn(++variant, ",") : 0;
    return length > 0 && strncmp(one->head, variant, length) == 0 && one->head[length] == ':';
}

/* The factor by which the pictures can be higher than necessary if there is much room. */
static int scale_of(const struct workload_pictures *pictures, struct rect area)
{
    int needed = 1;
    for (int i = 0; i < pictures->count; i++)
        needed += HEAD_LINES + 1 + lane_picture_lines(&pictures->items[i].picture, area.width, area.height);
    int scale = area.height < LARGE_FROM ? 1 : area.height / needed;
    return scale < 1 ? 1 : scale > SCALE_MAX ? SCALE_MAX : scale;
}

static bool is_shown(const struct workload_picture *one, const struct lane_case *shown, int shown_count)
{
    for (int i = 0; i < shown_count; i++)
        if (looks_same(&one->picture, &shown[i].picture) || is_of(one, shown[i].answer.spec))
            return true;
    return false;
}

int workload_pictures_draw(const struct workload_pictures *pictures, const struct lane_case *shown,
                           int shown_count, struct canvas *canvas, struct rect area, bool color)
{
    const struct lane_picture_options options = {.color = color};
    int taken = 0, scale = scale_of(pictures, area);
    for (int i = 0; i < pictures->count && area.width >= PICTURE_WIDTH_LEAST; i++) {
        const struct workload_picture *one = &pictures->items[i];
        if (is_shown(one, shown, shown_count))
            continue;
        int room = area.height - taken - HEAD_LINES - 1;
        int lines = lane_picture_lines(&one->picture, area.width, room);
        if (room < (taken == 0 && lines > ROWS_LEAST ? ROWS_LEAST : lines))
            continue;
        bool cut = lines > room;
        struct rect at = {area.x, area.y + taken, area.width, cut ? room - 1 : lines * scale};
        canvas_text(canvas, at.x, at.y++, at.width, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD),
                    one->head);
        canvas_text(canvas, at.x, at.y++, at.width,
                    STYLE(one->excess > 0 ? COLOR_WARN : COLOR_GOOD, COLOR_NONE, 0), one->picture.sentence);
        lane_picture_draw(canvas, at, &one->picture, &options);
        int hidden = one->picture.count - lane_picture_rows(&one->picture, at, options.halves);
        if (cut)
            canvas_printf(canvas, at.x, at.y + at.height, at.width, STYLE(COLOR_DIM, COLOR_NONE, 0),
                          shown_count > 0 ? ".. %d more rows" : ".. %d more rows: A opens the lane map",
                          hidden);
        taken += HEAD_LINES + at.height + cut + 1;
    }
    bool told =
        shown_count > 0 && pictures->count > 0 && pictures->items[0].picture.shared == shown->picture.shared;
    if (taken > 0 && taken < area.height && !told) { /* the legend of the cells */
        lane_picture_legend(canvas, (struct rect){area.x, area.y + taken - 1, area.width, 1}, area,
                            &pictures->items[0].picture, &options);
        taken++;
    }
    return taken;
}
