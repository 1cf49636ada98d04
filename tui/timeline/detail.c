/*
 * Tells the read-back in every frame which time and tracks it should hold: the timeline's window, or the
 * marked range while a view of a range is open. struct detail has the last state that the read-back returned.
 */
#include "tui/timeline/detail.h"

#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include <stdio.h>

/* Lists the tracks of the rows on screen. */
static size_t tracks_shown(const struct screen *screen, uint32_t tracks[READBACK_TRACKS_MOST])
{
    const struct timeline *timeline = timeline_state(screen);
    size_t count = 0;
    for (int line = 0; line < timeline->rows_list.height && count < READBACK_TRACKS_MOST; line++) {
        int row = timeline_row_of_line(screen, line);
        if (row >= 0 && timeline->rows[row].kind == ROW_TRACK)
            tracks[count++] = timeline->rows[row].track;
    }
    return count;
}

/* Shows the failure once for each time range. */
static void tell_failure(struct screen *screen, struct window window)
{
    struct detail *detail = &timeline_state(screen)->detail;
    if (detail->state.kind != READBACK_FAILED ||
        (detail->told.start_ns == window.start_ns && detail->told.end_ns == window.end_ns))
        return;
    detail->told = window;
    screen_message(screen, SEVERITY_WARNING, "Detail could not be read back: %s", detail->state.error.text);
}

void detail_look(struct screen *screen)
{
    struct detail *detail = &timeline_state(screen)->detail;
    struct readback *readback = screen->host->readback;
    uint32_t tracks[READBACK_TRACKS_MOST];
    struct window window = timeline_state(screen)->window;
    const struct view *top = screen_top(screen);
    bool marked;
    detail->state = (struct readback_state){.kind = READBACK_WHOLE};
    if (readback == NULL)
        return;
    if (top != NULL && (top->flags & VIEW_OF_RANGE) != 0)
        window = timeline_range(timeline_state(screen), &marked);
    struct readback_range range = {.clock = screen_clock(screen),
                                   .start_ns = window.start_ns,
                                   .end_ns = window.end_ns,
                                   .tracks = tracks,
                                   .track_count = tracks_shown(screen, tracks)};
    detail->changes = readback_changes(readback); /* read first: later data may be missed */
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
    switch (timeline_state(screen)->detail.state.kind) {
    case READBACK_READING: return "being read from the recording";
    case READBACK_PART: return "not found in the recording";
    case READBACK_MERGED: return "in the recording: lanescope export reads them";
    case READBACK_TOO_MUCH: return "in the recording: zoom in to see them";
    case READBACK_FAILED: return "not readable from the recording";
    case READBACK_TRACKS:
    case READBACK_WHOLE: break;
    }
    return "in the recording";
}

#define FOLDED_STEP_NS INT64_C(10000000)

bool detail_status(const struct screen *screen, char *text, size_t size_bytes)
{
    int64_t folded_ns = session_folded_until_ns(screen->session, screen_clock(screen));
    text[0] = '\0';
    if (folded_ns == INT64_MIN)
        return false;
    if (timeline_state(screen)->detail.state.kind == READBACK_READING)
        snprintf(text, size_bytes, "reading detail from the recording");
    else if (timeline_state(screen)->detail.state.kind == READBACK_FAILED)
        snprintf(text, size_bytes, "before %s only sums: detail is not readable",
                 number_since(folded_ns, screen->zero_ns, FOLDED_STEP_NS).text);
    else if (screen->host->readback == NULL ||
             timeline_state(screen)->detail.state.kind == READBACK_TOO_MUCH ||
             timeline_state(screen)->detail.state.kind == READBACK_MERGED)
        snprintf(text, size_bytes, "before %s only sums",
                 number_since(folded_ns, screen->zero_ns, FOLDED_STEP_NS).text);
    else if (timeline_state(screen)->window.start_ns < folded_ns)
        snprintf(text, size_bytes, "detail from the recording");
    return timeline_state(screen)->detail.state.kind == READBACK_FAILED;
}
