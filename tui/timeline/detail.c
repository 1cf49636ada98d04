#include "tui/timeline/detail.h"

#include "tui/frame/screen.h"

#include <stdio.h>

/* Rows that are on the screen. */
static size_t tracks_shown(const struct screen *screen, uint32_t tracks[READBACK_TRACKS_MOST])
{
    const struct timeline *timeline = &screen->timeline;
    size_t count = 0;
    for (int line = 0; line < timeline->rows_list.height && count < READBACK_TRACKS_MOST; line++) {
        int row = timeline_row_of_line(screen, line);
        if (row >= 0 && timeline->rows[row].kind == ROW_TRACK)
            tracks[count++] = timeline->rows[row].track;
    }
    return count;
}

/* Once for each time that is looked at. */
static void tell_failure(struct screen *screen, struct window window)
{
    struct detail *detail = &screen->detail;
    if (detail->state.kind != READBACK_FAILED ||
        (detail->told.start_ns == window.start_ns && detail->told.end_ns == window.end_ns))
        return;
    detail->told = window;
    screen_message(screen, SEVERITY_WARNING, "Detail could not be read back: %s", detail->state.error.text);
}

void detail_look(struct screen *screen)
{
    struct detail *detail = &screen->detail;
    struct readback *readback = screen->host->readback;
    uint32_t tracks[READBACK_TRACKS_MOST];
    struct window window = screen->timeline.window;
    const struct view *full = screen->stack_count > 0 ? screen->stack[screen->stack_count - 1] : NULL;
    bool marked;
    detail->state = (struct readback_state){.kind = READBACK_WHOLE};
    if (readback == NULL)
        return;
    if (full == &view_range || full == &view_overlap)
        window = timeline_range(&screen->timeline, &marked);
    struct readback_range range = {.clock = timeline_clock(screen),
                                   .start_ns = window.start_ns,
                                   .end_ns = window.end_ns,
                                   .tracks = tracks,
                                   .track_count = tracks_shown(screen, tracks)};
    detail->changes = readback_changes(readback); /* what comes from now on may not be seen yet */
    readback_look(readback, &range);
    readback_state(readback, &detail->state);
    tell_failure(screen, window);
}

const char *detail_where(const struct screen *screen)
{
    if (!session_is_recorded(screen->session))
        return "lost, because the recording failed";
    if (screen->host->readback == NULL)
        return "in the recording";
    switch (screen->detail.state.kind) {
    case READBACK_READING: return "being read from the recording";
    case READBACK_PART: return "not found in the recording";
    case READBACK_TOO_MUCH: return "in the recording: zoom in to see them";
    case READBACK_FAILED: return "not readable from the recording";
    case READBACK_TRACKS:
    case READBACK_WHOLE: break;
    }
    return "in the recording";
}

void detail_status(const struct screen *screen, char *text, size_t size_bytes)
{
    int64_t folded_ns = session_folded_until_ns(screen->session, timeline_clock(screen));
    text[0] = '\0';
    if (folded_ns == INT64_MIN)
        return;
    if (screen->detail.state.kind == READBACK_READING)
        snprintf(text, size_bytes, "reading detail from the recording");
    else if (screen->detail.state.kind == READBACK_FAILED)
        snprintf(text, size_bytes, "before %s only sums: detail is not readable",
                 number_time(folded_ns).text);
    else if (screen->host->readback == NULL || screen->detail.state.kind == READBACK_TOO_MUCH)
        snprintf(text, size_bytes, "before %s only sums", number_time(folded_ns).text);
    else if (screen->timeline.window.start_ns < folded_ns)
        snprintf(text, size_bytes, "detail from the recording");
}
