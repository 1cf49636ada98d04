/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first screen with the bundled workloads: each can be chosen at any size, and a large screen shows more
 * and not more emptiness.
 */
#include "cli/model/model_counts.h"
#include "cli/screen/workload_table.h"
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct workload_table table;

static enum status state_accesses(void *context, const struct tui_access_query *query,
                                  struct tui_accesses *accesses, struct error *error)
{
    (void)context;
    cr_assert(query->stated);
    return lane_sites_make(NULL, query, accesses, error);
}

static void begin(int width, int height)
{
    cr_assert_eq(workload_table_make(&table, NULL), STATUS_OK);
    start(FIXTURE_EMPTY, width, height);
    fixture.host.workloads = table.rows;
    fixture.host.workload_count = table.count;
    fixture.host.accesses = state_accesses;
    workloads_state(&screen)->searched = false; /* another table than it began with */
    workload_states_fini(&workloads_state(&screen)->states);
    screen_update(&screen, width, height);
}

static void end(void)
{
    stop();
    workload_table_free(&table);
}

/* The share of the cells that have a glyph or a ground of their own, in %. */
static double used_cells(void)
{
    int used = 0;
    screen_draw(&screen, &canvas);
    for (int y = 0; y < canvas.height; y++) {
        for (int x = 0; x < canvas.width; x++) {
            const struct cell *cell = canvas_cell(&canvas, x, y);
            used += cell->codepoint != ' ' || cell->style.background != COLOR_NONE;
        }
    }
    return 100.0 * used / (canvas.width * canvas.height);
}

/* Of all workloads in the mean, and of each. */
Test(first_screen, large_screens_show_more)
{
    static const struct {
        int width, height;
        double mean, least;
    } sizes[] = {{80, 24, 60, 58}, {120, 40, 57, 54}, {200, 60, 45, 38}, {300, 80, 36, 26}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double sum = 0, least = 100;
        begin(sizes[i].width, sizes[i].height);
        for (size_t row = 0; row < table.count; row++) {
            double used = used_cells();
            sum += used;
            least = used < least ? used : least;
            press("j");
        }
        fprintf(stderr, "%dx%d: %.1f %% of the cells, at least %.1f %%\n", sizes[i].width, sizes[i].height,
                sum / (double)table.count, least);
        cr_expect(sum / (double)table.count >= sizes[i].mean && least >= sizes[i].least);
        end();
    }
}

/* Any size: the chosen one is on the screen, and so, from 80x24 on, is what it teaches. */
Test(first_screen, has_the_chosen_workload_at_any_size)
{
    static const int widths[] = {20, 40, 79, 80, 99, 100, 139, 140, 199, 200, 260, 300},
                     heights[] = {5, 9, 12, 24, 40, 60, 80};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
            begin(widths[w], heights[h]);
            for (size_t row = 0; row < table.count; row += 7) {
                char name[20];
                snprintf(name, sizeof name, "%.12s", table.rows[row].name);
                cr_expect(shows(name), "%s at %dx%d", name, widths[w], heights[h]);
                if (widths[w] >= 80 && heights[h] >= 24)
                    cr_expect(shows("variants    ") && shows("parameters  "), "%s at %dx%d", name, widths[w],
                              heights[h]);
                press("j j j j j j j");
            }
            end();
        }
    }
}
