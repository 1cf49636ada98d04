/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of runs whose metrics have extreme values, at every width: each number that a row shows is
 * one of the metric's values, or their difference or ratio, read back from its text. A number that lost a
 * digit, its sign or its unit is none of them.
 */
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_BYTES 400
#define TAIL_FROM 14 /* lines of the comparison: two more stand below its list then */

/* The cells of a row, in ASCII. */
static void read_row(int y, struct rect inside, char row[ROW_BYTES])
{
    int at = 0;
    for (int x = inside.x; x < inside.x + inside.width && at + 1 < ROW_BYTES; x++) {
        uint32_t c = canvas_cell(&canvas, x, y)->codepoint;
        row[at++] = c >= 0x20 && c < 0x7f ? (char)c : '?';
    }
    row[at] = '\0';
}

static double prefix_of(char c)
{
    static const char prefixes[] = "kMGTPE";
    const char *at = c != '\0' ? strchr(prefixes, c) : NULL;
    return at != NULL ? pow(1000, (double)(at - prefixes) + 1) : 1;
}

/* What the unit at *text multiplies a number with; *text moves past it. */
static double take_unit(enum metric metric, const char **text)
{
    static const struct {
        const char *name;
        double factor;
    } times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const char *at = *text + (**text == ' '), *unit = metric_info(metric)->unit;
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/%");
    for (size_t i = 0; i < 4 && strcmp(unit, "ns") == 0; i++)
        if (strlen(times[i].name) == length && memcmp(times[i].name, at, length) == 0) {
            *text = at + length;
            return times[i].factor;
        }
    bool prefixed = length > 0 && prefix_of(*at) != 1;
    size_t rest = length - prefixed;
    bool is_unit = rest == strlen(unit) && memcmp(at + prefixed, unit, rest) == 0;
    if (length > 0 && (is_unit || (prefixed && rest == 0) || (length == 1 && *at == 'x') ||
                       (length == 2 && memcmp(at, "pp", 2) == 0))) {
        *text = at + length;
        return prefixed ? prefix_of(*at) : 1;
    }
    return 1;
}

/* The next number of *text, which moves past it and its unit; false: there is none. */
static bool next_number(enum metric metric, const char **text, double *number, int *decimals, double *factor)
{
    char plain[80];
    size_t at = 0, length = 0;
    const char *from = *text + strcspn(*text, "0123456789");
    if (*from == '\0')
        return false;
    bool negative = from > *text && from[-1] == '-';
    for (; (from[length] >= '0' && from[length] <= '9') || from[length] == ',' || from[length] == '.' ||
           (from[length] == 'e' && length > 0 && (from[length + 1] == '+' || from[length + 1] == '-')) ||
           (length > 0 && from[length - 1] == 'e');
         length++)
        if (from[length] != ',' && at + 1 < sizeof plain)
            plain[at++] = from[length];
    plain[at] = '\0';
    const char *point = strchr(plain, '.');
    *decimals = point != NULL ? (int)strspn(point + 1, "0123456789") : 0;
    *text = from + length;
    *factor = take_unit(metric, text);
    *number = (negative ? -1 : 1) * strtod(plain, NULL) * *factor;
    return true;
}

/* Equal but for what rounding to the decimals and to three figures takes. */
static bool is_same(double shown, double value, int decimals, double factor)
{
    double step = 0.51 * factor * pow(10, -decimals);
    return fabs(shown - value) <= fmax(step, 0.0051 * fabs(value));
}

static bool is_of_metric(const struct compare *compare, enum metric metric, double shown, int decimals,
                         double factor)
{
    double ratio = compare->metrics[metric].change.ratio;
    /* The change is a factor, or a percentage with its sign; "<0.01 %" and ">-100 %" are bounds of it. */
    double values[11] = {compare->metrics[metric].change.difference, ratio, 100 * (ratio - 1),
                         fabs(ratio - 1) < 5e-5 ? copysign(0.01, ratio - 1)
                         : ratio < 1e-6         ? -100
                                                : ratio};
    int count = 4;
    const double difference = compare->metrics[metric].change.difference;
    for (double bound = 0.01; bound < 2; bound *= 10) /* "-<0.1" is a bound of the difference */
        if (difference != 0 && fabs(difference) < bound)
            values[count++] = bound; /* its sign stands before the "<" */
    for (int s = 0; s < 2; s++) {
        const struct value *pair[] = {&compare->side[s].expected[metric].value,
                                      &compare->side[s].value[metric].value};
        for (int v = 0; v < 2; v++)
            if (pair[v]->available)
                values[count++] = pair[v]->number;
    }
    for (int i = 0; i < count; i++)
        if (is_same(shown, values[i], decimals, factor))
            return true;
    return false;
}

/* Behind the metric's name, or as much of it as is shown. */
static const char *behind_title(const char *row, enum metric metric)
{
    const char *title = metric_info(metric)->title;
    row += strspn(row, " ?"); /* the sign of the selected row */
    while (*title != '\0' && *row == *title)
        row++, title++;
    return row;
}

/* Returns how many numbers were looked at. */
static int check_rows(void)
{
    const struct compare *compare = compare_state(&screen);
    struct rect inside = view_inside(screen.layout.body);
    int looked = 0, head = inside.height - compare->table.list.height - (inside.height >= TAIL_FROM ? 2 : 0);
    screen_draw(&screen, &canvas);
    for (int line = 0;
         line < compare->table.list.height && compare->table.list.top + line < compare->table.list.count;
         line++) {
        int index = compare->table.list.top + line;
        if (index == compare->differing && compare->rest > 0) /* "5 equal rows: z shows" */
            continue;
        enum metric metric = compare->rows[index - (index > compare->differing)];
        char row[ROW_BYTES];
        double number, factor;
        int decimals;
        read_row(inside.y + head + line, inside, row);
        const char *text = behind_title(row, metric);
        if (metric == METRIC_roof) /* a word, which may have a digit: "L2" */
            continue;
        while (next_number(metric, &text, &number, &decimals, &factor)) {
            cr_expect(is_of_metric(compare, metric, number, decimals, factor),
                      "%d columns, %s: %g is none of its numbers in:\n%s", canvas.width,
                      metric_info(metric)->id, number, row);
            looked++;
        }
    }
    return looked;
}

Test(view_numbers, comparison_shows_each_number_whole_or_not_at_all)
{
    int looked = 0;
    start(FIXTURE_EXTREMES, 120, 80);
    uint32_t runs = session_run_count(fixture.session);
    for (uint32_t run = runs / 2; run + 1 < runs; run += 12) {
        screen.marked[0] = run;
        screen.marked[1] = run + 1;
        press("X");
        for (int swapped = 0; swapped < 2; swapped++) {
            for (int width = 20; width <= 300; width++) {
                cr_assert_eq(canvas_resize(&canvas, width, 80, NULL), STATUS_OK);
                screen_update(&screen, width, 80);
                looked += check_rows();
            }
            press("S");
        }
        press("q");
    }
    stop();
    cr_assert_gt(looked, 150000, "only %d numbers were looked at", looked);
}
