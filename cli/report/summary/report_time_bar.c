/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A colour for each class of the partition.
 */
#include "cli/report/summary/report_time_bar.h"

#include "cli/report/report.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <stdlib.h>
#include <string.h>

/* Of a terminal's 16 colours, as background. */
static const char *const colors[PARTITION_COUNT] = {
    [PARTITION_KERNEL] = "43",  [PARTITION_COLLECTIVE] = "47", [PARTITION_COPY] = "46",
    [PARTITION_LAUNCH] = "41",  [PARTITION_TRANSFER] = "45",   [PARTITION_SYNC] = "45",
    [PARTITION_BETWEEN] = "41", [PARTITION_ALLOC] = "45",      [PARTITION_MODULE] = "45",
    [PARTITION_CALL] = "45",    [PARTITION_HOST] = "100",      [PARTITION_TOOL] = "100",
    [PARTITION_DEVICE] = "100", [PARTITION_UNKNOWN] = "100",
};

struct shares {
    int64_t ns[PARTITION_COUNT], whole_ns;
    uint64_t steps;              /* of one run with steps; else 1 */
    const struct partition *one; /* for the names of calls and ranges if there is one run; else none */
};

static struct shares add_up(const struct report_row *rows, size_t count)
{
    struct shares shares = {.steps = 1};
    for (size_t i = 0; i < count; i++) {
        const struct partition *time = report_shown_time(rows[i].facts);
        for (int part = 0; time && part < PARTITION_COUNT; part++) {
            shares.ns[part] = session_add_ns(shares.ns[part], time->ns[part]);
            shares.whole_ns = session_add_ns(shares.whole_ns, time->ns[part]);
        }
        shares.one = count == 1 ? time : NULL;
    }
    if (count == 1 && rows[0].facts->loops)
        shares.steps = rows[0].facts->figures.steps.count;
    return shares;
}

static void print_bar(const struct shares *shares, int cells, bool color, FILE *out)
{
    int dealt[PARTITION_COUNT];
    partition_deal(shares->ns, cells, dealt);
    for (int part = 0; part < PARTITION_COUNT; part++) {
        if (color && dealt[part] > 0)
            fprintf(out, "\x1b[%s;30m", colors[part]);
        for (int i = 0; i < dealt[part]; i++)
            putc(partition_class_letter((enum partition_class)part), out);
        if (color && dealt[part] > 0)
            fputs("\x1b[0m", out);
    }
}

#define TIME_CELLS 40 /* if there are fewer entries, the rest have no time */

/* "l 91.6 %  18.1 ms  idle: in launch calls (cudaLaunchKernel)" in exactly `cells` cells, or at most as many;
 * without the name where it has no room. */
static void print_entry(const struct session *session, const struct shares *shares, int part, int cells,
                        bool last, FILE *out)
{
    char text[700], shown[700];
    size_t used = 0;
    append_text(text, sizeof text, &used, "%c %4s %%", partition_class_letter((enum partition_class)part),
                number_percent(100 * (double)shares->ns[part] / (double)shares->whole_ns, 1).text);
    if (cells >= TIME_CELLS)
        append_text(text, sizeof text, &used, " %8s ",
                    number_time(shares->ns[part] / (int64_t)shares->steps).text);
    append_text(text, sizeof text, &used, " %s", partition_class_brief((enum partition_class)part));
    for (uint32_t i = 0; shares->one && part >= PARTITION_IDLE_FIRST && i < shares->one->blame_count; i++) {
        const struct partition_blame *blame = &shares->one->blames[i];
        if (blame->part == part && partition_blame_named(blame)) { /* longest first */
            char name[400];
            partition_blame_name(session, blame, name, sizeof name);
            if (text_width(name, cells) <= cells - (int)used - 4) /* whole, or not at all */
                append_text(text, sizeof text, &used, " (%s)", name);
            break;
        }
    }
    text_cut(text, cells, shown, sizeof shown);
    fprintf(out, "%s%*s", shown, last ? 0 : cells - text_width(shown, cells), "");
}

static void print_legend(const struct session *session, const struct shares *shares, const int *order,
                         int count, int most, int columns, FILE *out)
{
    int shown = count > most ? most - 1 : count, first = columns * 54 / 100;
    int64_t rest_ns = 0;
    for (int i = shown; i < count; i++)
        rest_ns += shares->ns[order[i]];
    for (int i = 0; i < shown; i++) {
        bool last = i % 2 == 1 || i + 1 == count;
        print_entry(session, shares, order[i], i % 2 ? columns - first : first - 1, last, out);
        putc(last ? '\n' : ' ', out);
    }
    if (shown < count)
        fprintf(out, "  %4s %% in %d more classes\n",
                number_percent(100 * (double)rest_ns / (double)shares->whole_ns, 1).text, count - shown);
}

size_t report_time_bar_print(const struct session *session, const struct report_row *rows, size_t count,
                             size_t lines, const struct report_look *look, FILE *out)
{
    int most = 2 * ((int)lines - 1);
    struct shares shares = add_up(rows, count);
    int order[PARTITION_COUNT], used = 0;
    char label[100];
    if (shares.whole_ns <= 0)
        return 0;
    for (int part = 0; part < PARTITION_COUNT; part++) {
        int at = used;
        if (shares.ns[part] <= 0)
            continue;
        for (; at > 0 && shares.ns[order[at - 1]] < shares.ns[part]; at--)
            order[at] = order[at - 1];
        order[at] = part;
        used++;
    }
    snprintf(label, sizeof label, " %s %s", number_time(shares.whole_ns / (int64_t)shares.steps).text,
             shares.steps > 1 ? "a step" : run_time_name(RUN_TIME_SPAN));
    print_bar(&shares, look->columns - (int)strlen(label), look->color, out);
    fprintf(out, "%s\n", label);
    print_legend(session, &shares, order, used, most, look->columns, out);
    int entries = used > most ? most : used;
    return 1 + (size_t)(entries + 1) / 2;
}
