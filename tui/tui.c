/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop: wait for a key or for new events, update, draw, paint. A frame is drawn at most every FRAME_MS
 * unless a key was pressed. The session is held while a frame is made, so that nothing of it is freed
 * meanwhile.
 */
#include "tui/tui.h"

#include "core/base/clock.h"
#include "tui/frame/screen.h"
#include "tui/terminal/ground.h"
#include "tui/terminal/restore.h"
#include "tui/terminal/term.h"
#include "tui/terminal/writer.h"
#include "tui/timeline/view_timeline.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Without a key, at most 25 frames a second are drawn (at ten a kernel was on the screen up to 104 ms after
 * its end, at twenty up to 101); after a key a frame is drawn at once. */
#define FRAME_MS 40
#define IDLE_MS 1000
#define WATCH_MS 50 /* between two looks at a file of the user's */

#define VIEW_ROW(id, name) [VIEW_##id] = &view_##name,
const struct view *const view_table[VIEW_COUNT] = {VIEW_LIST(VIEW_ROW)};

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- without a terminal ---- */

/* Works until nothing is left to be computed or to be read back. */
static void settle_screen(struct screen *screen, int width, int height)
{
    bool worked = false;
    screen_update(screen, width, height);
    if (timeline_state(screen)->detail.state.kind == READBACK_READING) {
        readback_wait(screen->host->readback);
        screen_update(screen, width, height);
    }
    while (screen_work(screen))
        worked = true;
    if (worked)
        screen_update(screen, width, height);
    const struct tui_host *host = screen->host;
    while (screen->present.playing &&
           !screen->present.guessing) { /* its runs and recordings take as long as they take */
        if (!present_play(screen) && (!host->work || !host->work(host->context)))
            clock_pause(10 * NS_PER_MS);
        screen_update(screen, width, height);
    }
}

/* A key of a lesson that would have written a file. */
static enum status check_lesson(const struct screen *screen, struct error *error)
{
    return screen->present.refused ? error_set(error, STATUS_USAGE, "%s", screen->message) : STATUS_OK;
}

static enum status press_keys(struct screen *screen, const char *keys, int width, int height,
                              struct error *error)
{
    while (keys && *keys != '\0') {
        size_t length = strcspn(keys, " ");
        if (length == 0) {
            keys++;
            continue;
        }
        uint32_t key = key_parse(keys, length);
        if (key == 0)
            return error_set(error, STATUS_USAGE,
                             "'%.*s' is not a key: give key names as in the help, separated by blanks, such "
                             "as \"j j + TAB ENTER ?\".",
                             (int)length, keys);
        if (!present_key(screen, key))
            screen_key(screen, key);
        settle_screen(screen, width, height);
        keys += length;
        if (screen->present.refused)
            return check_lesson(screen, error);
    }
    return STATUS_OK;
}

enum status tui_snapshot(const struct tui_host *host, const struct tui_options *options,
                         enum tui_format format, int width, int height, const char *keys, FILE *out,
                         struct error *error)
{
    struct screen *screen = calloc(1, sizeof *screen);
    struct canvas canvas = {0};
    if (!screen)
        return error_no_memory(error, "to draw a screen");
    enum status status = canvas_init(&canvas, width, height, options->ascii, error);
    if (status == STATUS_OK)
        status = screen_init(screen, view_table, host, options, error);
    if (status != STATUS_OK)
        goto fail;
    const struct session *session = host->session(host->context);
    unsigned hold = session_hold(session);
    settle_screen(screen, width, height);
    status = check_lesson(screen, error);
    if (status == STATUS_OK)
        status = press_keys(screen, keys, width, height, error);
    if (status == STATUS_OK)
        screen_draw(screen, &canvas);
    session_let_go(session, hold);
    if (status != STATUS_OK)
        goto fail;
    switch (format) {
    case TUI_TEXT: writer_text(&canvas, out); break;
    case TUI_ANSI: writer_ansi(&canvas, screen->theme, options->transparent, out); break;
    case TUI_SVG: writer_svg(&canvas, screen->theme, out); break;
    }
    if (fflush(out) != 0 || ferror(out))
        status = error_set(error, STATUS_IO,
                           "Writing the screen failed: is the disk full, or has the reader exited?");
fail:
    screen_fini(screen);
    canvas_fini(&canvas);
    free(screen);
    return status;
}

