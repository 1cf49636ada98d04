/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header and the status line are filled from the left until there is no room; an item that does not fit
 * is left out whole.
 *
 * The bar of keys is made anew for each frame and click, as a row of hints with their places: first those at
 * the right end, then the others from the left, the most important first. A hint that does not fit is left
 * out; shorter ones after it may still fit. No action is named twice.
 */
#include "tui/frame/bars.h"

#include "core/session/samples.h"
#include "tui/terminal/text.h"
#include "tui/widgets/field.h"

#include <stdio.h>
#include <string.h>

#define GAP 2
#define FIND_FROM 24 /* cells; narrower bars have room only for the keys to go back and for help */

struct key_bar {
    struct key_hint {
        enum action action;
        char name[16];
        const char *hint;
        int x, width;
    } hints[ACTION_COUNT];
    int count, x, end; /* x...end: the free cells */
    char space[80];    /* what SPACE does in a lesson */
};

void key_name(const struct view_key *key, char *text, size_t size_bytes)
{
    if (key->name)
        snprintf(text, size_bytes, "%s", key->name);
    else
        key_text(action_info(key->action)->key[0], text, size_bytes);
}

bool key_is_possible(const struct screen *screen, enum action action)
{
    switch (action) {
    case ACTION_LANES: return screen->host->workload_count > 0 || session_access_count(screen->session) > 0;
    case ACTION_EDIT:
    case ACTION_WORKLOADS: return screen->host->workload_count > 0;
    case ACTION_OWN: return screen->host->own != NULL;
    case ACTION_STOP: return screen->host->stop && (screen->state.live || screen->host->attach);
    case ACTION_KEEP: return screen->host->keep && !screen->kept && session_run_count(screen->session) > 0;
    case ACTION_FOLLOW: return screen->state.live;
    case ACTION_BURST: return screen->host->burst != NULL;
    default: return true;
    }
}

static const char *hint_of(const struct screen *screen, const struct view_key *key)
{
    if (key->hint)
        return key->hint;
    return key->action == ACTION_BACK && screen_is_outermost(screen) ? "quit"
                                                                     : action_info(key->action)->hint;
}

static bool is_named(const struct key_bar *bar, enum action action)
{
    for (int i = 0; i < bar->count; i++)
        if (bar->hints[i].action == action)
            return true;
    return false;
}

static void add_key(const struct screen *screen, struct key_bar *bar, const struct view_key *key, bool at_end)
{
    struct key_hint hint = {.action = key->action, .hint = hint_of(screen, key)};
    if (hint.hint[0] == '\0' || is_named(bar, key->action) ||
        !(key->when ? key->when(screen) : key_is_possible(screen, key->action)))
        return;
    key_name(key, hint.name, sizeof hint.name);
    hint.width = text_width(hint.name, sizeof hint.name) + 1 + text_width(hint.hint, 40);
    if (bar->x + hint.width + GAP > bar->end)
        return;
    if (at_end)
        bar->end -= hint.width + GAP;
    hint.x = at_end ? bar->end : bar->x;
    if (!at_end)
        bar->x += hint.width + GAP;
    bar->hints[bar->count++] = hint;
}

/* Keys about time belong to the timeline and keys about lists to the kernel list, whichever pane has the
 * focus. */
static void add_panes_keys(const struct screen *screen, struct key_bar *bar)
{
    static const struct {
        enum pane pane;
        enum action_section section;
    } others[] = {{PANE_KERNELS, SECTION_LIST}, {PANE_TIMELINE, SECTION_TIME}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct view_key *key = screen->views[others[i].pane]->keys;
        for (; rect_shown(screen->layout.pane[others[i].pane]) && key->action != ACTION_NONE; key++)
            if (action_info(key->action)->section == others[i].section)
                add_key(screen, bar, key, false);
    }
}

