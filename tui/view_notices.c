/*
 * Everything that was noticed or lost, as sentences, the newest first: notices, dropped records, what the
 * session itself could not keep.
 */
#include "tui/screen.h"

#include <stdio.h>

static const char *const drop_reasons[] = {
    [DROP_RING_FULL] = "the ring between program and lanescope was full",
    [DROP_CUPTI] = "CUPTI had no buffer for them",
    [DROP_NO_TIMESTAMP] = "CUPTI gave them no times",
    [DROP_UNKNOWN_RECORD] = "CUPTI sent a record that this version does not know",
    [DROP_MEMORY] = "the program had no memory left for them",
};

static int lost_count(const struct session *session)
{
    struct session_lost lost;
    session_lost(session, &lost);
    return (lost.late > 0) + (lost.refused > 0) + (lost.no_memory > 0);
}

static void update(struct screen *screen, struct rect area)
{
    uint32_t count = session_notice_count(screen->session) + session_drop_count(screen->session);
    list_update(&screen->notices, (int)count + lost_count(screen->session), view_inside(area).height);
}

static int draw_lost(const struct screen *screen, struct canvas *canvas, struct rect line, int which)
{
    struct session_lost lost;
    session_lost(screen->session, &lost);
    const struct {
        uint64_t count;
        const char *text;
    } rows[] = {
        {lost.no_memory, "events or rows were not kept: lanescope has no memory left for them."},
        {lost.refused, "events were refused: they end before they start."},
        {lost.late, "events came too late to stay in order; they are shown in a lane of their own."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].count > 0 && which-- == 0)
            return canvas_printf(canvas, line.x, line.y, line.width, STYLE(COLOR_WARN, COLOR_NONE, 0),
                                 "%s %s", number_exact((int64_t)rows[i].count).text, rows[i].text);
    return 0;
}

static void draw_drop(const struct screen *screen, struct canvas *canvas, struct rect line, uint32_t index)
{
    const struct drop_row *drop = session_drop(screen->session, index);
    bool known = drop->reason < sizeof drop_reasons / sizeof drop_reasons[0];
    const char *kind =
        drop->kind < EVENT_KIND_COUNT ? event_kind_text((enum event_kind)drop->kind) : "unknown";
    canvas_printf(canvas, line.x, line.y, line.width, STYLE(COLOR_WARN, COLOR_NONE, 0),
                  "%s  %s %s records were lost: %s.", number_time(drop->time_ns).text,
                  number_exact((int64_t)drop->count).text, kind,
                  known ? drop_reasons[drop->reason] : "no reason was given");
}

static void draw_notice(const struct screen *screen, struct canvas *canvas, struct rect line, uint32_t index)
{
    static const char *const words[] = {"", "warning: ", "error: "};
    const struct notice_row *notice = session_notice(screen->session, index);
    int severity = notice->severity <= SEVERITY_ERROR ? notice->severity : SEVERITY_ERROR;
    static const uint8_t colors[] = {COLOR_TEXT, COLOR_WARN, COLOR_BAD};
    struct style style = STYLE(colors[severity], COLOR_NONE, 0);
    int x = line.x, end = line.x + line.width;
    x += canvas_printf(canvas, x, line.y, end - x, STYLE(COLOR_DIM, COLOR_NONE, 0), "%s  ",
                       number_time(notice->time_ns).text);
    if (notice->process != NONE && notice->process < session_process_count(screen->session))
        x += canvas_printf(canvas, x, line.y, end - x, STYLE(COLOR_DIM, COLOR_NONE, 0), "pid %d  ",
                           session_process(screen->session, notice->process)->pid);
    x += canvas_text(canvas, x, line.y, end - x, style, words[severity]);
    canvas_text(canvas, x, line.y, end - x, style, session_string(screen->session, notice->text));
}

static void draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct list *list = &screen->notices;
    struct rect inside = view_frame(canvas, area, "Notices and losses", focus);
    int lost = lost_count(screen->session);
    int notices = (int)session_notice_count(screen->session);
    if (list->count == 0)
        canvas_text(canvas, inside.x + 1, inside.y, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    "Nothing to say: no notices, and nothing was lost.");
    for (int line = 0; line < inside.height && list->top + line < list->count; line++) {
        int index = list->top + line;
        struct rect at = {inside.x + 1, inside.y + line, inside.width - 2, 1};
        if (index == list->selected)
            canvas_ground(canvas, (struct rect){inside.x, at.y, inside.width, 1}, COLOR_SELECTED);
        if (index < lost)
            draw_lost(screen, canvas, at, index);
        else if (index - lost < notices)
            draw_notice(screen, canvas, at, (uint32_t)(notices - 1 - (index - lost)));
        else if (index - lost - notices < (int)session_drop_count(screen->session))
            draw_drop(screen, canvas, at, (uint32_t)(index - lost - notices));
        if (index == list->selected)
            canvas_ground(canvas, (struct rect){inside.x, at.y, inside.width, 1}, COLOR_SELECTED);
    }
}

static bool act(struct screen *screen, enum action action)
{
    return list_act(&screen->notices, action);
}

static void mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    list_mouse(&screen->notices, event, event->y - view_inside(area).y);
}

const struct view view_notices = {
    .title = "Notices", .update = update, .draw = draw, .act = act, .mouse = mouse};
