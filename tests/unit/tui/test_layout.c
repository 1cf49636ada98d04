/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widgets/layout.h"

#include <criterion/criterion.h>

static bool overlap(struct rect a, struct rect b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

#define PARTS (PANE_COUNT + 5)

/* Every size from the smallest to a wall of a screen, every focus, few and many timeline rows. */
Test(layout, nothing_overlaps_and_all_lies_inside)
{
    static const int rows[] = {0, 1, 7, 80};
    for (int width = LAYOUT_WIDTH_MIN; width <= 300; width++) {
        for (int height = LAYOUT_HEIGHT_MIN; height <= 100; height++) {
            for (int focus = 0; focus < PANE_COUNT; focus++) {
                struct layout l = layout_compute(width, height, (enum pane)focus, rows[(width + height) % 4],
                                                 rows[width % 4], rows[height % 4]);
                struct rect all[PARTS] = {l.header, l.status, l.keys, l.room[0], l.room[1]};
                int shown = 0;
                cr_assert(!l.too_small);
                for (int p = 0; p < PANE_COUNT; p++)
                    all[PARTS - PANE_COUNT + p] = l.pane[p];
                for (int i = 0; i < PARTS; i++) {
                    struct rect r = all[i];
                    cr_assert((r.width > 0) == (r.height > 0), "%dx%d part %d is %dx%d", width, height, i,
                              r.width, r.height);
                    if (!rect_shown(r))
                        continue;
                    shown++;
                    cr_assert(r.x >= 0 && r.y >= 0 && r.x + r.width <= width && r.y + r.height <= height,
                              "%dx%d part %d lies outside", width, height, i);
                    for (int k = 0; k < i; k++)
                        cr_assert(!rect_shown(all[k]) || !overlap(r, all[k]), "%dx%d parts %d and %d overlap",
                                  width, height, i, k);
                }
                cr_assert(rect_shown(l.pane[focus]), "%dx%d does not show its focus %d", width, height,
                          focus);
                cr_assert(rect_shown(l.status) && rect_shown(l.body));
                cr_assert_geq(shown, 2);
            }
        }
    }
}

/* Together the parts leave no hole. */
Test(layout, fills_the_screen)
{
    for (int width = LAYOUT_WIDTH_MIN; width <= 300; width += 7) {
        for (int height = LAYOUT_HEIGHT_MIN; height <= 100; height += 3) {
            struct layout l = layout_compute(width, height, PANE_KERNELS, 5, 40, 0);
            int cells = l.header.width * l.header.height + l.status.width + l.keys.width +
                        l.room[0].width * l.room[0].height;
            for (int p = 0; p < PANE_COUNT; p++)
                cells += l.pane[p].width * l.pane[p].height;
            cr_assert_eq(cells, width * height, "%dx%d: %d cells are used", width, height, cells);
        }
    }
}

/* What list and panel do not need is room of its own on a wide screen, and nowhere else. */
Test(layout, a_wide_screen_has_room_beside)
{
    for (int width = 100; width <= 300; width += 20) {
        struct layout l = layout_compute(width, 60, PANE_KERNELS, 12, 6, 12);
        struct layout all = layout_compute(width, 60, PANE_KERNELS, 12, 6, 0);
        cr_assert_eq(rect_shown(l.room[0]), width >= 120);
        cr_assert_eq(rect_shown(l.room[1]), width >= 120);
        cr_assert(!rect_shown(all.room[1]));
        if (!rect_shown(l.room[0]))
            continue;
        cr_assert_eq(l.pane[PANE_KERNELS].height, 8);
        cr_assert_eq(l.pane[PANE_PANEL].height, 14);
        cr_assert_eq(l.pane[PANE_KERNELS].height + l.room[0].height, all.pane[PANE_PANEL].height);
        cr_assert_eq(l.pane[PANE_PANEL].height + l.room[1].height, all.pane[PANE_PANEL].height);
    }
}

/* The lists have half of the lines, but on a tall screen only those that they can use. */
Test(layout, a_tall_screen_gives_the_timeline_what_short_lists_leave)
{
    for (int height = 20; height <= 100; height++) {
        struct layout few = layout_compute(300, height, PANE_KERNELS, 200, 3, 0);
        struct layout many = layout_compute(300, height, PANE_KERNELS, 200, 200, 0);
        int half = few.body.height / 2;
        cr_assert_eq(many.pane[PANE_TIMELINE].height, half);
        cr_assert_eq(few.pane[PANE_TIMELINE].height, half < 26 ? half : few.body.height - 26);
    }
}

Test(layout, says_when_it_is_too_small)
{
    for (int width = 0; width < 40; width++)
        for (int height = 0; height < 12; height++)
            cr_assert_eq(layout_compute(width, height, PANE_TIMELINE, 3, 9, 0).too_small,
                         width < LAYOUT_WIDTH_MIN || height < LAYOUT_HEIGHT_MIN);
}

Test(layout, shows_all_panes_on_a_usual_terminal)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    for (int i = 0; i < 3; i++) {
        struct layout l = layout_compute(sizes[i][0], sizes[i][1], PANE_KERNELS, 4, 12, 0);
        for (int p = 0; p < PANE_COUNT; p++)
            cr_assert(rect_shown(l.pane[p]));
    }
}

Test(layout, a_border_needs_three_cells)
{
    for (int width = 0; width < 5; width++)
        for (int height = 0; height < 5; height++)
            cr_assert_eq(rect_shown(rect_inside((struct rect){0, 0, width, height})),
                         width >= 3 && height >= 3);
}