/* The keys that turn a lesson's steps come before those of the view. */
static void add_lesson_keys(const struct screen *screen, struct key_bar *bar)
{
    bool walks;
    present_space(screen, bar->space, sizeof bar->space, &walks);
    add_key(screen, bar, &(struct view_key){.action = ACTION_HELP}, true);
    add_key(screen, bar, &(struct view_key){.action = ACTION_QUIT, .hint = "ends"}, true);
    if (!screen_is_outermost(screen) && !present_is_text(screen))
        add_key(screen, bar, &(struct view_key){.action = ACTION_BACK}, true);
    add_key(screen, bar, &(struct view_key){.action = ACTION_FREEZE, .hint = bar->space}, false);
    if (walks)
        add_key(screen, bar, &(struct view_key){.action = ACTION_PAGE_DOWN, .hint = "next step"}, false);
}

static void add_end_keys(const struct screen *screen, struct key_bar *bar, int width)
{
    static const enum action at_end[] = {ACTION_HELP, ACTION_FIND, ACTION_BACK};
    for (size_t i = 0; i < sizeof at_end / sizeof at_end[0]; i++)
        if (at_end[i] != ACTION_FIND || width >= FIND_FROM)
            add_key(screen, bar, &(struct view_key){.action = at_end[i]}, true);
}

static void make_bar(const struct screen *screen, struct rect line, struct key_bar *bar)
{
    const struct view *view = screen_focused(screen);
    bool lesson = screen->present.script != NULL;
    *bar = (struct key_bar){.x = line.x + 1, .end = line.x + line.width + 1};
    if (lesson)
        add_lesson_keys(screen, bar);
    else
        add_end_keys(screen, bar, line.width);
    if (lesson && present_is_text(screen))
        return;
    for (const struct view_key *key = view->keys; key && key->action != ACTION_NONE; key++)
        if (!lesson || (key->action != ACTION_PAGE_DOWN && key->action != ACTION_FREEZE))
            add_key(screen, bar, key, false);
    for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
        if (action_info(action)->section == SECTION_VIEW && action != view->opened_by &&
            (action == ACTION_KEEP || action == ACTION_STOP || screen_view_of(screen, action)))
            add_key(screen, bar, &(struct view_key){.action = action}, false);
    if (screen->stack_count == 0)
        add_panes_keys(screen, bar);
}

void key_bar_draw(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    struct key_bar bar;
    make_bar(screen, line, &bar);
    for (int i = 0; i < bar.count; i++) {
        const struct key_hint *hint = &bar.hints[i];
        int taken = canvas_text(canvas, hint->x, line.y, hint->width,
                                STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD), hint->name);
        canvas_text(canvas, hint->x + taken + 1, line.y, hint->width - taken - 1,
                    STYLE(COLOR_DIM, COLOR_NONE, 0), hint->hint);
    }
}

enum action key_bar_action_at(const struct screen *screen, struct rect line, int x)
{
    struct key_bar bar;
    make_bar(screen, line, &bar);
    for (int i = 0; i < bar.count; i++)
        if (x >= bar.hints[i].x && x < bar.hints[i].x + bar.hints[i].width)
            return bar.hints[i].action;
    return ACTION_NONE;
}

#define LAUNCH_NAMED_COLUMNS 90 /* the status line names the kernel that runs if it has so many left */

void bars_draw_header(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    struct style bar = STYLE(COLOR_TEXT, COLOR_BAR, 0),
                 strong = STYLE(COLOR_TITLE, COLOR_BAR, ATTRIBUTE_BOLD);
    const struct device_row *device = screen_device(screen);
    const char *model = screen_model(screen);
    char text[300] = "";
    canvas_fill(canvas, line, ' ', bar);
    int x = line.x + 1, end = line.x + line.width - 1;
    x += canvas_text(canvas, x, line.y, end - x, STYLE(COLOR_FOCUS, COLOR_BAR, ATTRIBUTE_BOLD), "lanescope") +
         2;
    x += canvas_text(canvas, x, line.y, end - x, strong, screen->host->title ? screen->host->title : "") + 2;
    if (device) {
        const struct device_info *info = &device->info;
        int length = snprintf(text, sizeof text, "%s%s", model ? "device model of " : "", info->name);
        if (info->compute_capability > 0)
            length += snprintf(text + length, sizeof text - (size_t)length, ", compute capability %s",
                               capability_text(info->compute_capability).text);
        if (info->multiprocessors > 0)
            snprintf(text + length, sizeof text - (size_t)length, ", %u multiprocessors",
                     info->multiprocessors);
        int room = end - x;
        if (text_width(text, 300) > room)
            snprintf(text, sizeof text, "%s%s", model ? "model of " : "", info->name);
        if (text_width(text, 300) <= room)
            field_words(canvas, x, line.y, room, bar, text);
    } else if (model) {
        snprintf(text, sizeof text, "device model of %.200s", model);
        if (text_width(text, 300) <= end - x)
            field_words(canvas, x, line.y, end - x, bar, text);
    }
}

