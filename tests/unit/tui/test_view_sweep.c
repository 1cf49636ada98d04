/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep's rows, in the list of kernels and in that of runs, at every width: each shows the swept value. */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_extremes.h"
#include "tui/views/kernels/kernel_rows.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_BYTES 400

static void read_row(int y, struct rect inside, char row[ROW_BYTES])
{
    int at = 0;
    for (int x = inside.x; x < inside.x + inside.width && at + 1 < ROW_BYTES; x++) {
        uint32_t c = canvas_cell(&canvas, x, y)->codepoint;
        row[at++] = c >= 0x20 && c < 0x7f ? (char)c : '?';
    }
    row[at] = '\0';
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == ',' || c == '_';
}

/* The parameter with its value, or the value alone at the row's end; no dots behind it. */
static bool shows_value(const char *row, const char *name, const char *value)
{
    char wanted[60];
    snprintf(wanted, sizeof wanted, "%s=%s", name, value);
    const char *at = strstr(row, wanted);
    if (at != NULL && (!is_word(at[strlen(wanted)]) || at[strlen(wanted)] == ','))
        return true;
    size_t end = strlen(row), length = strlen(value);
    while (end > 0 && row[end - 1] == ' ')
        end--;
    return end > length && row[end - length - 1] == ' ' && memcmp(row + end - length, value, length) == 0;
}

/* What the row of this run must show: of the sweep its stride, of the others their variant. */
static bool tells(const char *row, uint32_t run)
{
    const struct run_row *of = session_run(fixture.session, run);
    const char *stride = strstr(session_string(fixture.session, of->params), "stride=");
    if (stride != NULL)
        return shows_value(row, "stride", stride + strlen("stride="));
    char start[5];
    snprintf(start, sizeof start, "%.4s", session_string(fixture.session, of->variant));
    return strstr(row, start) != NULL;
}

static int check_list(const struct list *list, struct rect inside, int first, bool runs)
{
    int looked = 0;
    for (int line = 0; line < list->height && list->top + line < list->count; line++) {
        int index = list->top + line;
        char row[ROW_BYTES];
        const struct kernel_item *run_item = runs_item(runs_state(&screen), index);
        if (runs && run_item == NULL) /* all runs */
            continue;
        read_row(inside.y + first + line, inside, row);
        const struct kernel_item *item = runs ? run_item : &kernels_state(&screen)->items[index];
        if (item->sweep_count > 0) {
            cr_expect(shows_value(row, "stride", "1..32"), "%dx%d: '%s' does not say what was swept",
                      canvas.width, canvas.height, row);
            looked++;
            continue;
        }
        cr_expect(tells(row, item->run), "%dx%d: '%s' is not of '%s'", canvas.width, canvas.height, row,
                  session_string(fixture.session, session_run(fixture.session, item->run)->params));
        looked++;
    }
    return looked;
}

/* All sweeps of the list. */
static void unfold(void)
{
    for (int i = 0; i < kernels_state(&screen)->list.count; i++) {
        if (kernels_state(&screen)->items[i].sweep_count == 0)
            continue;
        list_select(&kernels_state(&screen)->list, i);
        screen.kernel = kernels_state(&screen)->items[i].kernel;
        press("z");
        i = -1;
    }
}

/* Runs begin in one column; a name that is longer is whole, and no run follows it. Returns the rows. */
static int check_columns(struct rect inside, int first)
{
    const struct kernel_list *kernels = kernels_state(&screen);
    struct kernel_places places = kernel_rows_places(kernels, inside);
    int line = 0;
    for (; places.width[C_RUN] > 0 && line < kernels->list.height; line++) {
        char row[ROW_BYTES], name[ROW_BYTES];
        int index = kernels->list.top + line, y = inside.y + first + line;
        if (index >= kernels->list.count)
            break;
        if (canvas_cell(&canvas, places.x[C_RUN], y)->codepoint == ' ')
            continue;
        read_row(y, inside, row);
        short_names_print_kernel(screen.naming.names, screen.session, kernels->items[index].kernel,
                                 SHORT_NAME_WHOLE, name, sizeof name);
        const char *at = strstr(row, name);
        cr_expect(at != NULL && at[strlen(name) + strspn(at + strlen(name), " ")] == '\0',
                  "%dx%d: '%s' is not '%s' alone", canvas.width, canvas.height, row, name);
    }
    return line;
}

