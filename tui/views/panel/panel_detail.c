/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences about one metric, written line by line onto a page of the area's height: text that no longer fits
 * is left out.
 */
#include "tui/views/panel/panel_part.h"

#include "core/base/append.h"
#include "tui/frame/screen.h"
#include "tui/views/panel/panel_rows.h"

#include <stdio.h>
#include <string.h>

/* Lines. With as many there are blank lines between paragraphs, and room for counters and all columns. */
#define TALL 10

/* Paragraphs from the top down, each with as many lines as it needs. */
struct page {
    struct canvas *canvas;
    struct rect left; /* the rest of the area */
    bool apart;       /* with a blank line between paragraphs */
};

static void say_text(struct page *page, struct style style, int most, const char *text)
{
    if (page->left.height <= 0 || text[0] == '\0')
        return;
    struct rect place = page->left;
    place.height = place.height < most ? place.height : most;
    int taken = canvas_wrap(page->canvas, place, style, text) + page->apart;
    page->left.y += taken;
    page->left.height -= taken;
}

/* "sectors; lower is better; lesson copy-offset" */
static void good_text(const struct metric_info *info, char *text, size_t size_bytes)
{
    static const char *const better[] = {[METRIC_LOWER] = "lower is better",
                                         [METRIC_HIGHER] = "higher is better",
                                         [METRIC_NEITHER] = "neither higher nor lower is better"};
    snprintf(text, size_bytes, "%s%s%s%s%s%s", info->unit[0] != '\0' ? "in " : "", info->unit,
             info->unit[0] != '\0' ? "; " : "", better[info->better], info->taught ? "; lesson " : "",
             info->taught ? info->taught : "");
}

static void formula_text(const struct panel *panel, enum metric metric, char *text, size_t size_bytes)
{
    const struct metric_info *info = metric_info(metric);
    const struct kernel_statistic *own = &panel->lines[metric].value[panel->own];
    char launches[80] = "";
    bool model = panel->own == PROVENANCE_MODELLED;
    if (own->value.available && own->n > 1)
        snprintf(launches, sizeof launches, "median of %.30s launches; ", number_exact(own->n).text);
    snprintf(text, size_bytes, "%s%s%.500s%s", launches,
             model           ? "modelled (on a GPU it is "
             : info->derived ? "* derived: "
                             : "",
             info->formula, model ? ")" : "");
}

static void counters_text(const struct screen *screen, enum metric metric, char *text, size_t size_bytes)
{
    const struct device_row *device = screen_device(screen);
    const struct metric_counters counters = metric_counters(metric, device ? device->info.chip : NULL);
    const char *const *counter = counters.names;
    size_t used = 0;
    text[0] = '\0';
    while (*counter && append_text(text, size_bytes, &used, "%s %s", used == 0 ? "counters:" : ",", *counter))
        counter++;
}

/* The range of the values over the launches, if it is not empty. */
static void range_text(const struct panel *panel, enum metric metric, char *text, size_t size_bytes)
{
    const struct kernel_statistic *own = &panel->lines[metric].value[panel->own];
    struct value least = own->value, most = own->value;
    char from[40], to[40];
    text[0] = '\0';
    if (!own->value.available || own->value.word || own->n < 2 || own->min == own->max)
        return;
    least.number = own->min;
    most.number = own->max;
    metric_format(metric, &least, from, sizeof from);
    metric_format(metric, &most, to, sizeof to);
    snprintf(text, size_bytes, "launches from %s to %s", from, to);
}

static void say_reason(struct page *page, const struct panel *panel, enum metric metric,
                       enum provenance provenance, struct style style)
{
    const struct value *value = &panel->lines[metric].value[provenance].value;
    char text[700];
    if (value->available || !value->why)
        return;
    snprintf(text, sizeof text, "%s n/a: %.600s", provenance_text(provenance), value->why);
    say_text(page, style, page->left.height, text);
}

/* Explains a rate that is higher than device memory can deliver. */
static void say_above_theory(struct page *page, const struct panel *panel, enum metric metric,
                             struct style style)
{
    const struct value *own = &panel->lines[metric].value[panel->own].value;
    const struct value *peak =
        &panel->lines[METRIC_theoretical_bandwidth_bytes_per_second].value[PROVENANCE_EXPECTED].value;
    char text[40], sentence[120];
    if (metric != METRIC_effective_bandwidth_bytes_per_second || !own->available || !peak->available ||
        own->number <= peak->number)
        return;
    metric_format(METRIC_theoretical_bandwidth_bytes_per_second, peak, text, sizeof text);
    snprintf(sentence, sizeof sentence, "above the %s of device memory: caches served part of it", text);
    say_text(page, style, page->left.height, sentence);
}

void panel_detail_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                       enum metric metric, bool cut)
{
    const struct panel *panel = panel_state(screen);
    const struct metric_info *info = metric_info(metric);
    struct style plain = STYLE(COLOR_TEXT, COLOR_NONE, 0), dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
    bool tall = area.height >= TALL;
    struct page page = {.canvas = canvas, .left = area, .apart = tall};
    char text[1400];
    if (tall)
        say_text(&page, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD), 2, info->title);
    snprintf(text, sizeof text, "%s%s%s", cut && !tall ? info->title : "", cut && !tall ? ": " : "",
             info->meaning);
    say_text(&page, plain, tall ? area.height : area.height > 3 ? 2 : 1, text);
    say_reason(&page, panel, metric, panel->own, STYLE(COLOR_WARN, COLOR_NONE, 0));
    say_above_theory(&page, panel, metric, STYLE(COLOR_WARN, COLOR_NONE, 0));
    if (area.height > 3) {
        good_text(info, text, sizeof text);
        say_text(&page, STYLE(COLOR_GOOD, COLOR_NONE, 0), tall ? 2 : 1, text);
    }
    if (tall || panel->lines[metric].value[panel->own].value.available) {
        formula_text(panel, metric, text, sizeof text);
        say_text(&page, dim, page.left.height, text);
    }
    if (!tall)
        return;
    range_text(panel, metric, text, sizeof text);
    say_text(&page, plain, 2, text);
    for (enum provenance p = 0; p < PROVENANCE_COUNT; p++)
        if (p != panel->own)
            say_reason(&page, panel, metric, p, dim);
    counters_text(screen, metric, text, sizeof text);
    say_text(&page, dim, page.left.height, text);
}

void panel_detail_draw_reason(const struct panel *panel, struct canvas *canvas, struct rect area,
                              const struct panel_reason *reason)
{
    struct page page = {.canvas = canvas, .left = area, .apart = area.height >= TALL};
    char text[2000];
    size_t used = 0;
    snprintf(text, sizeof text, "not available: %.1000s", reason->why);
    say_text(&page, STYLE(COLOR_WARN, COLOR_NONE, 0), area.height, text);
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        const char *why = panel_why_missing(panel, metric);
        if (why && strcmp(why, reason->why) == 0 && metric_info(metric)->group != METRIC_GROUP_OLD)
            append_text(text, sizeof text, &used, "%s%s", used > 0 ? ", " : "", metric_info(metric)->title);
    }
    say_text(&page, STYLE(COLOR_DIM, COLOR_NONE, 0), page.left.height, text);
}
