/*
 * All notices and losses as sentences, the newest first: notices, dropped records, and what the session
 * itself could not keep.
 */
#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

#include <stdio.h>

static const char *const drop_reasons[] = {
    [DROP_RING_FULL] = "the ring between program and lanescope was full",
    [DROP_CUPTI] = "CUPTI had no buffer for them",
    [DROP_NO_TIMESTAMP] = "CUPTI gave no times for them",
    [DROP_UNKNOWN_RECORD] = "CUPTI sent a record that this version does not know",
    [DROP_MEMORY] = "the program ran out of memory",
    [DROP_REFUSED] = "their times or contents are impossible",
    [DROP_NO_ROOM] = "lanescope had no memory or no lane for them",
};

static int lost_count(const struct session *session)
{
    struct session_lost lost;
    session_lost(session, &lost);
    return (lost.late > 0) + (lost.refused > 0) + (lost.no_memory > 0);
}

#define DETAIL_LINES 4

static struct list *list_state(const struct screen *screen)
{
    return screen->view_state[VIEW_NOTICES];
}

static void notices_update(struct screen *screen, struct rect area)
{
    uint32_t count = session_notice_count(screen->session) + session_drop_count(screen->session);
    int height = view_inside(area).height;
    list_update(list_state(screen), (int)count + lost_count(screen->session),
                height > 2 * DETAIL_LINES ? height - DETAIL_LINES : height);
}

/* One item that the session itself could not keep. */
static void lost_text(const struct session *session, int which, char *text, size_t size_bytes)
{
    struct session_lost lost;
    session_lost(session, &lost);
    const struct {
        uint64_t count;
        const char *text;
    } rows[] = {
        {lost.no_memory, "events or rows were not kept: lanescope has no memory left for them."},
        {lost.refused, "events were refused: they end before they start."},
        {lost.late, "events arrived too late to stay in order; they are shown in a separate lane."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].count > 0 && which-- == 0)
            snprintf(text, size_bytes, "%s %s", number_exact((int64_t)rows[i].count).text, rows[i].text);
}

static void drop_text(const struct session *session, uint32_t index, char *text, size_t size_bytes)
{
    const struct drop_row *drop = session_drop(session, index);
    bool known = drop->reason < sizeof drop_reasons / sizeof drop_reasons[0];
    const char *kind =
        drop->kind < EVENT_KIND_COUNT ? event_kind_text((enum event_kind)drop->kind) : "unknown";
    snprintf(text, size_bytes, "%s  %s %s records were lost: %s.", number_time(drop->time_ns).text,
             number_exact((int64_t)drop->count).text, kind,
             known ? drop_reasons[drop->reason] : "no reason was given");
}

static enum severity notice_text(const struct session *session, uint32_t index, char *text, size_t size_bytes)
{
    static const char *const words[] = {"", "warning: ", "error: "};
    const struct notice_row *notice = session_notice(session, index);
    int severity = notice->severity <= SEVERITY_ERROR ? notice->severity : SEVERITY_ERROR;
    char pid[24] = "";
    if (notice->process != NONE && notice->process < session_process_count(session))
        snprintf(pid, sizeof pid, "pid %d  ", session_process(session, notice->process)->pid);
    snprintf(text, size_bytes, "%s  %s%s%s", number_time(notice->time_ns).text, pid, words[severity],
             session_string(session, notice->text));
    return (enum severity)severity;
}

/* A line of the list: losses of the session, then notices from the newest on, then drops. */
static enum severity line_text(const struct session *session, int line, char *text, size_t size_bytes)
{
    int lost = lost_count(session), notices = (int)session_notice_count(session);
    text[0] = '\0';
    if (line < lost) {
        lost_text(session, line, text, size_bytes);
        return SEVERITY_WARNING;
    }
    line -= lost;
    if (line < notices)
        return notice_text(session, (uint32_t)(notices - 1 - line), text, size_bytes);
    line -= notices;
    if (line < (int)session_drop_count(session))
        drop_text(session, (uint32_t)line, text, size_bytes);
    return SEVERITY_WARNING;
}

static void notices_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    static const uint8_t colors[] = {COLOR_TEXT, COLOR_WARN, COLOR_BAD};
    const struct list *list = list_state(screen);
    struct rect inside = view_frame(canvas, area, "Notices and losses", focus);
    char text[1200];
    if (list->count == 0)
        canvas_text(canvas, inside.x + 1, inside.y, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    "There are no notices, and no event was lost.");
    for (int line = 0; line < list->height && list->top + line < list->count; line++) {
        bool selected = list->top + line == list->selected;
        enum severity severity = line_text(screen->session, list->top + line, text, sizeof text);
        uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
        canvas_fill(canvas, (struct rect){inside.x, inside.y + line, inside.width, 1}, ' ',
                    STYLE(COLOR_TEXT, ground, 0));
        canvas_text(canvas, inside.x + 1, inside.y + line, inside.width - 2,
                    STYLE(colors[severity], ground, 0), text);
    }
    /* The selected notice in full. */
    if (list->count == 0 || list->height == inside.height)
        return;
    struct rect detail = {inside.x + 1, inside.y + inside.height - DETAIL_LINES, inside.width - 2,
                          DETAIL_LINES};
    line_text(screen->session, list->selected, text, sizeof text);
    for (int x = 0; x < inside.width; x++)
        canvas_glyph(canvas, inside.x + x, detail.y, GLYPH_HORIZONTAL, STYLE(COLOR_FRAME, COLOR_NONE, 0));
    detail.y++;
    detail.height--;
    canvas_wrap(canvas, detail, STYLE(COLOR_TITLE, COLOR_NONE, 0), text);
}

static bool notices_act(struct screen *screen, enum action action)
{
    return list_act(list_state(screen), action);
}

static void notices_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    list_mouse(list_state(screen), event, event->y - view_inside(area).y);
}

static void forget_notices(struct screen *screen)
{
    *list_state(screen) = (struct list){0};
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "notice", .name = "j k"},
    {.action = ACTION_END, .hint = "newest"},
    {.action = ACTION_NONE},
};

const struct view view_notices = {
    .title = "Notices",
    .opened_by = ACTION_NOTICES,
    .state_bytes = sizeof(struct list),
    .forget = forget_notices,
    .update = notices_update,
    .draw = notices_draw,
    .act = notices_act,
    .mouse = notices_mouse,
    .keys = keys,
};
