/*
 * The header and the status line. Each is one line that is filled from the left until there is no room; an
 * item that does not fit is left out whole.
 */
#include "tui/frame/bars.h"

#include "core/session/samples.h"

#include "tui/terminal/text.h"
#include "tui/widgets/field.h"

#include <stdio.h>
#include <string.h>

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
    x += canvas_text(canvas, x, line.y, end - x, strong,
                     screen->host->title != NULL ? screen->host->title : "") +
         2;
    if (device != NULL) {
        const struct device_info *info = &device->info;
        int length = snprintf(text, sizeof text, "%s%s", model != NULL ? "device model of " : "", info->name);
        if (info->compute_capability > 0)
            length += snprintf(text + length, sizeof text - (size_t)length, ", compute capability %s",
                               capability_text(info->compute_capability).text);
        if (info->multiprocessors > 0)
            snprintf(text + length, sizeof text - (size_t)length, ", %u multiprocessors",
                     info->multiprocessors);
        int room = end - x;
        if (text_width(text, 300) > room)
            snprintf(text, sizeof text, "%s%s", model != NULL ? "model of " : "", info->name);
        if (text_width(text, 300) <= room)
            field_words(canvas, x, line.y, room, bar, text);
    } else if (model != NULL) {
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
    if (model == NULL)
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
        if (screen->views[id]->status == NULL)
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
    if (screen->message[0] != '\0') {
        if (screen->message_severity != SEVERITY_INFO)
            canvas_glyph(canvas, line.x, line.y, GLYPH_WARNING, severe[screen->message_severity]);
        canvas_text(canvas, status.x + 1, line.y, status.end - status.x - 1, severe[screen->message_severity],
                    screen->message);
        return;
    }
    bool idle = screen->host->run != NULL && session_run_count(screen->session) == 0;
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
    bool first = state->severity != SEVERITY_INFO && state->text[0] != '\0';
    if (first) {
        canvas_glyph(canvas, status.x, line.y, GLYPH_WARNING, severe[state->severity]);
        status.x += 2;
        status.x += canvas_text(canvas, status.x, line.y, status.end - status.x, severe[state->severity],
                                state->text) +
                    2;
    }
    add_numbers(screen, &status);
    if (!first)
        add_text(&status, STYLE(COLOR_DIM, COLOR_BAR, 0), state->text);
    if (screen->health.available) {
        snprintf(text, sizeof text, "GPU ");
        device_health_line(&screen->health, text + 4, sizeof text - 4);
        add_text(&status, bar, text);
    }
}