struct status_line {
    struct canvas *canvas;
    int x, end, y;
};

static void add_text(struct status_line *status, struct style style, const char *text)
{
    if (status->x + text_width(text, 2000) > status->end)
        return;
    status->x += canvas_text(status->canvas, status->x, status->y, status->end - status->x, style, text) + 2;
}

/* Every screen with numbers of the device model says so. */
static void add_model(const struct screen *screen, struct status_line *status)
{
    struct style style = STYLE(COLOR_FOCUS, COLOR_BAR, ATTRIBUTE_BOLD);
    const char *model = screen_model(screen);
    char text[200];
    int before = status->x;
    if (!model)
        return;
    snprintf(text, sizeof text, "device model of %.100s: numbers are modelled", model);
    add_text(status, style, text);
    if (status->x == before)
        add_text(status, style, "modelled");
}

/* How far the launch is that has run for a while: with its kernel, if there is room. */
static void add_launch(const struct tui_host_state *state, struct status_line *status)
{
    struct style style = STYLE(COLOR_GOOD, COLOR_BAR, 0);
    char left[PROGRESS_LEFT_BYTES], numbers[80], text[200];
    int before = status->x;
    if (!state->launching)
        return;
    progress_left_text(&state->launch, left);
    snprintf(numbers, sizeof numbers, "%u %%%s%s", progress_percent(&state->launch), *left ? "  " : "", left);
    snprintf(text, sizeof text, "%s launch %llu  %s", state->kernel, (unsigned long long)state->launch.launch,
             numbers);
    if (status->end - status->x >= LAUNCH_NAMED_COLUMNS)
        add_text(status, style, text);
    if (status->x == before)
        add_text(status, style, numbers);
}

static void add_numbers(const struct screen *screen, struct status_line *status)
{
    const struct tui_host_state *state = &screen->state;
    struct style bar = STYLE(COLOR_TEXT, COLOR_BAR, 0), warn = STYLE(COLOR_WARN, COLOR_BAR, ATTRIBUTE_BOLD);
    struct session_lost lost;
    char text[120];
    session_lost(screen->session, &lost);
    uint64_t dropped = state->dropped > lost.dropped ? state->dropped : lost.dropped;
    uint64_t samples = 0;
    for (uint32_t i = 0; i < sampling_count(screen->session); i++)
        samples += sample_count(screen->session, i);
    if (session_event_count(screen->session) > 0 || samples == 0) {
        snprintf(text, sizeof text, "%s events", number_short(session_event_count(screen->session)).text);
        add_text(status, bar, text);
    }
    if (samples > 0) {
        snprintf(text, sizeof text, "%s samples", number_short(samples).text);
        add_text(status, bar, text);
    }
    uint64_t unkept = lost.no_memory + lost.refused;
    dropped += unkept > lost.told ? unkept - lost.told : 0;
    snprintf(text, sizeof text, "%s dropped", number_short(dropped).text);
    add_text(status, dropped > 0 ? warn : bar, text);
    if (state->overhead_pct >= 0) {
        snprintf(text, sizeof text, "profiling costs %.1f %%", state->overhead_pct);
        add_text(status, bar, text);
    }
    if (state->lag_rows > 0) {
        snprintf(text, sizeof text, "%s row%s not written yet", number_short(state->lag_rows).text,
                 state->lag_rows == 1 ? "" : "s");
        add_text(status, bar, text);
    }
    for (enum view_id id = 0; id < VIEW_COUNT; id++) {
        if (!screen->views[id]->status)
            continue;
        bool troubled = screen->views[id]->status(screen, text, sizeof text);
        if (text[0] != '\0')
            add_text(status, troubled ? warn : bar, text);
    }
    int64_t summed_ns = session_samples_folded_until_ns(screen->session, screen_clock(screen));
    if (summed_ns != INT64_MIN) {
        snprintf(text, sizeof text, "samples before %s only as sums",
                 number_since(summed_ns, screen->zero_ns, INT64_C(10000000)).text);
        add_text(status, bar, text);
    }
    uint32_t notices = session_notice_count(screen->session), errors = screen->notice_errors;
    if (errors > 0) {
        snprintf(text, sizeof text, "%u error%s (m)", errors, errors == 1 ? "" : "s");
        add_text(status, STYLE(COLOR_BAD, COLOR_BAR, ATTRIBUTE_BOLD), text);
    } else if (notices > 0) {
        snprintf(text, sizeof text, "%u notice%s (m)", notices, notices == 1 ? "" : "s");
        add_text(status, bar, text);
    }
}

