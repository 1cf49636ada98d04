/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU does, whichever programs use it: its state in one line, the charts of its counters over time,
 * and the processes that hold memory on it. The charts are the timeline's, with all its keys.
 */
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include "tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

#define PROCESSES_FROM 14 /* with as many lines of the body there is room for the processes */

struct watch_parts {
    struct rect health, charts, processes; /* height 0: no room */
};

static uint32_t named_processes(const struct device_health *health)
{
    return health->process_count < HEALTH_PROCESSES_MAX ? health->process_count : HEALTH_PROCESSES_MAX;
}

static struct watch_parts parts_of(const struct screen *screen, struct rect area)
{
    struct watch_parts parts = {.health = {area.x, area.y, area.width, area.height > 4 ? 1 : 0}};
    int lines = 0;
    if (area.height >= PROCESSES_FROM) {
        lines = 1 + (int)named_processes(&screen->health);
        lines = lines > area.height / 4 ? area.height / 4 : lines < 2 ? 2 : lines;
    }
    int top = area.y + parts.health.height;
    parts.processes = (struct rect){area.x, area.y + area.height - lines, area.width, lines};
    parts.charts = (struct rect){area.x, top, area.width, area.height - lines - parts.health.height};
    return parts;
}

static void watch_update(struct screen *screen, struct rect area)
{
    screen->views[VIEW_TIMELINE]->update(screen, parts_of(screen, area).charts);
}

static void draw_health(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    char text[400];
    int x = line.x + 1, end = line.x + line.width;
    device_health_line(&screen->health, text, sizeof text);
    x += canvas_text(canvas, x, line.y, end - x, STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD), "health  ");
    canvas_text(canvas, x, line.y, end - x,
                STYLE(screen->health.available ? COLOR_TITLE : COLOR_DIM, COLOR_NONE, 0), text);
}

static void draw_processes(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct device_health *health = &screen->health;
    struct style dim = STYLE(COLOR_DIM, COLOR_NONE, 0), plain = STYLE(COLOR_TEXT, COLOR_NONE, 0);
    uint32_t rows = named_processes(health), room = (uint32_t)area.height - 1;
    if (!health->available || !health->processes_known) {
        canvas_text(canvas, area.x + 1, area.y, area.width - 1, dim,
                    "The processes on the device are not known.");
        return;
    }
    canvas_printf(canvas, area.x + 1, area.y, area.width - 1, STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD),
                  "%u process%s on the device%s", health->process_count,
                  health->process_count == 1 ? "" : "es",
                  health->process_count > room ? ", the first of them:" : "");
    for (uint32_t i = 0; i < rows && i < room; i++) {
        const struct health_process *process = &health->processes[i];
        const char *memory = process->memory_bytes == HEALTH_UNKNOWN
                                 ? "n/a"
                                 : number_bytes((uint64_t)process->memory_bytes).text;
        int y = area.y + 1 + (int)i, x = area.x + 1;
        x += canvas_printf(canvas, x, y, area.width - 1, plain, "%10u  %10s  ", process->pid, memory);
        canvas_text(canvas, x, y, area.x + area.width - x, process->name[0] != '\0' ? plain : dim,
                    process->name[0] != '\0' ? process->name : "(its name is not known)");
    }
}

/* The latest notice of a problem: the reason why there may be no data. */
static const char *last_trouble(const struct screen *screen)
{
    for (uint32_t i = session_notice_count(screen->session); i-- > 0;) {
        const struct notice_row *row = session_notice(screen->session, i);
        if (row->severity >= SEVERITY_WARNING)
            return session_string(screen->session, row->text);
    }
    return screen->state.severity != SEVERITY_INFO ? screen->state.text : "";
}

/* The lines for it, where there are no charts; height 0: no room, or nothing to say. */
static struct rect trouble_lines(const struct screen *screen, struct rect area)
{
    struct rect inside = view_inside(parts_of(screen, area).charts);
    if (timeline_state(screen)->rows_list.count > 0 || last_trouble(screen)[0] == '\0' || inside.height <= 3)
        return (struct rect){0};
    return (struct rect){inside.x + 1, inside.y + 2, inside.width - 2, inside.height - 2};
}

static bool says_trouble(const struct screen *screen, const char *trouble)
{
    return trouble_lines(screen, screen->layout.body).height > 0 &&
           strcmp(last_trouble(screen), trouble) == 0;
}

static void watch_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    struct watch_parts parts = parts_of(screen, area);
    timeline_draw(screen, canvas, parts.charts, focus);
    if (parts.health.height > 0)
        draw_health(screen, canvas, parts.health);
    if (parts.processes.height > 0)
        draw_processes(screen, canvas, parts.processes);
    canvas_wrap(canvas, trouble_lines(screen, area), STYLE(COLOR_WARN, COLOR_NONE, 0), last_trouble(screen));
}

static bool watch_act(struct screen *screen, enum action action)
{
    return screen->views[VIEW_TIMELINE]->act(screen, action);
}

static void watch_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    screen->views[VIEW_TIMELINE]->mouse(screen, event, parts_of(screen, area).charts);
}

/* A recording of `watch` has only series. */
static bool begins_session(const struct screen *screen)
{
    const struct session *session = screen->session;
    return screen->host->watch ||
           (!screen->state.live && !screen->host->run && session_run_count(session) == 0 &&
            session_track_count(session) == 0 && session_series_count(session) > 0);
}

static const char *why_it_stays(const struct screen *screen)
{
    (void)screen;
    return "";
}

static const struct view_key keys[] = {
    {.action = ACTION_FOLLOW},
    {.action = ACTION_ZOOM_IN, .hint = "zoom", .name = "+ -"},
    {.action = ACTION_FIT},
    {.action = ACTION_UNDO_ZOOM},
    {.action = ACTION_FREEZE},
    {.action = ACTION_FOLD},
    {.action = ACTION_DEVICE},
    {.action = ACTION_NEXT, .hint = "sample", .name = "n N"},
    {.action = ACTION_LONGEST, .hint = "highest"},
    {.action = ACTION_ONLY},
    {.action = ACTION_BURST},
    {.action = ACTION_NONE},
};

const struct view view_watch = {
    .title = "Watch",
    .flags = VIEW_REPLACES_PANES,
    .begins = begins_session,
    .update = watch_update,
    .draw = watch_draw,
    .act = watch_act,
    .mouse = watch_mouse,
    .stays = why_it_stays,
    .says = says_trouble,
    .keys = keys,
};