/* ---- in a terminal ---- */

/* The state that was drawn last: a difference needs a frame though no key was pressed. */
struct seen {
    uint64_t events, launches;
    int64_t now_ns[CLOCK_COUNT];
    uint32_t runs, kernels, notices, measurements;
    uint64_t detail; /* `changes` of the read-back */
    struct session *session;
    struct tui_host_state state;
    int64_t second; /* shown second of a run in progress */
};

static struct seen look_at(const struct tui_host *host)
{
    struct seen seen;
    memset(&seen, 0, sizeof seen);
    seen.session = host->session(host->context);
    seen.events = session_event_count(seen.session);
    seen.launches = session_launch_count(seen.session);
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
        seen.now_ns[clock] = session_now_ns(seen.session, clock);
    seen.runs = session_run_count(seen.session);
    seen.kernels = session_kernel_count(seen.session);
    seen.notices = session_notice_count(seen.session);
    seen.measurements = session_measurement_count(seen.session);
    seen.detail = host->readback ? readback_changes(host->readback) : 0;
    unsigned hold = session_hold(seen.session);
    host->state(host->context, &seen.state);
    session_let_go(seen.session, hold);
    seen.second = seen.state.live && seen.state.run > 0 ? clock_ms() / 1000 : 0;
    return seen;
}

static void take_input(struct screen *screen, const struct term_input *input)
{
    const struct session *session = screen->host->session(screen->host->context);
    unsigned hold = session_hold(session);
    screen->clock_ms = clock_ms();
    if (input->kind == TERM_KEY && !present_key(screen, input->key)) {
        present_note_key(screen, input->key);
        screen_key(screen, input->key);
    }
    if (input->kind == TERM_MOUSE)
        screen_mouse(screen, &input->mouse);
    else if (input->kind == TERM_REDRAW)
        screen->repaint = true;
    session_let_go(session, hold);
}

static bool work_once(struct screen *screen)
{
    const struct session *session = screen->host->session(screen->host->context);
    unsigned hold = session_hold(session);
    bool more = screen_work(screen);
    session_let_go(session, hold);
    return more;
}

static bool play_once(struct screen *screen)
{
    const struct session *session = screen->host->session(screen->host->context);
    unsigned hold = session_hold(session);
    screen->clock_ms = clock_ms();
    bool played = present_play(screen);
    session_let_go(session, hold);
    return played;
}

/* *later: true if another frame has to draw what this one deferred. */
static enum status draw_frame(struct screen *screen, struct term *term, struct canvas *canvas, bool *later,
                              struct error *error)
{
    int width, height;
    term_size(term, &width, &height);
    if (width != canvas->width || height != canvas->height) {
        enum status status = canvas_resize(canvas, width, height, error);
        if (status != STATUS_OK)
            return status;
    }
    const struct session *session = screen->host->session(screen->host->context);
    unsigned hold = session_hold(session);
    screen_update(screen, width, height);
    screen_draw(screen, canvas);
    session_let_go(session, hold);
    *later = term_paint(term, canvas, screen->theme, screen->repaint);
    screen->repaint = false;
    return STATUS_OK;
}

/* The editor has the terminal until it ends. */
static void run_editor(struct screen *screen, struct term *term)
{
    struct error error = {0};
    screen->edits = false;
    term_leave(term);
    enum status status = screen->host->own->edit(screen->host->context, &error);
    term_return(term);
    screen->repaint = true;
    if (status != STATUS_OK)
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
}

