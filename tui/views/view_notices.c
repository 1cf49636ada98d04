/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All notices and losses as sentences, a table: what the session itself could not keep, notices from the newest
 * on, dropped records.
 */
#include "tui/frame/screen.h"
#include "tui/widgets/sheet_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const drop_reasons[] = {
    [DROP_RING_FULL] = "the ring between program and lanescope was full",
    [DROP_CUPTI] = "CUPTI had no buffer for them",
    [DROP_NO_TIMESTAMP] = "CUPTI gave no times for them",
    [DROP_UNKNOWN_RECORD] = "CUPTI sent a record that this version does not know",
    [DROP_MEMORY] = "the program ran out of memory",
    [DROP_REFUSED] = "their times or contents are impossible",
    [DROP_NO_ROOM] =
        "lanescope had no memory for them, or the process has more than 16,384 streams or threads",
};

struct notices_view {
    struct sheet_table table;
    uint64_t made_of; /* 1 + how much there was; 0: no table is made */
};

static struct notices_view *notices_state(const struct screen *screen)
{
    return screen->view_state[VIEW_NOTICES];
}

enum { COLUMN_TIME, COLUMN_PID, COLUMN_SEVERITY, COLUMN_TEXT, COLUMN_COUNT };
/* clang-format off */
static const struct sheet_column columns[COLUMN_COUNT] = {
    {"time_ns", "at", "since the start of the session", SHEET_TIME, SHEET_NEITHER, 7, 0, false},
    {"pid", "pid", "the process", SHEET_NUMBER, SHEET_NEITHER, 8, 1, false},
    {"severity", "", "warning or error", SHEET_TEXT, SHEET_NEITHER, 7, 0, false},
    {"text", "notice", "the sentence", SHEET_SENTENCE, SHEET_NEITHER, 40, 0, false}};
/* clang-format on */
static const char *const severities[] = {"", "warning", "error"};

static void make_row(struct sheet_sink *to, double time_ns, double pid, int severity, const char *text)
{
    sheet_row(to, (const struct sheet_cell[]){
                      {.number = time_ns}, {.number = pid}, {.text = severities[severity]}, {.text = text}});
}

/* What the session itself could not keep. */
static void make_lost(const struct session *session, struct sheet_sink *to)
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[160];
        snprintf(text, sizeof text, "%s %s", number_exact((int64_t)rows[i].count).text, rows[i].text);
        if (rows[i].count > 0)
            make_row(to, NAN, NAN, SEVERITY_WARNING, text);
    }
}

static void make_drop(const struct drop_row *drop, struct sheet_sink *to)
{
    bool known = drop->reason < sizeof drop_reasons / sizeof drop_reasons[0];
    char text[300];
    snprintf(text, sizeof text, "%s %s records were lost: %s.", number_exact((int64_t)drop->count).text,
             drop->kind < EVENT_KIND_COUNT ? event_kind_text((enum event_kind)drop->kind) : "unknown",
             known ? drop_reasons[drop->reason] : "no reason was given");
    make_row(to, (double)drop->time_ns, NAN, SEVERITY_WARNING, text);
}

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct session *session = from;
    (void)error;
    make_lost(session, to);
    for (uint32_t i = session_notice_count(session); i-- > 0;) {
        const struct notice_row *notice = session_notice(session, i);
        const struct process_row *process = session_process(session, notice->process);
        make_row(to, (double)notice->time_ns, process ? process->pid : (double)NAN,
                 notice->severity <= SEVERITY_ERROR ? notice->severity : SEVERITY_ERROR,
                 session_string(session, notice->text));
    }
    for (uint32_t i = 0; i < session_drop_count(session); i++)
        make_drop(session_drop(session, i), to);
    return STATUS_OK;
}

static const struct sheet sheet = {.id = "notices",
                                   .title = "Notices and losses",
                                   SHEET_COLUMNS(columns),
                                   .none = "There are no notices, and no event was lost.",
                                   .rows = make_rows};

static void style_of(const void *of, size_t row, int column, struct style *style)
{
    const struct sheet_table *table = of;
    const char *severity = sheet_kept_cell(&table->kept, row, COLUMN_SEVERITY).text;
    if (column >= COLUMN_SEVERITY && severity[0] != '\0')
        style->foreground = strcmp(severity, severities[SEVERITY_ERROR]) == 0 ? COLOR_BAD : COLOR_WARN;
}

static const struct sheet_face face = {.style = style_of, .brief = true};

static void notices_update(struct screen *screen, struct rect area)
{
    struct notices_view *view = notices_state(screen);
    struct session_lost lost;
    struct sheet_kept kept;
    session_lost(screen->session, &lost);
    uint64_t made_of = 1 + session_notice_count(screen->session) + session_drop_count(screen->session) +
                       lost.no_memory + lost.refused + lost.late;
    if (made_of != view->made_of && sheet_kept_make(&kept, &sheet, screen->session, NULL) == STATUS_OK) {
        view->table.face = &face;
        view->table.of = &view->table;
        view->made_of = made_of;
        sheet_table_take(&view->table, &kept);
    }
    sheet_table_update(&view->table, view_inside(area));
}

static void notices_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    view_table_draw(screen, canvas, area, &notices_state(screen)->table, sheet.title, focus);
}

static struct sheet_table *table_of(const struct screen *screen)
{
    return &notices_state(screen)->table;
}

static void forget_notices(struct screen *screen)
{
    sheet_table_fini(&notices_state(screen)->table);
    notices_state(screen)->made_of = 0;
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "notice", .name = "j k"},
    {.action = ACTION_HOME, .hint = "newest"},
    {.action = ACTION_FILTER},
    {.action = ACTION_NONE},
};

const struct view view_notices = {
    .title = "Notices",
    .opened_by = ACTION_NOTICES,
    .state_bytes = sizeof(struct notices_view),
    .forget = forget_notices,
    .update = notices_update,
    .draw = notices_draw,
    .table = table_of,
    .keys = keys,
};