static int check_views(int width, int height, const char *keys)
{
    int looked = 0;
    start(FIXTURE_EXTREMES, width, height);
    press(keys);
    struct rect kernels = screen.layout.pane[PANE_KERNELS];
    for (int folded = 1; folded >= 0 && rect_shown(kernels); folded--) {
        if (!folded)
            unfold();
        screen_draw(&screen, &canvas);
        looked += check_list(&kernels_state(&screen)->list, view_inside(kernels),
                             1 + kernels_state(&screen)->run_lines, false);
        check_columns(view_inside(kernels), 1 + kernels_state(&screen)->run_lines);
    }
    press("r G");
    screen_draw(&screen, &canvas);
    looked += check_list(&runs_state(&screen)->table.list, view_inside(screen.layout.body), 1, true);
    stop();
    return looked;
}

Test(view_sweep, each_row_shows_what_is_swept)
{
    int looked = 0;
    for (int width = 60; width <= 300; width += 7)
        looked += check_views(width, 40, "") + check_views(width, 24, "s s s s s s G");
    looked += check_views(80, 24, "") + check_views(120, 40, "") + check_views(200, 60, "");
    cr_assert_gt(looked, 1000);
}

Test(view_sweep, runs_begin_in_one_column)
{
    int looked = 0;
    for (enum fixture_content content = 0; content < FIXTURE_CONTENTS; content++)
        for (int width = 80; width <= 240; width += 8) {
            start(content, width, 40);
            struct rect kernels = screen.layout.pane[PANE_KERNELS];
            screen_draw(&screen, &canvas);
            if (rect_shown(kernels) && kernels_state(&screen)->list.count > 0)
                looked += check_columns(view_inside(kernels), 1 + kernels_state(&screen)->run_lines);
            stop();
        }
    cr_assert_gt(looked, 200);
}

/* What all rows have in common stands once, in the title. */
Test(view_sweep, what_is_the_same_is_said_once)
{
    start(FIXTURE_EXTREMES, 160, 40);
    press("/");
    type("copy_stride");
    press("ENTER");
    cr_assert(shows("all with n=268435456"));
    struct rect inside = view_inside(screen.layout.pane[PANE_KERNELS]);
    for (int y = inside.y; y < inside.y + inside.height; y++) {
        char row[ROW_BYTES];
        read_row(y, inside, row);
        cr_assert(strstr(row, "n=268435456") == NULL, "'%s'", row);
    }
    cr_assert(shows("strided stride=32"));
    stop();
}

static const struct kernel_item *find_sweep(int *index)
{
    const struct kernel_list *kernels = kernels_state(&screen);
    for (*index = 0; *index < kernels->list.count; ++*index)
        if (kernels->items[*index].sweep_count > 0)
            return &kernels->items[*index];
    cr_assert_fail("no sweep is folded");
    return NULL;
}

Test(view_sweep, is_one_row_until_it_is_unfolded)
{
    start(FIXTURE_EXTREMES, 120, 40);
    const struct kernel_list *kernels = kernels_state(&screen);
    int index, all = kernels->kernel_count, rows = kernels->list.count;
    const struct kernel_item *sweep = find_sweep(&index);
    uint64_t total_ns = sweep->total_ns, launches = sweep->launches;
    int points = sweep->sweep_count;
    cr_assert(points >= 6 && rows <= all - points + 1);
    int64_t medians[40];
    cr_assert_leq(points, 40);
    memcpy(medians, &kernels->sweeps.medians[sweep->sweep_first], (size_t)points * sizeof *medians);
    press("g");
    while (kernels->list.selected < index)
        press("j");
    cr_assert(shows("z unfolds"));
    uint32_t kernel = screen.kernel;
    press("z");
    cr_assert_eq(kernels->list.count, rows + points - 1);
    cr_assert_eq(screen.kernel, kernel, "what is looked at stays");
    uint64_t sum_ns = 0, sum = 0;
    for (int i = 0; i < kernels->list.count; i++) {
        const struct kernel_item *item = &kernels->items[i];
        if (strcmp(item->name, kernels->items[kernels->list.selected].name) != 0 ||
            session_run(fixture.session, item->run)->clock !=
                session_run(fixture.session, kernels->items[kernels->list.selected].run)->clock)
            continue;
        double stride;
        const struct run_row *run = session_run(fixture.session, item->run);
        cr_assert(run_param_number(session_string(fixture.session, run->params), "stride", &stride));
        cr_assert_eq(item->typical_ns, medians[(int)stride - 1], "the bars are in the parameter's order");
        sum_ns += item->total_ns;
        sum += item->launches;
    }
    cr_assert_eq(sum_ns, total_ns);
    cr_assert_eq(sum, launches);
    press("z");
    cr_assert_eq(kernels->list.count, rows);
    stop();
}

