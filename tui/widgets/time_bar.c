/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of the bar add up to the span; a class that is too short for a cell has none, but its row still
 * tells its time. */
#include "tui/widgets/time_bar.h"

#include "tui/widgets/field.h"
#include "tui/widgets/number.h"

#include <stdio.h>

/* Classes of busy time fill their cells; classes of idle time are shown as letters. The backgrounds are those
 * on which letters are legible in every theme. */
static const struct style styles[PARTITION_COUNT] = {
    [PARTITION_KERNEL] = {COLOR_INK, COLOR_KERNEL, 0}, [PARTITION_COLLECTIVE] = {COLOR_INK, COLOR_COPY_ON, 0},
    [PARTITION_COPY] = {COLOR_INK, COLOR_COPY_IN, 0},  [PARTITION_LAUNCH] = {COLOR_BAD, COLOR_NONE, 0},
    [PARTITION_BETWEEN] = {COLOR_BAD, COLOR_NONE, 0},  [PARTITION_TRANSFER] = {COLOR_WARN, COLOR_NONE, 0},
    [PARTITION_SYNC] = {COLOR_WARN, COLOR_NONE, 0},    [PARTITION_ALLOC] = {COLOR_WARN, COLOR_NONE, 0},
    [PARTITION_MODULE] = {COLOR_WARN, COLOR_NONE, 0},  [PARTITION_CALL] = {COLOR_WARN, COLOR_NONE, 0},
    [PARTITION_HOST] = {COLOR_CPU, COLOR_NONE, 0},     [PARTITION_TOOL] = {COLOR_DIM, COLOR_NONE, 0},
    [PARTITION_DEVICE] = {COLOR_DIM, COLOR_NONE, 0},   [PARTITION_UNKNOWN] = {COLOR_DIM, COLOR_NONE, 0},
};

struct style time_bar_style(enum partition_class part)
{
    return styles[part];
}

static double part_pct(const struct partition *time, enum partition_class part)
{
    return 100 * (double)time->ns[part] / (double)partition_span_ns(time);
}

int time_bar_parts(const struct partition *time, double least_pct, enum partition_class *parts, int most)
{
    int count = 0;
    for (int part = 0; part < PARTITION_COUNT; part++) {
        int place = count;
        if (time->ns[part] == 0 || !(part_pct(time, (enum partition_class)part) >= least_pct))
            continue;
        while (place > 0 && time->ns[parts[place - 1]] < time->ns[part])
            place--;
        if (place >= most)
            continue;
        count += count < most;
        for (int i = count - 1; i > place; i--)
            parts[i] = parts[i - 1];
        parts[place] = (enum partition_class)part;
    }
    return count;
}

void time_bar_draw(const struct partition *time, struct canvas *canvas, int x, int y, int cells)
{
    int dealt[PARTITION_COUNT];
    partition_deal(time->ns, cells, dealt);
    for (int part = 0; part < PARTITION_COUNT; part++) {
        char letter = partition_class_letter((enum partition_class)part);
        for (int i = 0; i < dealt[part]; i++)
            canvas_put(canvas, x++, y, (unsigned char)letter, styles[part]);
    }
}

#define SHARE_CELLS 7
#define TIME_CELLS 8
#define NAME_CELLS 50 /* with a bar after it */
#define BAR_LEAST 20

void time_bar_draw_part(const struct session *session, const struct partition *time,
                        enum partition_class part, struct canvas *canvas, int x, int y, int cells)
{
    char text[400], name[200] = "";
    for (uint32_t i = 0; i < time->blame_count && name[0] == '\0'; i++)
        if (time->blames[i].part == part)
            partition_blame_name(session, &time->blames[i], name, sizeof name);
    snprintf(text, sizeof text, "%s%s%s%s", partition_class_brief(part), name[0] != '\0' ? " (" : "", name,
             name[0] != '\0' ? ")" : "");
    canvas_put(canvas, x, y, (unsigned char)partition_class_letter(part), styles[part]);
    field_number(canvas, x + 1, y, SHARE_CELLS, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                 number_percent(part_pct(time, part), 1).text);
    field_number(canvas, x + 1 + SHARE_CELLS, y, TIME_CELLS + 1, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                 number_time(time->ns[part]).text);
    x += SHARE_CELLS + TIME_CELLS + 3;
    cells -= SHARE_CELLS + TIME_CELLS + 3;
    int words = cells - NAME_CELLS >= BAR_LEAST ? NAME_CELLS : cells;
    canvas_text(canvas, x, y, words, STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
    struct style style = styles[part];
    if (cells > words)
        canvas_bar(canvas, x + words + 1, y, cells - words - 1, part_pct(time, part) / 100,
                   style.background != COLOR_NONE ? style.background : style.foreground);
}