/* The debugger has the terminal until it ends. */
static void run_stepper(struct screen *screen, struct term *term)
{
    struct error error = {0};
    term_leave(term);
    enum status status = screen->host->step(screen->host->context, screen->step_spec, screen->step_run,
                                            screen->step_line, &error);
    screen->step_line = 0;
    term_return(term);
    screen->repaint = true;
    if (status != STATUS_OK)
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
}

/* Chooses the theme that suits the terminal's own background. False: that is not known, so it cannot be left.
 */
static bool suit_ground(struct screen *screen, const struct tui_options *options)
{
    enum ground ground = options->color ? ground_of_terminal() : GROUND_DARK;
    if (ground == GROUND_LIGHT)
        screen->theme = theme_find("projector"); /* the theme for light terminals */
    if (ground == GROUND_UNKNOWN)
        screen_message(screen, SEVERITY_WARNING,
                       "Background not known, so painted: --theme standard or projector keeps it.");
    return ground != GROUND_UNKNOWN;
}

enum status tui_run(const struct tui_host *host, const struct tui_options *options, struct error *error)
{
    struct screen *screen = calloc(1, sizeof *screen);
    struct term *term = NULL;
    struct canvas canvas = {0};
    struct seen seen = {0};
    int64_t drawn_ms = 0;
    bool dirty = true, later = false;
    if (!screen)
        return error_no_memory(error, "to draw a screen");
    enum status status = screen_init(screen, view_table, host, options, error);
    bool transparent =
        options->transparent && (options->theme || status != STATUS_OK || suit_ground(screen, options));
    if (status == STATUS_OK)
        status = term_start(&term,
                            &(struct term_options){.color = options->color,
                                                   .ascii = options->ascii,
                                                   .mouse = options->mouse,
                                                   .transparent = transparent},
                            error);
    if (status == STATUS_OK)
        status = canvas_init(&canvas, 80, 24, options->ascii || term_ascii(term), error);
    if (status != STATUS_OK)
        goto fail;
    while (!screen->quit && !term_ended(term)) {
        struct term_input input;
        bool more = host->work && host->work(host->context);
        struct seen now = look_at(host);
        if (host->script) /* its clock */
            now.second = clock_ms() / 1000;
        bool changed = later || memcmp(&now, &seen, sizeof now) != 0;
        int64_t since = clock_ms() - drawn_ms;
        if ((dirty || ((changed || more) && since >= FRAME_MS)) && term_ready(term)) {
            screen->clock_ms = clock_ms();
            status = draw_frame(screen, term, &canvas, &later, error);
            if (status != STATUS_OK)
                break;
            drawn_ms = clock_ms();
            seen = now;
            dirty = false;
            changed = later;
            since = 0;
        }
        if (play_once(screen))
            dirty = true;
        if (work_once(screen)) /* also work that this frame started: its result must be drawn */
            more = later = true;
        int wait = more               ? 0
                   : changed || dirty ? (int)(since < FRAME_MS ? FRAME_MS - since : 10)
                   : now.state.live || timeline_state(screen)->detail.state.kind == READBACK_READING
                       ? FRAME_MS
                       : IDLE_MS;
        if (now.state.live && wait > FRAME_MS / 4)
            wait = FRAME_MS / 4; /* look for new data at once, and draw when the frame is due */
        if (now.state.watching && wait > WATCH_MS)
            wait = WATCH_MS;
        while (!screen->quit && term_wait(term, wait, &input)) {
            take_input(screen, &input);
            if (screen->edits)
                run_editor(screen, term);
            if (screen->step_line > 0)
                run_stepper(screen, term);
            if (screen->copied[0] != '\0')
                term_copy(term, screen->copied);
            screen->copied[0] = '\0';
            dirty = true;
            wait = 0;
        }
    }
fail:
    present_finish(screen);
    term_stop(term);
    screen_fini(screen);
    canvas_fini(&canvas);
    free(screen);
    return status;
}

int tui_ending_signal(void)
{
    return restore_end_asked();
}

void tui_print_keys(FILE *out)
{
    action_print(out);
}
