/*
 * What is done with a line that the user has typed: filters, searches, names.
 */
#include "tui/frame/screen.h"

#include <stdio.h>

/* ---- filters ---- */

/* The filter of what has the keys. */
static char *filter_of(struct screen *screen)
{
    const struct view *top = screen->stack_count > 0 ? screen->stack[screen->stack_count - 1] : NULL;
    if (top == &view_workloads)
        return screen->workloads.filter;
    if (top == &view_chart)
        return screen->chart.filter;
    if (top == &view_lab || (top == NULL && screen->focus == PANE_PANEL))
        return screen->panel.filter;
    return top == NULL ? screen->kernels.filter : NULL;
}

static void set_filter(struct screen *screen, const char *text)
{
    char *filter = filter_of(screen);
    if (filter == NULL)
        return;
    snprintf(filter, FILTER_SIZE, "%s", text);
    if (filter == screen->workloads.filter) /* the next key may come before the next frame */
        view_workloads.update(screen, screen->layout.body);
    if (filter == screen->chart.filter)
        chart_remake(screen);
    if (filter == screen->panel.filter)
        panel_filtered(&screen->panel);
}

bool screen_clear_filter(struct screen *screen)
{
    struct error error = {0};
    bool timeline = screen->stack_count == 0 && screen->focus == PANE_TIMELINE;
    const char *filter = filter_of(screen);
    if (timeline && screen->timeline.filter.text[0] != '\0')
        return timeline_filter_set(&screen->timeline.filter, "", &error);
    if (filter == NULL || filter[0] == '\0')
        return false;
    set_filter(screen, "");
    return true;
}

/* ---- all that is typed ---- */

/* Of the timeline, once it is whole: before it may not be readable. */
static void take_timeline_filter(struct screen *screen, struct timeline_filter *filter, const char *text)
{
    struct error error = {0};
    if (!timeline_filter_set(filter, text, &error))
        screen_message(screen, SEVERITY_WARNING, "%s", error.text);
}

static void keep_recording(struct screen *screen, const char *path)
{
    struct error error = {0};
    if (screen->host->keep(screen->host->context, path, &error) == STATUS_OK) {
        screen->kept = true;
        screen_message(screen, SEVERITY_INFO, "Kept as %s.", path);
    } else {
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
    }
}

void screen_take_typed(struct screen *screen, enum prompt_result result)
{
    struct prompt *prompt = &screen->prompt;
    enum prompt_purpose purpose = prompt->purpose;
    const char *text = result == PROMPT_CANCELLED ? "" : prompt->text;
    if (result == PROMPT_EDITING)
        return;
    if (purpose == PROMPT_FILTER)
        set_filter(screen, text);
    if (result == PROMPT_CHANGED)
        return;
    prompt->purpose = PROMPT_NONE;
    if (purpose == PROMPT_ONLY)
        take_timeline_filter(screen, &screen->timeline.filter, text);
    if (purpose == PROMPT_FIND)
        take_timeline_filter(screen, &screen->timeline.find, text);
    if (text[0] == '\0')
        return;
    if (purpose == PROMPT_FIND && screen->timeline.find.text[0] != '\0')
        timeline_find(screen, true);
    if (purpose == PROMPT_BOOKMARK)
        timeline_bookmark(screen, text);
    if (purpose == PROMPT_VALUE)
        lab_set(screen, text);
    if (purpose == PROMPT_SEARCH)
        source_search_for(screen, text);
    if (purpose == PROMPT_KEEP)
        keep_recording(screen, text);
}
