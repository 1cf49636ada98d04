/* The verdict on the run has its partition; a row is made of one class of it. */
#include "tui/views/kernels/kernel_parts.h"

#include "core/base/array.h"
#include "tui/terminal/text.h"
#include "tui/widgets/time_bar.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PART_LEAST_PCT 5    /* least share of the run for a row */
#define PART_BLAME_LEAST 10 /* cells of what a class is of: " (cudaMal…" */

static int64_t time_of(const struct partition *whole, enum partition_class part)
{
    return whole->ns[part] + (part == PARTITION_COPY ? whole->copy_hidden_ns : 0);
}

/* Idle time counts fully, but for that of the tracing, which other runs do not have, and that of unknown
 * cause. Copies can become hidden. */
static int64_t gain_of(const struct partition *whole, enum partition_class part)
{
    return part == PARTITION_TOOL || part == PARTITION_UNKNOWN ? 0 : whole->ns[part];
}

static const char *name_of(enum partition_class part)
{
    return part == PARTITION_COPY ? "copies and sets" : partition_class_brief(part);
}

int kernel_parts_add(struct screen *screen, int shown)
{
    struct kernel_list *kernels = kernels_state(screen);
    const int kernel_count = shown;
    uint32_t run = shown > 0 ? kernels->items[0].run : screen->run;
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, run);
    const struct partition *whole = run_verdict_time(verdict);
    kernels->run_ns = 0;
    kernels->steps = false;
    if (!kernels->one_run || shown + (int)kernels->hidden == 0 || !verdict->known || whole->operations == 0 ||
        !array_grow(kernels->items, kernels->capacity, (size_t)shown, PARTITION_COUNT))
        return shown;
    kernels->run_ns = partition_sum_ns(whole);
    kernels->steps = verdict->by_steps;
    for (enum partition_class part = PARTITION_COPY; part < PARTITION_COUNT; part++) {
        int64_t ns = time_of(whole, part);
        if (ns == 0 || 100 * (double)ns < PART_LEAST_PCT * (double)kernels->run_ns)
            continue;
        if (strcasestr(name_of(part), kernels->filter) == NULL)
            continue;
        kernels->items[shown++] = (struct kernel_item){.kernel = NONE,
                                                       .run = run,
                                                       .mark_run = run,
                                                       .part = (uint8_t)part,
                                                       .launches = whole->times[part],
                                                       .total_ns = (uint64_t)ns,
                                                       .share_ns = (uint64_t)ns,
                                                       .typical_ns = -1,
                                                       .gain_ns = (double)gain_of(whole, part),
                                                       .name = name_of(part)};
    }
    for (int i = 0; i < kernel_count && kernels->run_ns > 0; i++)
        kernels->items[i].share_ns = kernels->items[i].kernel < verdict->kernel_count
                                         ? verdict->kernel_ns[kernels->items[i].kernel]
                                         : 0;
    return shown;
}

struct kernel_gain kernel_parts_gain(const struct kernel_item *item)
{
    if (item->part == PARTITION_UNKNOWN)
        return (struct kernel_gain){GAIN_UNKNOWN, 0};
    return (struct kernel_gain){item->gain_ns > 0 ? GAIN_SOME : GAIN_NOTHING,
                                (float)(item->gain_ns / (double)item->total_ns)};
}

void kernel_parts_draw_name(const struct screen *screen, struct canvas *canvas, int x, int y, int cells,
                            const struct kernel_item *item, bool selected)
{
    const struct partition *whole = run_verdict_time(run_verdicts_of(&screen->verdicts, item->run));
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    char text[400], name[300] = "";
    if (item->part == PARTITION_COPY && whole->copy_hidden_ns > 0)
        snprintf(name, sizeof name, "%.0f %% hidden by kernels",
                 100 * (double)whole->copy_hidden_ns / (double)time_of(whole, PARTITION_COPY));
    for (uint32_t i = 0; i < whole->blame_count && name[0] == '\0'; i++)
        if (whole->blames[i].part == item->part)
            partition_blame_name(screen->session, &whole->blames[i], name, sizeof name);
    snprintf(text, sizeof text, "%s%s%s%s", item->name, name[0] != '\0' ? " (" : "", name,
             name[0] != '\0' ? ")" : "");
    int own = text_width(item->name, cells + 1); /* alone, rather than cut */
    if (text_width(text, cells + 1) > cells && own <= cells && own + PART_BLAME_LEAST > cells)
        snprintf(text, sizeof text, "%s", item->name);
    canvas_text(canvas, x, y, cells,
                STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0), text);
}