void bars_draw_status(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    const struct tui_host_state *state = &screen->state;
    struct style bar = STYLE(COLOR_TEXT, COLOR_BAR, 0);
    struct style severe[] = {bar, STYLE(COLOR_WARN, COLOR_BAR, ATTRIBUTE_BOLD),
                             STYLE(COLOR_BAD, COLOR_BAR, ATTRIBUTE_BOLD)};
    struct status_line status = {canvas, line.x + 1, line.x + line.width - 1, line.y};
    char text[240];
    if (screen->prompt.purpose != PROMPT_NONE) {
        prompt_draw(&screen->prompt, canvas, line);
        return;
    }
    canvas_fill(canvas, line, ' ', bar);
    if (screen->message[0] != '\0' && !screen_says(screen, screen->message)) {
        if (screen->message_severity != SEVERITY_INFO)
            canvas_glyph(canvas, line.x, line.y, GLYPH_WARNING, severe[screen->message_severity]);
        canvas_text(canvas, status.x + 1, line.y, status.end - status.x - 1, severe[screen->message_severity],
                    screen->message);
        return;
    }
    bool idle = screen->host->run && session_run_count(screen->session) == 0;
    if (screen->frozen)
        add_text(&status, STYLE(COLOR_WARN, COLOR_BAR, ATTRIBUTE_BOLD), "FROZEN (collection continues)");
    else if (state->loading) {
        snprintf(text, sizeof text, "loading %.0f %%", 100 * state->progress);
        add_text(&status, STYLE(COLOR_FOCUS, COLOR_BAR, ATTRIBUTE_BOLD), text);
    } else
        add_text(&status, STYLE(state->live ? COLOR_GOOD : COLOR_TEXT, COLOR_BAR, ATTRIBUTE_BOLD),
                 state->live ? "LIVE"
                 : idle      ? "ready"
                             : "ended");
    if (state->live && state->run > 0) {
        snprintf(text, sizeof text, "run %u of %u, %lld s", state->run, state->planned,
                 (long long)((screen->clock_ms - screen->run_seen_ms) / 1000));
        add_text(&status, STYLE(COLOR_GOOD, COLOR_BAR, 0), text);
    }
    add_launch(state, &status);
    add_model(screen, &status);
    /* The host's warnings and errors come before the numbers. */
    bool said = screen_says(screen, state->text);
    bool first = state->severity != SEVERITY_INFO && state->text[0] != '\0' && !said;
    if (first) {
        canvas_glyph(canvas, status.x, line.y, GLYPH_WARNING, severe[state->severity]);
        status.x += 2;
        status.x += canvas_text(canvas, status.x, line.y, status.end - status.x, severe[state->severity],
                                state->text) +
                    2;
    }
    add_numbers(screen, &status);
    if (!first && !said)
        add_text(&status, STYLE(COLOR_DIM, COLOR_BAR, 0), state->text);
    if (screen->health.available) {
        snprintf(text, sizeof text, "GPU ");
        device_health_line(&screen->health, text + 4, sizeof text - 4);
        add_text(&status, bar, text);
    }
}