/* The rows that are left of eight runs: of kernels named by their parameter, or of two kernels beside each other. */
static int count_folded(const char *first, const char *second, bool *differ)
{
    enum { RUNS = 8 };
    struct session *session;
    struct kernel_sweeps sweeps = {0};
    struct kernel_item items[2 * RUNS];
    char names[2 * RUNS][40], params[20];
    int count = 0;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    for (int i = 0; i < RUNS; i++) {
        snprintf(params, sizeof params, "distance=%d", i + 9);
        struct run_row run = {.process = NONE,
                              .device = NONE,
                              .workload = session_add_string(session, "w", 1),
                              .variant = session_add_string(session, "v", 1),
                              .params = session_add_string(session, params, strlen(params))};
        uint32_t added = session_add_run(session, &run);
        for (int k = 0; k < 2; k++) {
            const char *name = k == 0 ? first : second;
            if (!name)
                continue;
            snprintf(names[count], sizeof names[count], name, i + 9);
            items[count] = (struct kernel_item){.kernel = (uint32_t)count,
                                                .run = added,
                                                .mark_run = added,
                                                .typical_ns = i,
                                                .name = names[count]};
            count++;
        }
    }
    count = kernel_sweeps_fold(&sweeps, session, items, NONE, count);
    *differ = items[0].names_differ;
    for (int i = 0; i < items[0].sweep_count; i++)
        cr_assert_eq(sweeps.medians[items[0].sweep_first + i], i, "the bars are in the parameter's order");
    kernel_sweeps_fini(&sweeps);
    session_destroy(session);
    return count;
}

Test(view_sweep, a_name_may_end_with_the_value)
{
    bool differ;
    cr_assert_eq(count_folded("rolling_%d", NULL, &differ), 1);
    cr_assert(differ);
    cr_assert_eq(count_folded("rolling", NULL, &differ), 1);
    cr_assert_not(differ);
    cr_assert_eq(count_folded("pass_1", "pass_2", &differ), 2, "kernels beside each other: a sweep each");
    cr_assert_not(differ);
    cr_assert_eq(count_folded("kernel%d", NULL, &differ), 8, "no number of its own");
}

/* What another view chooses stands for its sweep. */
Test(view_sweep, a_member_that_is_chosen_stands_for_it)
{
    start(FIXTURE_EXTREMES, 120, 40);
    const struct kernel_list *kernels = kernels_state(&screen);
    int index, rows = kernels->list.count;
    find_sweep(&index);
    cr_assert_gt(kernels->kernel_count, rows);
    uint32_t member = kernels->items[rows].kernel;
    screen_select_kernel(&screen, member);
    press("");
    cr_assert_eq(screen.kernel, member);
    cr_assert_eq(kernels->items[kernels->list.selected].kernel, member);
    cr_assert_eq(kernels->list.count, rows);
    press("j k");
    cr_assert_eq(kernels->list.count, rows);
    stop();
}

/* A filter may look for one of its points. */
Test(view_sweep, is_unfolded_by_a_filter)
{
    start(FIXTURE_EXTREMES, 120, 40);
    press("/");
    type("stride=7");
    press("ENTER");
    const struct kernel_list *kernels = kernels_state(&screen);
    cr_assert_gt(kernels->list.count, 0);
    for (int i = 0; i < kernels->list.count; i++)
        cr_assert_eq(kernels->items[i].sweep_count, 0);
    stop();
}
